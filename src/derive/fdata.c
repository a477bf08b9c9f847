/* For BOLT: a line for each branch, "1 FUNCTION OFFSET 1 FUNCTION OFFSET MISSES COUNT".
 */
#include "derive/pbo.h"

#include "base/cleanup.h"
#include "derive/estimate.h"
#include "image/unique.h"

#include <inttypes.h>
#include <string.h>

struct writing {
	struct text *out;
	struct pbo_result *result;
	struct image_uniques uniques;
	struct table called; /* by address of a function: calls that have a line */
	struct VECTOR(const struct report_function *) written;
};

/* "1 name/2 1f"; nothing for what has no name, and what the form has no place for. */
static bool add_place(struct text *out, const struct image_unique *function,
		      uint64_t offset)
{
	if (!function || strpbrk(function->name, " \t\\"))
		return false;
	text_format(out, "1 %s", function->name);
	if (function->number)
		text_format(out, "/%" PRIu32, function->number);
	text_format(out, " %" PRIx64 " ", offset);
	return true;
}

static void add_line(struct writing *writing, const uint64_t from[2],
		     const uint64_t to[2], uint64_t count)
{
	const struct image_unique *source = image_unique_at(&writing->uniques, from[0]);
	const struct image_unique *target = image_unique_at(&writing->uniques, to[0]);
	size_t before = writing->out->length;

	if (!count || !add_place(writing->out, source, from[1]))
		return;
	if (add_place(writing->out, target, to[1])) {
		text_format(writing->out, "0 %" PRIu64 "\n", count);
		if (!to[1] && to[0] != from[0])
			*table_insert(&writing->called, to[0], NULL) += count;
		return;
	}
	writing->out->length = before;
	writing->out->data[before] = '\0';
}

/* A direct call, or a jump out of the function: perhaps into a part of it that lies
 * elsewhere, which is a function of its own for BOLT. */
static void add_way_out(struct writing *writing, uint64_t start,
			const struct cfg_instruction *instruction, uint64_t count)
{
	const struct image_unique *target =
		image_unique_around(&writing->uniques, instruction->target);
	uint64_t to = target ? target->address : instruction->target;

	add_line(writing, (const uint64_t[]){start, instruction->offset},
		 (const uint64_t[]){to, instruction->target - to}, count);
}

/* Direct calls of a block, and its jump out of the function. */
static void add_calls(struct writing *writing, const struct annotation *annotation,
		      const struct cfg_block *block, uint64_t count, uint64_t leaving)
{
	const struct cfg *cfg = &annotation->cfg;

	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		const struct cfg_instruction *instruction = &cfg->instructions.items[i];
		bool call = instruction->kind == CFG_CALL;
		bool jump = instruction->kind == CFG_JUMP ||
			    instruction->kind == CFG_CONDITION;
		uint64_t start = annotation->address;

		if (!call && (!jump || instruction->target - start < annotation->size))
			continue;
		add_way_out(writing, start, instruction, call ? count : leaving);
	}
}

static void write_function(void *context, const struct annotation *annotation,
			   const struct routes *known)
{
	struct writing *writing = context;
	const struct cfg *cfg = &annotation->cfg;
	uint64_t start = annotation->address;
	struct routes routes = {0};

	if (!known) {
		writing->result->without += !annotation->part;
		return;
	}
	if (!image_unique_at(&writing->uniques, start)) {
		writing->result->nameless += !annotation->part;
		return;
	}
	vector_for_each (known, route)
		vector_push(&routes, *route);
	estimate_routes(&routes, annotation);
	if (!annotation->part)
		vector_push(&writing->written, annotation->function);
	vector_for_each (&routes, route) {
		if (route->from == ROUTE_OUTSIDE)
			continue;
		const struct cfg_block *block = &cfg->blocks.items[route->from];
		const struct cfg_instruction *last =
			&cfg->instructions.items[block->first + block->count - 1];

		if (route->to != ROUTE_OUTSIDE)
			add_line(writing, (const uint64_t[]){start, last->offset},
				 (const uint64_t[]){
					 start,
					 annotation->blocks.items[route->to].address -
						 start},
				 route->count);
	}
	vector_for_each (&cfg->blocks, block) {
		uint32_t number = (uint32_t)(block - cfg->blocks.items);
		uint64_t leaving = 0;

		vector_for_each (&routes, route)
			if (route->from == number && route->to == ROUTE_OUTSIDE)
				leaving += route->count;
		add_calls(writing, annotation, block,
			  annotation->blocks.items[number].count, leaving);
	}
	vector_deinit(&routes);
}

/* Those that are known, of a profile with calls by their places. */
static void add_pointer_calls(struct writing *writing,
			      const struct report_profile *profile,
			      const struct report_module *module)
{
	const struct report_function *functions = profile->functions.items;
	size_t count;
	scoped_free struct report_arc *arcs = pbo_pointer_calls(profile, module, &count);

	for (size_t i = 0; i < count; i++) {
		const struct image_unique *around =
			image_unique_around(&writing->uniques, arcs[i].site);
		uint64_t caller =
			around ? around->address : functions[arcs[i].caller].offset;

		add_line(writing, (const uint64_t[]){caller, arcs[i].site - caller},
			 (const uint64_t[]){functions[arcs[i].function].offset, 0},
			 arcs[i].count);
	}
}

/* Other calls by pointers, and those from other modules, and from what has no graph. */
static void add_unknown_callers(struct writing *writing)
{
	vector_for_each (&writing->written, item) {
		const struct report_function *function = *item;
		uint64_t known = 0;
		size_t before = writing->out->length;

		table_find(&writing->called, function->offset, &known);
		if (function->calls <= known)
			continue;
		text_add(writing->out, "0 [unknown] 0 ");
		if (add_place(writing->out,
			      image_unique_at(&writing->uniques, function->offset), 0)) {
			text_format(writing->out, "0 %" PRIu64 "\n",
				    function->calls - known);
			continue;
		}
		writing->out->length = before;
		writing->out->data[before] = '\0';
	}
}

struct trm_error *pbo_fdata(const struct report_profile *profile,
			    const struct report_module *module,
			    struct pbo_result *ret_result, struct text *out)
{
	struct writing writing = {.out = out, .result = ret_result};
	struct walk walk = {
		.profile = profile,
		.module = module,
		.visit = write_function,
		.context = &writing,
	};
	struct image *image;

	*ret_result = (struct pbo_result){0};
	TRM_TRY(annotation_open_image(module, &image));
	struct trm_error *error = image_uniques_init(&writing.uniques, image);

	if (!error) {
		text_add(out, "");
		walk_functions(&walk);
		add_pointer_calls(&writing, profile, module);
		add_unknown_callers(&writing);
		ret_result->written = writing.written.count;
		ret_result->uncounted = walk.uncounted;
	}
	walk_troubles_deinit(&walk.troubles);
	vector_deinit(&writing.written);
	vector_deinit(&writing.uniques);
	table_deinit(&writing.called);
	image_close(image);
	return error;
}
