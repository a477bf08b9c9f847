/* Queries on a complete plan. */
#include "code/plan/plan_rows.h"

#include "base/cleanup.h"
#include "base/search.h"
#include "code/plan/plan.h"

#include <string.h>

const struct plan_function *plan_function_at(const struct plan *plan, uint64_t address)
{
	size_t low = search_first(plan->functions.count, middle,
				  plan->functions.items[middle].address <= address);

	return low ? &plan->functions.items[low - 1] : NULL;
}

/* The row of a site in a vector that is sorted by them; NULL: none. */
#define row_at(vector, wanted)                                                           \
	({                                                                               \
		size_t at_ = search_first((vector)->count, middle,                       \
					  (vector)->items[middle].site < (wanted));      \
		at_ < (vector)->count && (vector)->items[at_].site == (wanted)           \
			? &(vector)->items[at_]                                          \
			: NULL;                                                          \
	})

const struct plan_crossing *plan_crossing_of(const struct plan *plan,
					     const struct plan_edge *edge)
{
	const uint32_t number = (uint32_t)(edge - plan->edges.items);
	const struct plan_crossing *rows = plan->crossings.items;
	const size_t found =
		search_first(plan->crossings.count, middle, rows[middle].edge < number);

	return found < plan->crossings.count && rows[found].edge == number ? &rows[found]
									   : NULL;
}

const struct plan_arc *plan_arc_at(const struct plan *plan, uint64_t site)
{
	return row_at(&plan->arcs, site);
}

const struct plan_link *plan_link_at(const struct plan *plan, uint64_t site)
{
	return row_at(&plan->links, site);
}

/* State of computing which blocks with flags ran. */
struct asked {
	const struct plan *plan;
	const uint64_t *counters;
	const struct plan_stayed *stayed;
	/* Each block of this range of the plan is examined once: enum known. */
	uint32_t first, count;
	uint8_t *known;
};

enum known { NOT_KNOWN, DID_NOT_RUN, RAN };

static bool has_stayed(const struct asked *asked, uint32_t index)
{
	vector_for_each (asked->stayed, one)
		if (*one == index)
			return true;
	return false;
}

/* See code/relocate/dominator_coverage.h. */
static bool has_run(const struct asked *asked, uint32_t index)
{
	const struct plan *plan = asked->plan;
	const struct plan_block *block = &plan->blocks.items[index];
	const uint32_t number = index - asked->first;
	bool ran = false;

	if (block->slot < plan->slot_count)
		return asked->counters[block->slot];
	if (number < asked->count && asked->known[number] != NOT_KNOWN)
		return asked->known[number] == RAN;
	for (uint32_t i = 0; !ran && i < block->term_count; i++)
		ran = has_run(asked, plan->terms.items[block->first_term + i]);
	ran = ran || (block->term_count && has_stayed(asked, index));
	if (number < asked->count)
		asked->known[number] = ran ? RAN : DID_NOT_RUN;
	return ran;
}

static const struct plan_stayed none_stayed;

uint64_t plan_block_count(const struct plan *plan, const struct plan_block *block,
			  const uint64_t *counters)
{
	uint64_t sum = 0;

	if (plan->slot_size == 1)
		return has_run(&(struct asked){plan, counters, &none_stayed, 0, 0, NULL},
			       (uint32_t)(block - plan->blocks.items));
	if (block->slot < plan->slot_count)
		return counters[block->slot];
	for (uint32_t i = 0; i < block->term_count; i++) {
		uint32_t slot = plan_term(plan, block, i)->slot;

		/* Nothing leads to blocks without a counter. */
		if (slot < plan->slot_count)
			sum += counters[slot];
	}
	return sum;
}

uint64_t *plan_flag_counts(const struct plan *plan, const struct plan_function *function,
			   const uint64_t *counters, const struct plan_stayed *stayed)
{
	const uint32_t count = function->block_count;
	uint64_t *counts = memory_allocate_zeroed(count + 1, sizeof(*counts));
	scoped_free uint8_t *known = memory_allocate_zeroed(count + 1, sizeof(*known));
	const struct asked asked = {plan,  counters, stayed, function->first_block,
				    count, known};

	for (uint32_t i = 0; i < count; i++)
		counts[i] = has_run(&asked, function->first_block + i);
	return counts;
}

uint64_t *plan_block_counts(const struct plan *plan, const struct plan_function *function,
			    const uint64_t *counters)
{
	const struct plan_block *blocks = plan->blocks.items + function->first_block;
	uint64_t *counts;

	if (plan->slot_size == 1)
		return plan_flag_counts(plan, function, counters, &none_stayed);
	counts = memory_allocate_zeroed(function->block_count + 1, sizeof(*counts));

	for (uint32_t i = 0; i < function->block_count; i++)
		counts[i] = plan_block_count(plan, &blocks[i], counters);
	return counts;
}

static bool has_max(const struct plan_point_slots *row, uint32_t slot)
{
	return slot - row->first_slot < row->slot_count &&
	       slot - row->first_slot >= row->first_max;
}

bool plan_slot_is_max(const struct plan *plan, uint32_t slot)
{
	const struct plan_points *points = &plan->points;
	size_t behind = search_first(points->slots.count, middle,
				     points->slots.items[middle].first_slot <= slot);

	vector_for_each (&points->module, row)
		if (has_max(row, slot))
			return true;
	return behind && has_max(&points->slots.items[behind - 1], slot);
}

