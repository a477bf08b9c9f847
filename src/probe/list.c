#include "probe/list.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/search.h"
#include "code/points/recipe.h"
#include "code/relocate/cfg.h"
#include "code/scan/plt.h"
#include "image/demangle.h"
#include "image/find.h"
#include "image/imports.h"
#include "probe/frame.h"
#include "probe/idle.h"
#include "probe/loop_points.h"
#include "probe/module.h"

#include <inttypes.h>
#include <string.h>

enum { CALL_POINTS_MAX = 63 };

struct listing {
	struct probe_module *module;
	const struct point_function *function;
	const struct cfg *cfg;
	struct points *points;
	uint64_t owner; /* address of the function, also for its cold parts */
};

static uint64_t pack_recipe(struct probe_recipe recipe)
{
	return (uint64_t)recipe.keep | (uint64_t)recipe.tail << 1 |
	       (uint64_t)recipe.step << 2 | (uint64_t)recipe.operand << 4 |
	       (uint64_t)recipe.probe << 12 | (uint64_t)recipe.point << 24 |
	       (uint64_t)recipe.header << 40;
}

struct probe_recipe probe_recipe_of(uint64_t recipe)
{
	return (struct probe_recipe){
		.keep = recipe & 1,
		.tail = recipe >> 1 & 1,
		.step = recipe >> 2 & 3,
		.operand = (uint8_t)(recipe >> 4),
		.probe = recipe >> 12 & 0xfff,
		.point = (uint16_t)(recipe >> 24),
		.header = (uint32_t)(recipe >> 40),
	};
}

/* Probes run in the order of the program, behind what is kept. */
static void add_point(struct listing *listing, size_t at, enum point_where where,
		      struct probe_recipe recipe)
{
	const bool is_first = recipe.keep || recipe.step == PROBE_LOOP_ENTER ||
			      recipe.step == PROBE_LOOP_AGAIN;

	vector_push(&listing->points->items,
		    ((struct point){
			    .at = (uint32_t)at,
			    .where = (uint8_t)where,
			    .order = is_first ? 0 : 1u + recipe.probe,
			    .recipe = pack_recipe(recipe),
		    }));
}

/* Whether an address is of another function, of which this one is no part. */
static bool leads_out(const struct listing *listing, uint64_t target)
{
	const struct image *image = listing->function->image;
	const struct image_function *function = image_function_around(image, target);

	if (target - listing->cfg->address < listing->cfg->size)
		return false;
	return !function || target - function->address >= function->size ||
	       (function->address != listing->owner &&
		function->part_of != listing->owner);
}

/* The edge by which the last instruction of a block leaves the function; UINT32_MAX: by
 * none. */
static uint32_t edge_out(const struct cfg *cfg, size_t instruction)
{
	vector_for_each (&cfg->blocks, block) {
		if (instruction != block->first + block->count - 1)
			continue;
		for (uint32_t i = 0; i < block->edge_count; i++) {
			const struct cfg_edge *edge =
				&cfg->edges.items[block->first_edge + i];

			if (edge->kind == CFG_EDGE_TAKEN && edge->to == CFG_OUT)
				return block->first_edge + i;
		}
	}
	return UINT32_MAX;
}

/* Whether an instruction is a return, or a jump to another function. */
static bool leaves_function(const struct listing *listing,
			    const struct cfg_instruction *row)
{
	return row->kind == CFG_RETURN || row->kind == CFG_TAIL_INDIRECT ||
	       (row->kind == CFG_JUMP && leads_out(listing, row->target));
}

/* Whether it asks for what a jump to another function leaves unknown: the result, or the
 * whole time. */
static bool asks_for_rest(const struct probe_program *program, uint32_t number)
{
	const struct probe *probe = &program->probes.items[number];

	for (uint32_t i = probe->first_term; i < probe->end_term; i++)
		if (program->terms.items[i].kind == PROBE_RESULT ||
		    program->terms.items[i].kind == PROBE_FLOAT_RESULT ||
		    program->terms.items[i].kind == PROBE_ELAPSED)
			return true;
	return false;
}

