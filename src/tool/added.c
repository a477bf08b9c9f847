#include "tool/added.h"

#include "base/search.h"
#include "code/points/recipe.h"
#include "code/points/recipe_call.h"
#include "code/relocate/cfg.h"
#include "tool/added_runs.h"
#include "tool/added_values.h"
#include "tool/recipes.h"
#include "tool/tool.h"

/* In point.recipe, beside the address of the item: what is kept in front of the
 * instruction for what is done behind it. */
enum { FILLS_WORDS = 1 };

uint32_t added_instruction_at(const struct cfg *cfg, uint64_t address)
{
	uint64_t offset = address - cfg->address;
	size_t at = search_first(cfg->instructions.count, i,
				 cfg->instructions.items[i].offset < offset);

	return at < cfg->instructions.count &&
			       cfg->instructions.items[at].offset == offset
		       ? (uint32_t)at
		       : (uint32_t)cfg->instructions.count;
}

/* The number of an edge; their count if there is none. */
static uint32_t edge_between(const struct cfg *cfg, const struct added *item)
{
	static const uint8_t kinds[] = {
		[TRAMMEL_EDGE_FALL] = CFG_EDGE_FALL,
		[TRAMMEL_EDGE_TAKEN] = CFG_EDGE_TAKEN,
		[TRAMMEL_EDGE_SWITCH] = CFG_EDGE_SWITCH,
		[TRAMMEL_EDGE_LEAVE] = CFG_EDGE_RETURN,
	};
	uint32_t from = cfg_block_at(cfg, item->address);
	uint32_t to = item->to ? cfg_block_at(cfg, item->to) : CFG_OUT;

	for (uint32_t i = 0; from != CFG_OUT && i < cfg->blocks.items[from].edge_count;
	     i++) {
		uint32_t number = cfg->blocks.items[from].first_edge + i;
		const struct cfg_edge *edge = &cfg->edges.items[number];

		if (edge->to == to && (item->edge_kind == ADDED_ANY_EDGE ||
				       edge->kind == kinds[item->edge_kind]))
			return number;
	}
	return (uint32_t)cfg->edges.count;
}

static void add_point(struct points *points, uint8_t where, uint32_t at, uint64_t recipe)
{
	vector_push(&points->items,
		    ((struct point){.at = at,
				    .where = where,
				    .order = (uint32_t)points->items.count,
				    .recipe = recipe}));
}

uint32_t added_counter_slot(const struct added_function *added, uint32_t counter)
{
	uint32_t slot = 0;

	while (slot < added->counters.count && added->counters.items[slot] != counter)
		slot++;
	return slot;
}

static void add_counter(struct added_function *added, uint32_t counter)
{
	if (added_counter_slot(added, counter) == added->counters.count)
		vector_push(&added->counters, counter);
}

/* Which counters an item uses. Code of a tool's own may use each of them. */
static void add_counters(struct added_function *added, const struct added *item)
{
	if (item->what == ADDED_COUNT || item->what == ADDED_SUM)
		add_counter(added, item->counter);
	if (item->what != ADDED_CODE)
		return;
	for (uint32_t i = 0; i < item->tool->counter_count; i++)
		add_counter(added, i);
}

static bool is_counting(const struct added *item)
{
	return item->what == ADDED_COUNT || item->what == ADDED_SUM;
}

/* Gives counters their slots. */
static void give_counters(struct added_function *added)
{
	enum { COPIES_MAX = 8 };
	uint32_t users = 0;

	vector_for_each (&added->items, item) {
		item->function = added;
		add_counters(added, item);
		if (is_counting(item))
			item->slot = added_counter_slot(added, item->counter);
		users += is_counting(item);
	}
	const uint32_t count = (uint32_t)added->counters.count;

	if (!count)
		return;
	added->copies = users / count < COPIES_MAX ? users / count : COPIES_MAX;
	added->copies += !added->copies;
	users = 0;
	vector_for_each (&added->items, item)
		if (is_counting(item))
			item->slot += count * (users++ / count % added->copies);
}

