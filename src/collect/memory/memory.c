/* How often each function read memory and wrote it, and how many bytes: a point in front
 * of each instruction that does, with counters of the function. Instructions that repeat
 * count as often as they access memory. */
#include "code/plan/plan_rows.h"
#include "code/points/recipe.h"
#include "code/relocate/cfg.h"
#include "collect/collect.h"
#include "session/profile/profile_writer.h"

/* Bytes of accesses without a fixed size (xsave) are none. */
enum { LOADS, STORES, BYTES_LOADED, BYTES_STORED, KINDS };

/* Kind of point: accesses of an instruction; repetitions that were not made. */
enum { ACCESSES, REST };

enum { RCX = 1 };

struct accesses {
	uint32_t number[KINDS];
	bool repeated;
};

static struct accesses accesses_of(const struct cfg *cfg,
				   const struct cfg_instruction *row)
{
	struct recipe_operand operands[RECIPE_OPERANDS_MAX];
	/* Of a pair of instructions the first is a branch: length_is_pair. */
	const uint32_t lead = cfg_is_pair(cfg, row) ? LENGTH_PAIR_BRANCH : 0;
	const size_t count = recipe_operands(cfg->bytes + row->offset + lead,
					     row->length - lead, operands);
	struct accesses accesses = {0};

	for (size_t i = 0; i < count; i++) {
		const struct recipe_operand *operand = &operands[i];

		accesses.number[LOADS] += operand->reads;
		accesses.number[STORES] += operand->writes;
		accesses.number[BYTES_LOADED] += operand->reads ? operand->unit : 0;
		accesses.number[BYTES_STORED] += operand->writes ? operand->unit : 0;
		accesses.repeated |= operand->repeated;
	}
	return accesses;
}

/* Whether a repeated instruction may end before rcx is 0: cmps, scas. */
static bool ends_early(const struct cfg_instruction *row)
{
	return (row->opcode & 0xfe) == 0xa6 || (row->opcode & 0xfe) == 0xae;
}

static void list_points(void *context, const struct point_function *function,
			struct points *ret_points)
{
	const struct cfg *cfg = function->cfg;

	(void)context;
	if (!cfg) {
		vector_push(&ret_points->items, ((struct point){.where = POINT_ENTRY}));
		return;
	}
	ret_points->slots = KINDS;
	for (uint32_t i = 0; i < cfg->instructions.count; i++) {
		const struct cfg_instruction *row = &cfg->instructions.items[i];
		const struct accesses accesses = accesses_of(cfg, row);

		if (!accesses.number[LOADS] && !accesses.number[STORES])
			continue;
		vector_push(&ret_points->items,
			    ((struct point){
				    .at = i, .where = POINT_BEFORE, .recipe = ACCESSES}));
		if (accesses.repeated && ends_early(row))
			vector_push(&ret_points->items,
				    ((struct point){.at = i,
						    .where = POINT_AFTER,
						    .recipe = REST}));
	}
	if (!ret_points->items.count)
		ret_points->slots = 0;
}

/* Adds rcx times `number`, or what is left of that. */
static void add_repeated(struct recipe *recipe, uint32_t slot, uint32_t number, bool rest)
{
	const int times = recipe_take(recipe);

	recipe_value(recipe, times,
		     (struct recipe_value){.kind = RECIPE_REGISTER, .number = RCX});
	recipe_compute_constant(recipe, RECIPE_TIMES, times,
				rest ? -(int64_t)number : (int64_t)number);
	recipe_add(recipe, slot, times);
	recipe_give_back(recipe, times);
}

static void emit_point(void *context, const struct point_function *function,
		       const struct point *point, struct recipe *recipe)
{
	const struct cfg *cfg = function->cfg;
	const struct cfg_instruction *row = &cfg->instructions.items[point->at];
	struct accesses accesses;

	(void)context;
	/* Behind the last instruction of a block the point is on an edge. */
	if (point->where == POINT_EDGE) {
		const struct cfg_block *from =
			&cfg->blocks.items[cfg->edges.items[point->at].from];

		row = &cfg->instructions.items[from->first + from->count - 1];
	}
	accesses = accesses_of(cfg, row);
	for (uint32_t kind = 0; kind < KINDS; kind++) {
		if (!accesses.number[kind])
			continue;
		if (accesses.repeated)
			add_repeated(recipe, kind, accesses.number[kind],
				     point->recipe == REST);
		else
			recipe_count(recipe, kind, (int32_t)accesses.number[kind]);
	}
}

static void save_points(struct profile_writer *writer, const struct module_counts *from)
{
	const struct plan *plan = from->file->plan;

	vector_for_each (&plan->points.slots, row) {
		const struct plan_function *function =
			&plan->functions.items[row->function];
		const uint64_t *counters = from->counters + row->first_slot;

		if (writer->session->options->points.items[row->source] !=
		    collector_memory.points)
			continue;
		profile_writer_numbers(
			writer, from, plan_whole_of(plan, function),
			(const struct profile_writer_number[]){
				{"function.loads", counters[LOADS]},
				{"function.stores", counters[STORES]},
				{"function.loads.bytes", counters[BYTES_LOADED]},
				{"function.stores.bytes", counters[BYTES_STORED]},
			},
			KINDS);
	}
}

static const struct point_source memory_source = {
	.list = list_points,
	.emit = emit_point,
};

static const struct collector_ops memory_ops = {.save_points = save_points};

const struct collector collector_memory = {
	.name = "memory",
	.summary = "exact number of loads and stores of every function, and bytes",
	.probe = PLAN_PROBE_COUNT,
	.depth = PLAN_POINTS,
	.slot_size = 8,
	.points = &memory_source,
	.ops = {&memory_ops},
};