static char *owner_name(const struct listing *listing)
{
	const struct image *image = listing->function->image;

	return probe_function_name(image,
				   &image->functions.items[listing->function->owner]);
}

/* A jump to another function, which returns in place of this one. */
static void note_tail(struct listing *listing, uint32_t probe)
{
	struct probe_module *module = listing->module;
	bool known = false;

	if (!asks_for_rest(module->program, probe))
		return;
	pthread_mutex_lock(&module->lock);
	vector_for_each (&module->tails, tail)
		known |= tail->function == listing->owner && tail->probe == probe;
	if (!known)
		vector_push(&module->tails, ((struct probe_tail){listing->owner, probe,
								 owner_name(listing)}));
	pthread_mutex_unlock(&module->lock);
}

/* Returns, and jumps to other functions in place of a call and a return. */
static void list_returns(struct listing *listing, struct probe_recipe recipe)
{
	const struct cfg *cfg = listing->cfg;

	for (size_t i = 0; i < cfg->instructions.count; i++) {
		const struct cfg_instruction *row = &cfg->instructions.items[i];
		uint32_t edge;

		recipe.tail = row->kind != CFG_RETURN;
		if (leaves_function(listing, row)) {
			if (recipe.tail)
				note_tail(listing, recipe.probe);
			add_point(listing, i, POINT_BEFORE, recipe);
		} else if ((row->kind == CFG_CONDITION || row->kind == CFG_LOOP) &&
			   leads_out(listing, row->target)) {
			edge = edge_out(cfg, i);
			note_tail(listing, recipe.probe);
			if (edge != UINT32_MAX)
				add_point(listing, edge, POINT_EDGE, recipe);
		}
	}
}

/* Whether a probe needs the value that an instruction stores: that is there behind it. */
static bool needs_value(const struct probe_module *module, const struct probe *probe)
{
	const struct probe_term *terms = module->program->terms.items;
	size_t from = probe->first_term, to = probe->end_term;

	for (size_t i = from; i < to; i++)
		if (terms[i].kind == PROBE_ACCESS_VALUE)
			return true;
	return false;
}

/* Memory that is read or written by operands of instructions; not by calls, returns, push
 * and pop. */
static void list_accesses(struct listing *listing, struct probe_recipe recipe,
			  bool stores)
{
	const struct cfg *cfg = listing->cfg;
	const struct probe *probe = &listing->module->program->probes.items[recipe.probe];
	enum point_where where = stores && needs_value(listing->module, probe)
					 ? POINT_AFTER
					 : POINT_BEFORE;
	struct recipe_operand operands[RECIPE_OPERANDS_MAX];

	for (size_t i = 0; i < cfg->instructions.count; i++) {
		const struct cfg_instruction *row = &cfg->instructions.items[i];
		size_t count;

		if (row->kind == CFG_CALL || row->kind == CFG_CALL_INDIRECT ||
		    row->kind == CFG_KERNEL || row->kind == CFG_STOP)
			continue;
		count = recipe_operands(cfg->bytes + row->offset, row->length, operands);
		for (size_t k = 0; k < count; k++) {
			if (operands[k].stack ||
			    !(stores ? operands[k].writes : operands[k].reads))
				continue;
			recipe.operand = (uint8_t)k;
			add_point(listing, i, where, recipe);
		}
	}
}

static void note_no_instruction(struct listing *listing, uint32_t probe, uint64_t address)
{
	struct probe_module *module = listing->module;
	struct text line = {0};

	text_format(&line, "the probe \"%s\": in %s no instruction begins at 0x%" PRIx64,
		    module->program->probes.items[probe].name, path_name(module->path),
		    address);
	pthread_mutex_lock(&module->lock);
	if (!module->trouble.length || !strstr(module->trouble.data, line.data))
		text_format(&module->trouble, "%s%s", module->trouble.length ? "\n" : "",
			    line.data);
	pthread_mutex_unlock(&module->lock);
	text_deinit(&line);
}