const char *plan_reason_text(enum plan_reason reason)
{
	static const char *const texts[PLAN_REASON_COUNT] = {
		[PLAN_INSTRUMENTED] = "instrumented",
		[PLAN_NOT_WANTED] = "left out by --only or --skip",
		[PLAN_NO_ROOM] = "no room for a jump at the entry",
		[PLAN_BRANCH_INTO_ENTRY] = "a branch leads into the first instructions",
		[PLAN_UNDECODABLE] = "the first instructions cannot be decoded",
		[PLAN_NOT_MOVABLE] = "the first instructions cannot be moved",
		[PLAN_UNTOUCHABLE] = "a restartable sequence, or a signal return",
		[PLAN_DOUBTFUL] =
			"nothing but a symbol says that a function begins there",
		[PLAN_OUT_OF_REACH] = "an operand is out of the trampoline's reach",
		[PLAN_NO_STACK] = "the stack may be too small to keep flags there",
		[PLAN_CHECKED] =
			"the program reads the code, or compares it with a checksum",
		[PLAN_NO_RETURNS] = "not all returns can be seen",
		[PLAN_COLD_PART_STAYS] = "cannot be relocated",
		[PLAN_COLD_PART_UNREAD] = "its code is not understood",
		[PLAN_COLD_PART_SHARED] = "jumped to by several functions",
		[PLAN_NO_SPACE] = "no free addresses for its code",
		[PLAN_COLD_PART_UNREACHED] = "no jump to it was found",
	};

	return (unsigned)reason < PLAN_REASON_COUNT ? texts[reason] : "unknown reason";
}

const struct plan_latch *plan_latch_at(const struct plan *plan, uint32_t code_offset)
{
	size_t low = search_first(plan->latches.count, middle,
				  plan->latches.items[middle].code <= code_offset);

	return code_offset < plan->latches_size && low ? &plan->latches.items[low - 1]
						       : NULL;
}

const struct plan_latch *plan_latch_of(const struct plan *plan, uint32_t function)
{
	size_t at = search_first(plan->latches.count, middle,
				 plan->latches.items[middle].function < function);

	return at < plan->latches.count && plan->latches.items[at].function == function
		       ? &plan->latches.items[at]
		       : NULL;
}

static void move_counters(struct plan *plan, size_t first, uint32_t by)
{
	uint32_t displacement;

	for (size_t i = first; i < plan->fixups.count; i++) {
		uint8_t *place = plan->code.items + plan->fixups.items[i].offset;

		if (plan->fixups.items[i].kind != PLAN_FIXUP_SLOT)
			continue;
		memcpy(&displacement, place, sizeof(displacement));
		displacement += by;
		memcpy(place, &displacement, sizeof(displacement));
	}
}

void plan_move_counters(struct plan *plan, uint32_t to)
{
	move_counters(plan, 0, to - plan->counters_at);
	plan->counters_at = to;
}

void plan_move_new_counters(struct plan *plan, size_t first)
{
	move_counters(plan, first, plan->counters_at);
}

/* Whether the counters of a function, by its place in order of code, begin at or before a
 * slot; counters of cold parts are behind all others. */
static bool begins_by(const struct plan *plan, size_t place, uint32_t slot)
{
	const struct plan_function *function = plan_by_code(plan, place);

	return (slot < plan->cold_slot ? function->slots : function->cold_slots) <= slot;
}

/* From the last one on in steps that double. */
const struct plan_function *plan_function_of_slot(const struct plan *plan,
						  const struct plan_function *last,
						  uint32_t slot)
{
	const size_t count = plan->functions.count;
	size_t first = 0, end = count;

	if (last && begins_by(plan, last->place, slot)) {
		first = last->place;
		end = first + 1;
		for (size_t step = 1; end < count && begins_by(plan, end, slot);
		     step *= 2) {
			first = end + 1;
			end = count - end > step ? end + step : count;
		}
	}
	first += search_first(end - first, middle, begins_by(plan, first + middle, slot));
	return first && slot < plan->slot_count ? plan_by_code(plan, first - 1) : NULL;
}

uint32_t plan_slots_of(const struct plan *plan, const struct plan_function *function)
{
	const struct plan_function *behind = plan_behind(plan, function);

	return (behind ? behind->slots : plan->cold_slot) - function->slots;
}

void plan_deinit(struct plan *plan)
{
	vector_deinit(&plan->functions);
	vector_deinit(&plan->patches);
	vector_deinit(&plan->late);
	vector_deinit(&plan->calls);
	vector_deinit(&plan->fixups);
	vector_deinit(&plan->blocks);
	vector_deinit(&plan->terms);
	vector_deinit(&plan->edges);
	vector_deinit(&plan->crossings);
	vector_deinit(&plan->map_rows);
	vector_deinit(&plan->stubs);
	vector_deinit(&plan->arcs);
	vector_deinit(&plan->links);
	vector_deinit(&plan->left);
	vector_deinit(&plan->points.slots);
	vector_deinit(&plan->points.module);
	vector_deinit(&plan->points.troubles);
	vector_deinit(&plan->points.checks);
	vector_deinit(&plan->latches);
	vector_deinit(&plan->code);
	vector_deinit(&plan->names);
}

void plan_destroy(struct plan *plan)
{
	if (!plan)
		return;
	plan_deinit(plan);
	free(plan);
}