/* Gives counters their slots, and behind these words to what needs them. */
static void close_function(struct added_function *added, const struct cfg *cfg)
{
	added->closed = true;
	give_counters(added);
	added_find_runs(added, cfg);
	added->slots = (uint32_t)added->counters.count * added->copies;
	vector_for_each (&added->items, item) {
		uint32_t at = cfg ? added_instruction_at(cfg, item->address) : 0;

		if (!cfg || item->where != ADDED_AFTER || at == cfg->instructions.count)
			continue;
		item->words = added_values_words(cfg, at, item);
		if (!item->words)
			continue;
		item->slot = added->slots;
		added->slots += item->words;
	}
}

/* Whether an item in front of a switch asks where that goes; or one behind it must, to
 * run in the order added. */
static bool is_moved(const struct added_function *added, const struct cfg *cfg,
		     const struct added *item, uint32_t at)
{
	if (item->where != ADDED_BEFORE || at == cfg->instructions.count ||
	    cfg->instructions.items[at].kind != CFG_SWITCH)
		return false;
	for (const struct added *i = added->items.items; i <= item; i++)
		if (i->where == ADDED_BEFORE && i->address == item->address)
			for (size_t k = 0; k < i->count; k++)
				if (added_values_by_edge(&i->arguments[k]))
					return true;
	return false;
}

/* On all edges of the switch at `at`. */
static void list_on_edges(const struct cfg *cfg, const struct added *item, uint32_t at,
			  struct points *ret_points)
{
	const struct cfg_block *block = cfg->blocks.items;

	while (block->first + block->count <= at)
		block++;
	for (uint32_t i = 0; i < block->edge_count; i++)
		add_point(ret_points, POINT_EDGE, block->first_edge + i, (uintptr_t)item);
}

static void list_item(const struct added_function *added, const struct cfg *cfg,
		      const struct added *item, struct points *ret_points)
{
	uint32_t at = item->where == ADDED_EDGE
			      ? edge_between(cfg, item)
			      : added_instruction_at(cfg, item->address);
	uint64_t recipe = (uintptr_t)item;

	if (is_moved(added, cfg, item, at))
		list_on_edges(cfg, item, at, ret_points);
	else if (item->where == ADDED_EDGE)
		add_point(ret_points, POINT_EDGE, at, recipe);
	else if (item->where == ADDED_ENTRY)
		add_point(ret_points, POINT_ENTRY, 0, recipe);
	else if (item->where == ADDED_BEFORE)
		add_point(ret_points, POINT_BEFORE, at, recipe);
	else {
		if (item->words)
			add_point(ret_points, POINT_BEFORE, at, recipe | FILLS_WORDS);
		add_point(ret_points, POINT_AFTER, at, recipe);
	}
}

void added_list(struct added_function *added, const struct point_function *function,
		struct points *ret_points)
{
	if (!added->items.count)
		return;
	if (!added->closed)
		close_function(added, function->cfg);
	if (!function->cfg) {
		vector_for_each (&added->items, item)
			add_point(ret_points, POINT_ENTRY, 0, (uintptr_t)item);
		return;
	}
	ret_points->slots = ret_points->first_max = added->slots;
	vector_for_each (&added->items, item)
		list_item(added, function->cfg, item, ret_points);
}

/* Of routines for labels nothing is known. */
static struct recipe_routine routine_of(const struct added *item)
{
	struct recipe_routine routine = {
		.changes = RECIPE_CHANGES_ABI, .vectors = true, .thread_pointer = true};

	if (item->tool)
		routine = item->tool->prototypes
				  .items[item->routine - item->tool->first_routine]
				  .routine;
	routine.word = item->routine;
	return routine;
}