/* The instruction at an address, or, for lines, the next one. */
static void list_address(struct listing *listing, struct probe_recipe recipe,
			 uint64_t address)
{
	const struct cfg *cfg = listing->cfg;
	uint32_t offset = (uint32_t)(address - cfg->address);
	size_t at = search_first(cfg->instructions.count, index,
				 cfg->instructions.items[index].offset < offset);

	const struct probe_point *point =
		&listing->module->program->probes.items[recipe.probe]
			 .points.items[recipe.point];

	/* Lines may begin with what is no instruction of the function. */
	if (point->place == PROBE_ADDRESS &&
	    (at == cfg->instructions.count ||
	     cfg->instructions.items[at].offset != offset))
		note_no_instruction(listing, recipe.probe, address);
	else if (at < cfg->instructions.count)
		add_point(listing, at, POINT_BEFORE, recipe);
}

static bool leaves_at(void *context, uint32_t instruction)
{
	const struct listing *listing = context;

	return leaves_function(listing, &listing->cfg->instructions.items[instruction]);
}

static bool is_loop(const struct probe_module *module, const struct probe_match *match)
{
	return module->program->probes.items[match->probe]
		       .points.items[match->point]
		       .place == PROBE_LOOP;
}

/* What counts trips, once for all probes; and for each probe where loops are left. */
static void list_loops(struct listing *listing)
{
	struct probe_loop_points places = {0};

	probe_loop_points_find(listing->function, leaves_at, listing, &places);
	vector_for_each (&places, place) {
		struct probe_recipe recipe = {.operand = place->loop,
					      .step = (uint8_t)place->step,
					      .header = place->header};

		if (place->step != PROBE_LOOP_LEAVE) {
			add_point(listing, place->at, place->where, recipe);
			continue;
		}
		vector_for_each (&listing->module->matches, match) {
			if (match->function != listing->owner ||
			    !is_loop(listing->module, match))
				continue;
			recipe.probe = match->probe;
			recipe.point = match->point;
			add_point(listing, place->at, place->where, recipe);
		}
	}
	vector_for_each (&listing->module->matches, match)
		if (match->function == listing->owner && is_loop(listing->module, match))
			probe_idle_note(listing->module,
					(size_t)(match - listing->module->matches.items),
					places.count > 0);
	vector_deinit(&places);
}

static void list_places(struct listing *listing, const struct probe_match *match)
{
	struct probe_recipe recipe = {.probe = match->probe, .point = match->point};
	const struct probe_point *point =
		&listing->module->program->probes.items[match->probe]
			 .points.items[match->point];

	/* What has no graph has no code either, and is only told. */
	if (!listing->cfg) {
		add_point(listing, 0, POINT_ENTRY, recipe);
		return;
	}
	switch (point->place) {
	case PROBE_ENTRY:
		if (!listing->function->is_part)
			add_point(listing, 0, POINT_ENTRY, recipe);
		break;
	case PROBE_RETURN:
		list_returns(listing, recipe);
		break;
	case PROBE_LOAD:
	case PROBE_STORE:
		list_accesses(listing, recipe, point->place == PROBE_STORE);
		break;
	case PROBE_ADDRESS:
	case PROBE_LINE:
		list_address(listing, recipe, match->address);
		break;
	default:
		break;
	}
}

/* Those of loops are listed for all matches together. */
static void list_match(struct listing *listing, const struct probe_match *match)
{
	const size_t before = listing->points->items.count;

	list_places(listing, match);
	if (!listing->cfg || !is_loop(listing->module, match))
		probe_idle_note(listing->module,
				(size_t)(match - listing->module->matches.items),
				listing->points->items.count > before);
}

/* A bit for each point F@call of the program, in order, that a name is of. */
static uint64_t points_of_name(struct probe_module *module,
			       const struct image_function *function, const char *name)
{
	uint64_t found = 0, bit = 1;

	vector_for_each (&module->program->probes, probe)
		vector_for_each (&probe->points, point) {
			if (point->place != PROBE_CALL ||
			    !probe_point_concerns(point, module->path))
				continue;
			if (function ? probe_point_has(point, module->image, function,
						       name)
				     : probe_point_names(point, name))
				found |= bit;
			point->matched |= (found & bit) != 0;
			bit = bit << 1 ?: 1;
		}
	return found;
}

