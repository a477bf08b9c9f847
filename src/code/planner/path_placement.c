#include "code/planner/path_placement.h"

#include "base/cleanup.h"
#include "code/count/path_counts.h"
#include "code/relocate/path_emit.h"
#include "code/relocate/whole_emit.h"
#include "code/scan/plt.h"
#include "image/imports.h"

#include <string.h>

static const struct cfg_instruction *last_of(const struct cfg *cfg, uint32_t block)
{
	const struct cfg_block *row = &cfg->blocks.items[block];

	return &cfg->instructions.items[row->first + row->count - 1];
}

static bool returns_twice(const char *name)
{
	static const char *const names[] = {
		"setjmp",     "_setjmp",      "__setjmp", "sigsetjmp", "__sigsetjmp",
		"getcontext", "__getcontext", "vfork",    "__vfork",   "savectx",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Whether a system call may be one that makes a thread or process, which goes on behind
 * it, too: its number, which is set in the same block, says that it is not. */
static bool may_make_thread(const struct cfg *cfg, uint32_t first, uint32_t call)
{
	enum { CLONE = 56, VFORK = 58, CLONE3 = 435, SET_EAX = 0xb8 };
	int32_t number;

	for (uint32_t i = call; i-- > first;) {
		const struct cfg_instruction *row = &cfg->instructions.items[i];
		const uint8_t *bytes = cfg->bytes + row->offset;

		if (row->kind != CFG_PLAIN)
			return true;
		if (row->length == 2 && (bytes[0] == 0x31 || bytes[0] == 0x33) &&
		    bytes[1] == 0xc0)
			return false;
		if (row->length != 5 || bytes[0] != SET_EAX)
			continue;
		memcpy(&number, bytes + 1, sizeof(number));
		return (number >= CLONE && number <= VFORK) || number == CLONE3;
	}
	return true;
}

static bool makes_threads(const struct cfg *cfg)
{
	vector_for_each (&cfg->blocks, block)
		for (uint32_t i = 0; i < block->count; i++)
			if (cfg->instructions.items[block->first + i].kind ==
				    CFG_KERNEL &&
			    may_make_thread(cfg, block->first, block->first + i))
				return true;
	return false;
}

/* Whether a call may come back more than once. What reads its return address and has no
 * name may be setjmp. */
static bool may_return_twice(const struct plan_builder *builder,
			     const struct cfg_instruction *row)
{
	const struct image *image = builder->image;
	const char *name = NULL;
	int64_t callee;

	if (row->kind == CFG_CALL_INDIRECT && row->relative)
		name = image_import_at(image, row->target);
	if (row->kind == CFG_CALL) {
		uint64_t word = plt_word(image, row->target);

		if (word)
			name = image_import_at(image, word);
		callee = code_map_function_at(&builder->scan.map, row->target);
		if (callee >= 0) {
			uint32_t at = image->functions.items[callee].name;

			name = at ? image->names.items + at : NULL;
			if (!name && builder->returns.readers &&
			    builder->returns.readers[callee])
				return true;
		}
	}
	return name && returns_twice(name);
}

/* Whether a switch shares its table with another one, so that its edges have no code of
 * their own. */
static bool shares_table(const struct cfg *cfg, uint32_t block)
{
	const uint64_t table = last_of(cfg, block)->target;

	for (uint32_t i = 0; table && i < cfg->blocks.count; i++)
		if (i != block && last_of(cfg, i)->kind == CFG_SWITCH &&
		    (!last_of(cfg, i)->target || last_of(cfg, i)->target == table))
			return true;
	return !table;
}

/* Whether threads are away from a block in a way that probes can tell. */
static enum path_bar find_block_bar(const struct whole *whole, uint32_t block)
{
	const struct cfg *cfg = whole->cfg;
	const struct cfg_block *row = &cfg->blocks.items[block];
	const struct path_stretch stretch = whole->stretches.items[block];
	const struct cfg_instruction *last = last_of(cfg, block);

	if (whole->blocks.items[block].stub != WHOLE_NONE ||
	    whole->blocks.items[block].jumped)
		return PATH_BAR_STUB;
	if (stretch.end > stretch.first && stretch.end == row->first + row->count &&
	    last->kind != CFG_STOP && !cfg_is_in_place(last) && last->kind != CFG_PLAIN)
		return PATH_BAR_PLACE;
	return PATH_BAR_NONE;
}

/* Whether all that runs in the original can be led through probes. */
static enum path_bar find_bar(struct plan_builder *builder)
{
	struct whole *whole = &builder->current.whole;
	const struct cfg *cfg = &builder->current.cfg;
	enum path_bar bar;

	if (whole->points)
		return PATH_BAR_POINTS;
	if (!whole->follows || !whole->entry_patched)
		return PATH_BAR_ENTRY;
	vector_for_each (&cfg->instructions, row)
		if (may_return_twice(builder, row))
			return PATH_BAR_TWICE;
	if (makes_threads(cfg))
		return PATH_BAR_THREAD;
	bar = path_emit_prepare(whole);
	for (uint32_t b = 0; !bar && b < cfg->blocks.count; b++)
		bar = find_block_bar(whole, b);
	return bar;
}

/* Whether a probe of an edge has a place, if it needs one. */
static bool has_place(const struct whole *whole, const struct cfg_edge *edge)
{
	const struct cfg *cfg = whole->cfg;
	const struct cfg_block *from = &cfg->blocks.items[edge->from];
	const uint32_t last = from->first + from->count - 1;

	if (edge->kind == CFG_EDGE_SWITCH)
		return !whole->live && !shares_table(cfg, edge->from) &&
		       edge->to != CFG_OUT;
	if (edge->kind != CFG_EDGE_FALL || !whole_in_place(whole, last))
		return true;
	/* Calls in place come back to a jump at the start of the next block. */
	return edge->to != CFG_OUT && !cfg->blocks.items[edge->to].exposed &&
	       whole_fall_patch(whole, edge->to);
}

/* Whether a call at the end of a block comes back where there is no probe. Where other
 * code enters the function, too, a path begins. */
static bool loses_calls(const struct whole *whole)
{
	const struct cfg *cfg = whole->cfg;

	vector_for_each (&cfg->edges, edge) {
		const struct cfg_block *from = &cfg->blocks.items[edge->from];

		if (edge->kind == CFG_EDGE_FALL && edge->to != CFG_OUT &&
		    whole->original.items[from->first + from->count - 1] &&
		    !cfg->blocks.items[edge->to].exposed && !has_place(whole, edge))
			return true;
	}
	return false;
}

static bool leaves_without_probe(const struct whole *whole, const struct paths *paths)
{
	const struct cfg *cfg = whole->cfg;

	for (uint32_t i = 0; i < cfg->edges.count; i++)
		if (path_emit_has_edge(whole, paths, i) &&
		    !has_place(whole, &cfg->edges.items[i]))
			return true;
	return false;
}

/* How often a probe on each edge would run, weighed by what it costs. */
static float *weigh_edges(const struct whole *whole, const float *passes)
{
	const struct cfg *cfg = whole->cfg;
	float *weights = memory_allocate((cfg->edges.count + 1) * sizeof(*weights));

	for (uint32_t i = 0; i < cfg->edges.count; i++) {
		const struct cfg_edge *edge = &cfg->edges.items[i];
		bool apart = edge->to != CFG_OUT &&
			     whole->alone.items[edge->to] == WHOLE_NONE &&
			     whole_edge_has_piece(whole, edge);

		weights[i] = passes[i] * (apart ? 2 : 1);
	}
	return weights;
}

static bool number_paths(struct plan_builder *builder, const struct plan_function *row,
			 const float *passes, struct paths *ret_paths)
{
	const struct whole *whole = &builder->current.whole;
	const struct cfg *cfg = &builder->current.cfg;
	scoped_free float *weights = weigh_edges(whole, passes);
	scoped_free bool *bare =
		memory_allocate_zeroed(cfg->edges.count + 1, sizeof(*bare));

	for (uint32_t i = 0; i < cfg->edges.count; i++)
		bare[i] = !has_place(whole, &cfg->edges.items[i]) &&
			  (cfg->edges.items[i].to == CFG_OUT ||
			   whole->alone.items[cfg->edges.items[i].to] == WHOLE_NONE);
	return path_counts_number(builder->plan, row, weights, bare, ret_paths);
}

static void take_slots(struct plan_builder *builder, struct plan_function *row,
		       const struct paths *paths)
{
	uint32_t count = PATH_SLOTS + (uint32_t)paths->count;

	/* Numbers of blocks are told as displacements: see path_probe_go. */
	if (count < (row->block_count + 2) / 8 + 1)
		count = (row->block_count + 2) / 8 + 1;
	for (uint32_t i = 1; i < count; i++)
		builder_new_slot(builder, row->slot >= BUILDER_COLD);
	row->paths = (uint32_t)paths->count;
}

static void choose_probes(struct plan_builder *builder, const struct plan_function *row)
{
	struct whole *whole = &builder->current.whole;
	const struct cfg *cfg = &builder->current.cfg;
	struct plan_block *blocks = builder->plan->blocks.items + row->first_block;

	whole->entry_slot = WHOLE_NONE;
	whole->paths = &builder->current.followed;
	for (uint32_t b = 0; b < cfg->blocks.count; b++) {
		whole->blocks.items[b].slot = WHOLE_NONE;
		blocks[b].slot = PLAN_NO_SLOT;
		blocks[b].first_term = (uint32_t)builder->current.paths.offsets[b];
		builder->current.followed.calls |=
			whole->stretches.items[b].first != whole->stretches.items[b].end;
	}
	vector_reserve(&whole->edges, cfg->edges.count);
	whole->edges.count = cfg->edges.count;
	for (uint32_t i = 0; i < cfg->edges.count; i++)
		whole->edges.items[i] = (struct whole_edge){
			.slot = path_emit_has_edge(whole, &builder->current.paths, i)
					? 0
					: WHOLE_NONE,
			.code = WHOLE_NONE,
		};
}

/* Whether the counter of the function's calls is the last one, behind which others fit.
 */
static bool is_last_slot(const struct plan_builder *builder,
			 const struct plan_function *row)
{
	return row->slot + 1 == (row->slot < BUILDER_COLD
					 ? builder->plan->slot_count
					 : BUILDER_COLD + builder->out.cold_count);
}

static enum path_bar place_probes(struct plan_builder *builder, struct plan_function *row,
				  const float *passes)
{
	struct paths *paths = &builder->current.paths;
	enum path_bar bar = find_bar(builder);

	if (bar)
		return bar;
	if (loses_calls(&builder->current.whole) || !is_last_slot(builder, row))
		return PATH_BAR_PLACE;
	if (builder->current.cfg.edges.count > PATH_COUNTS_LIMIT)
		return PATH_BAR_EDGES;
	paths_deinit(paths);
	if (!number_paths(builder, row, passes, paths) ||
	    leaves_without_probe(&builder->current.whole, paths))
		return PATH_BAR_PLACE;
	live_registers_find(&builder->current.live, &builder->current.cfg);
	builder->current.followed = (struct whole_paths){
		.live = &builder->current.live,
		.paths = paths,
		.words = {.first = row->slot * builder->plan->slot_size,
			  .bank = &builder->request->hook_layout.path},
	};
	take_slots(builder, row, paths);
	choose_probes(builder, row);
	return PATH_BAR_NONE;
}

bool path_placement_choose(struct plan_builder *builder, struct plan_function *row,
			   const float *passes)
{
	row->path_bar = (uint8_t)place_probes(builder, row, passes);
	return !row->path_bar;
}
