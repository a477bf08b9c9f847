#include "code/relocate/point_places.h"

#include "base/search.h"
#include "code/relocate/map_rows.h"
#include "x86/flags.h"

#include <stdlib.h>

static const struct cfg_instruction *last_of(const struct cfg *cfg, uint32_t block)
{
	const struct cfg_block *row = &cfg->blocks.items[block];

	return &cfg->instructions.items[row->first + row->count - 1];
}

/* The block that an instruction belongs to. */
static uint32_t block_with(const struct cfg *cfg, uint32_t instruction)
{
	return (uint32_t)search_first(cfg->blocks.count, middle,
				      cfg->blocks.items[middle].first <= instruction) -
	       1;
}

/* Whether only one switch uses the table of the one at the end of a block. */
static bool has_own_table(const struct cfg *cfg, uint32_t block)
{
	const uint64_t table = last_of(cfg, block)->target;
	unsigned users = 0;

	for (uint32_t b = 0; b < cfg->blocks.count; b++)
		users += last_of(cfg, b)->kind == CFG_SWITCH &&
			 (!last_of(cfg, b)->target || last_of(cfg, b)->target == table);
	return table && users == 1;
}

/* Has a point behind the last instruction of a block be on the edge by which it is left.
 */
static enum point_trouble move_behind(const struct cfg *cfg, struct point *point)
{
	const uint32_t block = block_with(cfg, point->at);
	const struct cfg_block *row = &cfg->blocks.items[block];
	const uint32_t edge = row->first_edge + row->edge_count - 1;

	if (point->at + 1 < row->first + row->count)
		return POINT_PLACED;
	if (!row->edge_count || cfg->edges.items[edge].kind != CFG_EDGE_FALL)
		return POINT_NO_PLACE;
	point->where = POINT_EDGE;
	point->at = edge;
	return POINT_PLACED;
}

/* Has a point on the only edge of a block be in front of the jump. */
static enum point_trouble move_edge(const struct cfg *cfg, struct point *point)
{
	const struct cfg_edge *edge = &cfg->edges.items[point->at];
	const struct cfg_block *from = &cfg->blocks.items[edge->from];
	const struct cfg_instruction *last = last_of(cfg, edge->from);

	if (last->kind == CFG_JUMP || edge->kind == CFG_EDGE_RETURN) {
		point->where = POINT_BEFORE;
		point->at = from->first + from->count - 1;
	} else if (edge->kind == CFG_EDGE_SWITCH && !has_own_table(cfg, edge->from)) {
		return POINT_NO_PLACE;
	}
	return POINT_PLACED;
}

static enum point_trouble find_place(const struct point_places *places,
				     struct point *point)
{
	const struct cfg *cfg = places->function.cfg;
	const size_t count =
		point->where == POINT_EDGE ? cfg->edges.count : cfg->instructions.count;

	if (point->at >= count ||
	    (point->where == POINT_ENTRY && places->function.is_part))
		return POINT_NO_PLACE;
	if (point->where == POINT_AFTER)
		return move_behind(cfg, point);
	return point->where == POINT_EDGE ? move_edge(cfg, point) : POINT_PLACED;
}