void added_emit_call(const struct added_place *place, struct recipe *recipe)
{
	const struct added *item = place->item;
	const struct recipe_routine routine = routine_of(item);
	struct recipe_value values[ADDED_ARGUMENTS_MAX];
	int taken[ADDED_ARGUMENTS_MAX];

	for (size_t i = 0; i < item->count; i++)
		values[i] =
			added_values_load(place, recipe, &item->arguments[i], &taken[i]);
	if (item->what == ADDED_REPLACE)
		recipe_replace(recipe, &routine, values, item->count);
	else
		recipe_call(recipe, &routine, values, item->count);
	for (size_t i = item->count; i--;)
		if (taken[i] >= 0)
			recipe_give_back(recipe, taken[i]);
}

/* A word of a record. */
static void store_word(const struct added_place *place, struct recipe *recipe,
		       const struct recipe_record *record, size_t word)
{
	const int32_t at = (int32_t)(word * sizeof(uint64_t));
	int taken, number = -1;
	struct recipe_value value =
		added_values_load(place, recipe, &place->item->arguments[word], &taken);

	if (value.kind == RECIPE_CONSTANT && value.constant == (int32_t)value.constant) {
		recipe_store_constant(recipe, record->cursor, at,
				      (int32_t)value.constant);
	} else if (value.kind == RECIPE_TAKEN_REGISTER) {
		recipe_store(recipe, record->cursor, at, value.number, sizeof(uint64_t));
	} else {
		number = recipe_take(recipe);
		recipe_value(recipe, number, value);
		recipe_store(recipe, record->cursor, at, number, sizeof(uint64_t));
		recipe_give_back(recipe, number);
	}
	if (taken >= 0)
		recipe_give_back(recipe, taken);
}

void added_emit_trace(const struct added_place *place, struct recipe *recipe)
{
	const struct added *item = place->item;
	const struct recipe_routine routine = routine_of(item);
	struct recipe_record record;

	recipe_record_begin(recipe, item->tool->first_buffer + item->counter, &routine,
			    item->run, &record);
	for (size_t i = 0; i < item->count; i++)
		store_word(place, recipe, &record, i);
	recipe_record_end(recipe, &record);
}

static void emit_sum(const struct added_place *place, struct recipe *recipe)
{
	int taken, number = recipe_take(recipe);
	struct recipe_value value =
		added_values_load(place, recipe, &place->item->arguments[0], &taken);

	recipe_value(recipe, number, value);
	recipe_add(recipe, place->item->slot, number);
	if (taken >= 0)
		recipe_give_back(recipe, taken);
	recipe_give_back(recipe, number);
}

/* The instruction at a point; of an edge the one that is left by it. */
static uint32_t instruction_of(const struct cfg *cfg, const struct point *point)
{
	const struct cfg_block *from;

	if (point->where != POINT_EDGE)
		return point->at;
	from = &cfg->blocks.items[cfg->edges.items[point->at].from];
	return from->first + from->count - 1;
}

void added_emit(const struct point_function *function, const struct point *point,
		struct recipe *recipe)
{
	const struct added *item =
		(const void *)(uintptr_t)(point->recipe & ~(uint64_t)FILLS_WORDS);
	const struct added_place place = {
		.cfg = function->cfg,
		.item = item,
		.number = instruction_of(function->cfg, point),
		.edge = point->where == POINT_EDGE ? point->at : ADDED_NO_EDGE};

	if (point->recipe & FILLS_WORDS) {
		added_values_fill(&place, recipe);
		return;
	}
	switch ((enum added_what)item->what) {
	case ADDED_CALL:
		recipe_calls_once(recipe);
		added_emit_call(&place, recipe);
		break;
	case ADDED_REPLACE:
		added_emit_call(&place, recipe);
		break;
	case ADDED_COUNT:
		recipe_count(recipe, item->slot, item->amount);
		break;
	case ADDED_SUM:
		emit_sum(&place, recipe);
		break;
	case ADDED_CODE:
		recipes_emit(&place, recipe);
		break;
	case ADDED_TRACE:
		recipe_calls_once(recipe);
		added_emit_trace(&place, recipe);
		break;
	}
}

void added_deinit(struct added_function *added)
{
	vector_deinit(&added->items);
	vector_deinit(&added->counters);
}