static uint64_t points_of_function(struct probe_module *module, uint64_t address)
{
	const struct image *image = module->image;
	size_t index = image_function_at(image, address);

	if (index == image->functions.count)
		return 0;
	scoped_free char *name =
		probe_function_name(image, &image->functions.items[index]);

	return points_of_name(module, &image->functions.items[index], name);
}

/* Of a word that the loader fills. */
static uint64_t points_of_word(struct probe_module *module, uint64_t word)
{
	const struct image_link *link = image_link_at(module->image, word);
	const char *import = image_import_at(module->image, word);

	if (import && *import) {
		scoped_free char *name = image_demangle(import);

		return points_of_name(module, NULL, name);
	}
	return link ? points_of_function(module, link->function) : 0;
}

/* Which points F@call a call or jump is one for: by its target, or, if `indirect`, the
 * word that has it. */
static uint64_t points_of_target(struct probe_module *module, uint64_t target,
				 bool indirect)
{
	uint64_t word = indirect ? target : plt_word(module->image, target), found;
	uint64_t *known;
	bool made;

	pthread_mutex_lock(&module->lock);
	known = table_insert(&module->callees, word ?: target, &made);
	if (made)
		*known = word ? points_of_word(module, word)
			      : points_of_function(module, target);
	found = *known;
	pthread_mutex_unlock(&module->lock);
	return found;
}

static void add_calls(struct listing *listing, size_t at, uint64_t found)
{
	const struct probe_program *program = listing->module->program;
	uint64_t bit = 1;

	for (size_t i = 0; i < program->probes.count && found; i++) {
		const struct probe *probe = &program->probes.items[i];

		for (size_t k = 0; k < probe->points.count; k++) {
			const struct probe_point *point = &probe->points.items[k];

			if (point->place != PROBE_CALL ||
			    !probe_point_concerns(point, listing->module->path))
				continue;
			if (found & bit)
				add_point(listing, at, POINT_BEFORE,
					  (struct probe_recipe){.probe = (uint16_t)i,
								.point = (uint16_t)k});
			bit = bit << 1 ?: 1;
		}
	}
}

/* Calls and jumps to other functions. */
static void list_calls(struct listing *listing)
{
	const struct cfg *cfg = listing->cfg;

	for (size_t i = 0; i < cfg->instructions.count; i++) {
		const struct cfg_instruction *row = &cfg->instructions.items[i];
		bool indirect =
			row->kind == CFG_CALL_INDIRECT || row->kind == CFG_TAIL_INDIRECT;

		if (row->kind == CFG_CALL ||
		    (row->kind == CFG_JUMP && leads_out(listing, row->target)) ||
		    (indirect && row->relative))
			add_calls(
				listing, i,
				points_of_target(listing->module, row->target, indirect));
	}
}

bool probe_source_wants(void *context, const struct image *image, const char *name,
			uint64_t address)
{
	const struct probe_module *module = context;

	(void)image;
	(void)name;
	if (module->calls)
		return true;
	vector_for_each (&module->matches, match) {
		/* What has no function that is known yet may be in any. */
		if (match->function == address || (match->address && !match->function))
			return true;
	}
	return false;
}

void probe_source_list(void *context, const struct point_function *function,
		       struct points *ret_points)
{
	struct probe_module *module = context;
	const struct image_function *rows = function->image->functions.items;
	struct listing listing = {
		.module = module,
		.function = function,
		.cfg = function->cfg,
		.points = ret_points,
		.owner = rows[function->owner].address,
	};
	uint64_t start = rows[function->index].address;
	bool loops = false;

	vector_for_each (&module->matches, match) {
		bool here = match->address
				    ? match->address - start < rows[function->index].size
				    : match->function == listing.owner;

		if (here)
			list_match(&listing, match);
		loops |= here && is_loop(module, match);
	}
	if (!listing.cfg)
		return;
	if (module->calls)
		list_calls(&listing);
	if (loops)
		list_loops(&listing);
	if (!function->is_part && probe_keeps_frame(module, listing.owner))
		add_point(&listing, 0, POINT_ENTRY, (struct probe_recipe){.keep = true});
}
