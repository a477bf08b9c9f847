/* For BOLT: a line for each branch, "1 FUNCTION OFFSET 1 FUNCTION OFFSET MISSES COUNT".
 */
#include "derive/fdata.h"

#include "base/cleanup.h"
#include "derive/estimate.h"
#include "derive/pbo.h"
#include "derive/pointers.h"
#include "image/open.h"
#include "image/unique.h"

#include <inttypes.h>
#include <string.h>

/* A place in a function; without one, it is not known. */
struct end {
	const struct image_unique *function;
	uint64_t offset;
};

struct branch {
	struct end from, to;
	uint64_t count;
};

struct writing {
	struct pbo_result *result;
	struct image_uniques uniques;
	struct VECTOR(struct branch) branches; /* each pair of ends once */
	struct table by_ends;                  /* hash of them: index in branches */
	struct table called; /* by address of a function: calls that have a line */
	struct VECTOR(const struct report_function *) written;
};

/* BOLT reads numbers of 63 bits. */
static uint64_t add_counts(uint64_t a, uint64_t b)
{
	return a > INT64_MAX || b > INT64_MAX - a ? INT64_MAX : a + b;
}

/* Names with line ends have no form. */
static struct end end_at(const struct writing *writing, const uint64_t place[2])
{
	const struct image_unique *function =
		image_unique_at(&writing->uniques, place[0]);

	if (function && strchr(function->name, '\n'))
		function = NULL;
	return (struct end){function, place[1]};
}

/* Several ways may lead from one place to another: a jump to what is behind it. */
static void add_branch(struct writing *writing, struct end from, struct end to,
		       uint64_t count)
{
	const uint64_t ends[] = {from.function ? from.function->address : UINT64_MAX,
				 from.offset, to.function->address, to.offset};
	bool new;
	uint64_t *index =
		table_insert(&writing->by_ends, hash_bytes(ends, sizeof(ends)), &new);

	if (new) {
		*index = writing->branches.count;
		vector_push(&writing->branches, ((struct branch){from, to, 0}));
	}
	struct branch *branch = &writing->branches.items[*index];

	branch->count = add_counts(branch->count, count);
}

/* Places are the addresses of functions, and offsets in them. What has no name has no
 * line. */
static void add_line(struct writing *writing, const uint64_t from[2],
		     const uint64_t to[2], uint64_t count)
{
	struct end source = end_at(writing, from), target = end_at(writing, to);

	if (!count || !source.function || !target.function)
		return;
	add_branch(writing, source, target, count);
	if (!to[1] && to[0] != from[0])
		*table_insert(&writing->called, to[0], NULL) += count;
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
	if (!end_at(writing, (uint64_t[]){start, 0}).function) {
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

/* Those that are known, of a profile with calls by call site. */
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
		struct end end = end_at(writing, (uint64_t[]){function->offset, 0});
		uint64_t known = 0;

		table_find(&writing->called, function->offset, &known);
		if (function->calls > known && end.function)
			add_branch(writing, (struct end){0}, end,
				   function->calls - known);
	}
}

/* Fields end at blanks: those in names, and what says so, have a backslash in front. */
static void write_name(struct text *out, const char *name)
{
	for (size_t length; *name; name += length) {
		length = strcspn(name, " \\");
		text_add_bytes(out, name, length);
		if (!name[length])
			return;
		text_format(out, "\\%c", name[length]);
		length++;
	}
}

/* "1 name/2 1f " */
static void write_end(struct text *out, struct end end)
{
	if (!end.function) {
		text_add(out, "0 [unknown] 0 ");
		return;
	}
	text_add(out, "1 ");
	write_name(out, end.function->name);
	if (end.function->number)
		text_format(out, "/%" PRIu32, end.function->number);
	text_format(out, " %" PRIx64 " ", end.offset);
}

static void write_branches(const struct writing *writing, struct text *out)
{
	text_add(out, "");
	vector_for_each (&writing->branches, branch) {
		write_end(out, branch->from);
		write_end(out, branch->to);
		text_format(out, "0 %" PRIu64 "\n", branch->count);
	}
}

struct trm_error *pbo_fdata(const struct report_profile *profile,
			    const struct report_module *module,
			    struct pbo_result *ret_result, struct text *out)
{
	struct writing writing = {.result = ret_result};
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
		walk_functions(&walk);
		add_pointer_calls(&writing, profile, module);
		add_unknown_callers(&writing);
		write_branches(&writing, out);
		ret_result->written = writing.written.count;
		ret_result->uncounted = walk.uncounted;
	}
	walk_troubles_deinit(&walk.troubles);
	vector_deinit(&writing.written);
	vector_deinit(&writing.uniques);
	vector_deinit(&writing.branches);
	table_deinit(&writing.by_ends);
	table_deinit(&writing.called);
	image_close(image);
	return error;
}