static int compare_points(const void *left, const void *right)
{
	const struct point *a = left, *b = right;

	if (a->where != b->where)
		return a->where < b->where ? -1 : 1;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Sorts points; of equal ones the order remains. */
static void sort_points(struct points *list)
{
	for (size_t i = 0; i < list->items.count; i++)
		list->items.items[i].number = (uint32_t)i;
	qsort(list->items.items, list->items.count, sizeof(*list->items.items),
	      compare_points);
}

/* Points that have no place go to the end, with their trouble. */
enum { NOWHERE = UINT8_MAX };

static void find_places(struct point_places *places)
{
	vector_for_each (&places->list.items, point)
		if (find_place(places, point))
			point->where = NOWHERE;
	sort_points(&places->list);
	places->on_edges = false;
	for (size_t i = 0; i < places->list.items.count; i++) {
		const struct point *point = &places->list.items.items[i];

		places->on_edges |= point->where == POINT_EDGE;
		places->states.items[i].trouble =
			point->where == NOWHERE ? POINT_NO_PLACE : POINT_STAYS;
	}
}

/* Lists the points of one source behind those of others. */
static bool list_source(struct point_places *places, uint32_t index)
{
	const struct point_source *source = places->sources->items[index];
	const size_t first = places->list.items.count;

	places->list.slots = places->list.first_max = 0;
	source->list(source->context, &places->function, &places->list);
	for (size_t i = first; i < places->list.items.count; i++)
		places->list.items.items[i].source = (uint8_t)index;
	places->slots[index] = (struct plan_point_slots){
		.function = places->function.index,
		.slot_count = places->list.slots,
		.first_max = places->list.first_max < places->list.slots &&
					     places->list.first_max
				     ? places->list.first_max
				     : places->list.slots,
		.source = index,
	};
	return places->list.items.count > first || places->list.slots;
}

bool point_places_list(struct point_places *places)
{
	bool any = false;

	places->list.items.count = 0;
	for (uint32_t i = 0; i < places->sources->count; i++)
		any |= list_source(places, i);
	vector_reserve(&places->states, places->list.items.count + 1);
	places->states.count = places->list.items.count;
	if (places->states.count)
		memset(places->states.items, 0,
		       places->states.count * sizeof(*places->states.items));
	places->on_edges = false;
	if (places->function.cfg && places->list.items.count) {
		find_places(places);
		live_registers_find(&places->live, places->function.cfg);
	}
	return any;
}

void point_places_take_slots(struct point_places *places, struct plan *plan)
{
	places->module = plan->points.module.items;
	for (uint32_t i = 0; i < places->sources->count; i++) {
		struct plan_point_slots *slots = &places->slots[i];

		slots->first_slot = plan->slot_count;
		plan->slot_count += slots->slot_count;
		if (slots->slot_count)
			vector_push(&plan->points.slots, *slots);
	}
}

/* What is alive at the start of a block, or outside. */
static void find_alive(const struct point_places *places, uint32_t block,
		       struct recipe_place *place)
{
	const struct cfg *cfg = places->function.cfg;

	place->live = LIVE_ALL;
	place->flags = FLAGS_ALL;
	if (block == CFG_OUT)
		return;
	place->live = places->live.before.items[cfg->blocks.items[block].first];
	place->flags = cfg->blocks.items[block].live_in;
}

/* The number of the instruction at a point. */
static uint32_t instruction_of(const struct cfg *cfg, const struct point *point)
{
	const struct cfg_block *from;

	if (point->where != POINT_EDGE)
		return point->at;
	from = &cfg->blocks.items[cfg->edges.items[point->at].from];
	return from->first + from->count - 1;
}

static struct recipe_place place_of(const struct point_places *places,
				    const struct point *point)
{
	const struct cfg *cfg = places->function.cfg;
	const uint32_t number = instruction_of(cfg, point);
	const struct cfg_instruction *row = &cfg->instructions.items[number];
	const uint32_t next = number + (point->where == POINT_AFTER);
	struct recipe_place place = {
		.bytes = cfg->bytes + row->offset,
		.length = row->length,
		.where = point->where,
		.address = cfg->address + row->offset,
		.behind_call = row->kind == CFG_CALL || row->kind == CFG_CALL_INDIRECT,
		.first_slot = places->slots[point->source].first_slot,
		.module_slot = places->module[point->source].first_slot,
		.layout = places->layout,
		.may_return = places->may_return,
	};

	/* Behind the last instruction: its value of the program is that behind it. */
	if (point->where == POINT_EDGE) {
		place.where = POINT_AFTER;
		find_alive(places, cfg->edges.items[point->at].to, &place);
	} else if (point->where == POINT_ENTRY) {
		find_alive(places, 0, &place);
	} else {
		place.live = places->live.before.items[next];
		place.flags = places->live.flags.items[next];
	}
	place.live |= places->wanted;
	return place;
}

/* Measures all points. Returns registers that some read though the program does not. */
static uint16_t measure_all(struct point_places *places, uint64_t address)
{
	uint16_t wanted = 0;

	for (size_t i = 0; i < places->list.items.count; i++) {
		const struct point *point = &places->list.items.items[i];
		struct point_state *state = &places->states.items[i];
		struct recipe_place place;
		enum point_trouble trouble;

		if (state->trouble == POINT_NO_PLACE)
			continue;
		place = place_of(places, point);
		trouble = recipe_measure(&places->recipe, address, &place,
					 places->sources->items[point->source],
					 &places->function, point, &state->needs);
		state->trouble = trouble ? (uint8_t)trouble : POINT_STAYS;
		wanted |= (uint16_t)(state->needs.read & ~place.live);
	}
	return wanted;
}

/* A register that one point reads must not be changed by another one in front of it, even
 * if the program does not need it any more. */
size_t point_places_measure(struct point_places *places, uint64_t address)
{
	places->wanted = 0;
	places->wanted = measure_all(places, address);
	if (places->wanted)
		measure_all(places, address);
	return point_places_size(places);
}

size_t point_places_size(const struct point_places *places)
{
	size_t size = 0;

	for (size_t i = 0; places && i < places->states.count; i++)
		size += places->states.items[i].needs.size;
	return size;
}

/* The first point at a place or behind it. */
static size_t first_at(const struct point_places *places, enum point_where where,
		       uint32_t at)
{
	const struct point *points = places->list.items.items;

	return search_first(
		places->list.items.count, middle,
		points[middle].where < where ||
			(points[middle].where == where && points[middle].at < at));
}

static bool is_at(const struct point_places *places, size_t i, enum point_where where,
		  uint32_t at)
{
	return i < places->list.items.count &&
	       places->list.items.items[i].where == where &&
	       places->list.items.items[i].at == at;
}

bool point_places_have(const struct point_places *places, enum point_where where,
		       uint32_t at)
{
	return places && is_at(places, first_at(places, where, at), where, at);
}

/* Adds rows for the code of a point from `from` on, up to `end`. */
static void add_rows(struct emitter *emitter, size_t from, size_t end, unsigned flags,
		     unsigned *more)
{
	const size_t count = emitter->count;

	while (from < end) {
		const size_t part =
			end - from > MAP_ROW_CODE_MAX ? MAP_ROW_CODE_MAX : end - from;
		const bool last = from + part == end;

		emitter->count = from + part;
		map_row_add(emitter, MAP_ROW_POINT,
			    (flags & (last ? ~0u : ~(unsigned)MAP_POINT_CALLS)) | *more,
			    from);
		from += part;
		*more = MAP_POINT_MORE;
	}
	emitter->count = count;
}

static void write_point(struct point_places *places, struct emitter *emitter, size_t i,
			unsigned flags)
{
	const struct point *point = &places->list.items.items[i];
	const struct recipe_place place = place_of(places, point);
	struct recipe *recipe = &places->recipe;
	size_t from = emitter->count;
	unsigned more = 0;

	recipe_write(recipe, emitter, &place, places->sources->items[point->source],
		     &places->function, point, &places->states.items[i].needs);
	for (unsigned call = 0; call < recipe->call_count; call++) {
		add_rows(emitter, from, recipe->calls[call],
			 flags | (recipe->unmade ? 0 : MAP_POINT_CALLS), &more);
		from = recipe->calls[call];
	}
	if (recipe->replaces) {
		const size_t end = emitter->count - RECIPE_RETURN_SIZE;

		add_rows(emitter, from, end, flags, &more);
		from = end;
		more = 0;
	}
	add_rows(emitter, from, emitter->count, flags, &more);
}

void point_places_emit(struct point_places *places, struct emitter *emitter,
		       enum point_where where, uint32_t at, unsigned flags)
{
	for (size_t i = places ? first_at(places, where, at) : 0;
	     places && is_at(places, i, where, at); i++) {
		struct point_state *state = &places->states.items[i];

		if (state->trouble && state->trouble != POINT_STAYS)
			continue;
		state->trouble = POINT_PLACED;
		if (emitter->plan)
			write_point(places, emitter, i, flags);
		else if (emitter->capacity - emitter->count < state->needs.size)
			emitter->full = true;
		else
			emitter->count += state->needs.size;
	}
}

static uint64_t address_of(const struct point_places *places, const struct point *point)
{
	const struct cfg *cfg = places->function.cfg;

	if (!cfg)
		return places->function.image->functions.items[places->function.index]
			.address;
	if (point->where == NOWHERE || !cfg->instructions.count)
		return cfg->address;
	return cfg->address + cfg->instructions.items[instruction_of(cfg, point)].offset;
}

void point_places_tell(const struct point_places *places, struct plan *plan,
		       bool relocated)
{
	for (size_t i = 0; i < places->list.items.count; i++) {
		const struct point *point = &places->list.items.items[i];
		const uint8_t trouble =
			relocated ? places->states.items[i].trouble : POINT_NOT_RELOCATED;

		if (!trouble) {
			plan->points.count++;
			continue;
		}
		vector_push(&plan->points.troubles,
			    ((struct plan_point_trouble){
				    .address = address_of(places, point),
				    .function = places->function.index,
				    .trouble = trouble,
				    .source = point->source,
				    .recipe = point->recipe,
			    }));
	}
}

void point_places_deinit(struct point_places *places)
{
	vector_deinit(&places->list.items);
	vector_deinit(&places->states);
	live_registers_deinit(&places->live);
	recipe_deinit(&places->recipe);
}
