#include "code/planner/batches.h"

#include "base/page.h"
#include "code/plan/plan_rows.h"
#include "code/planner/write_row.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

/* Bytes of text. Each batch begins on a new page of code, so small ones would waste some.
 */
enum { BATCH_SIZE = 256 << 10 };

enum { THREADS_MAX = 16, JUMP = BUILDER_JUMP };

/* So many times its text a batch's code takes, and less; but sizes of functions come from
 * symbols, and may be any number. */
enum { GROWTH = 8, ROOM_MAX = 32 << 20 };

/* Functions whose bits in the maps share a word are in one batch. */
enum { WORD_BITS = 64 };

struct batch {
	uint32_t first, end; /* functions */
	size_t size;         /* bytes of their text */
	struct plan_builder builder;
	struct plan plan;
	struct emit_shifts shifts;
	bool written;
};

struct batches {
	struct plan_builder *builder;
	struct VECTOR(struct batch) items;
	bool *returns_flags; /* as in builder, found by all */
	uint32_t next;       /* batch to be written */
	pthread_mutex_t lock;
	uint32_t moved; /* number of batches in the plan */
	bool failed;    /* something would not reach from where it lies */
};

/* Distances by which the contents of a batch are moved. */
struct move {
	const struct batch *batch;
	uint64_t address; /* link-time, of its plan.code[0] as it was written */
	uint32_t by;      /* bytes of code; a multiple of PAGE */
	uint32_t slots, cold_slots;
	uint32_t first_slot; /* slots below are those of gates, which stay */
	uint32_t slot_size;
	uint32_t blocks, terms, edges, steps, stubs;
	bool failed;
};

static size_t round_to_pages(size_t size)
{
	return (size + PAGE - 1) / PAGE * PAGE;
}

/* Whether a batch can begin with a function: all before it end in front of it, and their
 * bits in the maps lie in other words. */
static bool may_begin(const struct plan_builder *builder,
		      const struct image_function *function, uint64_t end)
{
	const struct code_segment *segment =
		code_map_find(&builder->scan.map, function->address, 1);

	return segment && end <= function->address &&
	       !((function->address - segment->address) % WORD_BITS);
}

static void divide_functions(struct batches *batches)
{
	const struct plan_builder *builder = batches->builder;
	const struct image *image = builder->image;
	const uint32_t wanted =
		builder->request->batch ? builder->request->batch : BATCH_SIZE;
	const uint32_t count = (uint32_t)image->functions.count;
	uint64_t size = 0, end = 0;
	uint32_t first = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct image_function *function = &image->functions.items[i];
		uint64_t function_end = function->address + function->size;

		if (size >= wanted && may_begin(builder, function, end)) {
			vector_push(
				&batches->items,
				((struct batch){.first = first, .end = i, .size = size}));
			first = i;
			size = 0;
		}
		size += function->size;
		if (function_end > end)
			end = function_end;
	}
	vector_push(&batches->items,
		    ((struct batch){.first = first, .end = count, .size = size}));
}

/* Bytes of code that a batch needs at most, as a rule. */
static size_t room_for(const struct batch *batch)
{
	return batch->size < ROOM_MAX / GROWTH ? batch->size * GROWTH : ROOM_MAX;
}

/* Starts a batch with rows and code of its own, except for rows of functions, which all
 * batches share. The whole plan changes meanwhile. */
static void begin_batch(const struct plan_builder *all, struct batch *batch)
{
	const struct plan *plan = all->plan;
	struct plan_builder *builder = &batch->builder;
	const size_t count = all->image->functions.count;

	batch->plan = (struct plan){.code_address = plan->code_address,
				    .slot_count = all->out.first_slot,
				    .slot_size = plan->slot_size,
				    .gates_size = plan->gates_size,
				    .counts_entries = plan->counts_entries,
				    .sites = plan->sites,
				    .graph = plan->graph,
				    .spans = plan->spans,
				    .cells_slot = plan->cells_slot};
	memcpy(&batch->plan.functions, &plan->functions, sizeof(plan->functions));
	memcpy(&batch->plan.points.module, &plan->points.module,
	       sizeof(plan->points.module));
	*builder = (struct plan_builder){
		.request = all->request,
		.image = all->image,
		.plan = &batch->plan,
		.scan = all->scan,
		.padding = all->padding,
		.choices = all->choices,
		.out.shifts = &batch->shifts,
		.out.own = all->out.own,
		.current.whole = {.flags = all->current.whole.flags,
				  .live = all->current.whole.live},
		.returns.readers = all->returns.readers,
		.returns.copy_calls = all->returns.copy_calls,
		.calls = all->calls,
		.flags.taken = all->flags.taken,
	};
	if (all->flags.returned) {
		builder->flags.returned = memory_allocate(count * sizeof(bool));
		memcpy(builder->flags.returned, all->flags.returned,
		       count * sizeof(bool));
	}
	vector_reserve(&batch->plan.patches, batch->end - batch->first);
	/* Growing later would also copy the part in front of it. */
	vector_reserve(&batch->plan.code, builder->out.own + room_for(batch) + PAGE);
	batch->plan.code.count = builder->out.own;
}

static void write_batch(const struct plan_builder *all, struct batch *batch)
{
	struct plan_builder *builder = &batch->builder;

	begin_batch(all, batch);
	builder_write(builder, batch->first, batch->end);
	cfg_deinit(&builder->current.cfg);
	paths_deinit(&builder->current.paths);
	live_registers_deinit(&builder->current.live);
	whole_deinit(&builder->current.whole);
	block_sums_deinit(&builder->current.sums);
	point_places_deinit(&builder->current.points);
}

static void end_batch(struct batch *batch)
{
	struct plan_builder *builder = &batch->builder;
	struct plan *plan = &batch->plan;

	memset(&plan->functions, 0, sizeof(plan->functions));
	memset(&plan->points.module, 0, sizeof(plan->points.module));
	plan_deinit(plan);
	vector_deinit(&builder->out.islands);
	vector_deinit(&builder->out.jumps);
	vector_deinit(&builder->out.cached);
	vector_deinit(&batch->shifts);
	free(builder->flags.returned);
}

/* Adds to a displacement. */
static void add_distance(struct move *move, uint8_t *place, int64_t by)
{
	int32_t distance;

	memcpy(&distance, place, sizeof(distance));
	by += distance;
	distance = (int32_t)by;
	move->failed |= distance != by;
	memcpy(place, &distance, sizeof(distance));
}

static void move_shift(struct move *move, uint8_t *code, const struct emit_shift *shift)
{
	uint8_t *place = code + shift->offset;
	uint64_t word;

	switch (shift->kind) {
	case EMIT_SHIFT_OUT:
		add_distance(move, place, -(int64_t)move->by);
		break;
	case EMIT_SHIFT_WORD32:
		add_distance(move, place, move->by);
		break;
	default:
		memcpy(&word, place, sizeof(word));
		word += move->by;
		memcpy(place, &word, sizeof(word));
	}
}

/* Displacements in text, up to `end`, that lead to the batch's code. `spare` bytes of the
 * instruction may follow. */
static void move_lead(struct move *move, uint8_t *place, uint64_t end, unsigned int spare)
{
	const struct batch *batch = move->batch;
	uint64_t offset;
	int32_t distance;

	memcpy(&distance, place, sizeof(distance));
	offset = end + (uint64_t)(int64_t)distance - move->address;
	if (offset + spare >= batch->builder.out.own &&
	    offset < batch->plan.code.count + spare)
		add_distance(move, place, move->by);
}

static void move_patches(struct move *move, struct plan_patches *patches)
{
	enum { DISPLACEMENT = 4, BEHIND = 8 };

	vector_for_each (patches, patch) {
		if (patch->size == DISPLACEMENT)
			move_lead(move, patch->bytes, patch->address + DISPLACEMENT,
				  BEHIND);
		for (unsigned at = 0; at + JUMP <= patch->size; at += JUMP)
			if (patch->bytes[at] == 0xe9)
				move_lead(move, patch->bytes + at + 1,
					  patch->address + at + JUMP, 0);
	}
}

static void move_slot(const struct move *move, uint32_t *slot)
{
	if (*slot == PLAN_NO_SLOT || *slot < move->first_slot)
		return;
	*slot += *slot < BUILDER_COLD ? move->slots : move->cold_slots;
}

static void move_function(const struct move *move, struct plan_function *row)
{
	row->trampoline += move->by;
	move_slot(move, &row->slot);
	row->slots += move->slots;
	row->cold_slots += move->cold_slots;
	if (row->block_count)
		row->first_block += move->blocks;
	if (row->edge_count)
		row->first_edge += move->edges;
	if (row->map_row_count) {
		row->first_map_row += move->steps;
		row->first_stub += move->stubs;
	}
}

static void move_rows(const struct move *move, const struct plan *whole)
{
	const struct batch *batch = move->batch;
	const struct plan *plan = &batch->plan;

	for (uint32_t i = batch->first; i < batch->end; i++)
		move_function(move, &whole->functions.items[i]);
	vector_for_each (&plan->blocks, row) {
		move_slot(move, &row->slot);
		if (row->term_count)
			row->first_term += move->terms;
	}
	vector_for_each (&plan->terms, term)
		*term += move->blocks;
	vector_for_each (&plan->edges, row) {
		move_slot(move, &row->slot);
		if (row->piece != UINT32_MAX)
			row->piece += move->by;
	}
	vector_for_each (&plan->crossings, row)
		row->edge += move->edges;
	vector_for_each (&plan->stubs, row)
		row->code += move->by;
	vector_for_each (&plan->points.slots, row)
		move_slot(move, &row->first_slot);
	vector_for_each (&plan->points.checks, row) {
		row->at += move->by;
		row->then += move->by;
	}
}

/* Displacements of counters, and where the others are. */
static void move_fixups(const struct move *move)
{
	const struct plan *plan = &move->batch->plan;

	vector_for_each (&plan->fixups, fixup) {
		uint8_t *place = plan->code.items + fixup->offset;
		uint32_t slot;

		fixup->offset += move->by;
		if (fixup->kind != PLAN_FIXUP_SLOT)
			continue;
		memcpy(&slot, place, sizeof(slot));
		const uint32_t within = slot % move->slot_size;

		slot /= move->slot_size;
		move_slot(move, &slot);
		slot = slot * move->slot_size + within;
		memcpy(place, &slot, sizeof(slot));
	}
}

#define append(to, from)                                                                 \
	do {                                                                             \
		size_t count_ = (from)->count;                                           \
		vector_reserve(to, (to)->count + count_);                                \
		if (count_)                                                              \
			memcpy((to)->items + (to)->count, (from)->items,                 \
			       count_ * sizeof(*(to)->items));                           \
		(to)->count += count_;                                                   \
	} while (0)

static void append_code(struct plan *whole, const struct batch *batch, size_t start)
{
	size_t own = batch->builder.out.own, size = batch->plan.code.count - own;

	vector_reserve(&whole->code, start + size);
	memset(whole->code.items + whole->code.count, 0xcc, start - whole->code.count);
	if (size)
		memcpy(whole->code.items + start, batch->plan.code.items + own, size);
	whole->code.count = start + size;
}

static void append_batch(struct plan_builder *builder, const struct batch *batch,
			 size_t start)
{
	struct plan *whole = builder->plan;
	const struct plan *plan = &batch->plan;

	append_code(whole, batch, start);
	append(&whole->patches, &plan->patches);
	append(&whole->fixups, &plan->fixups);
	append(&whole->blocks, &plan->blocks);
	append(&whole->terms, &plan->terms);
	append(&whole->edges, &plan->edges);
	append(&whole->crossings, &plan->crossings);
	append(&whole->map_rows, &plan->map_rows);
	append(&whole->stubs, &plan->stubs);
	append(&whole->points.slots, &plan->points.slots);
	append(&whole->points.troubles, &plan->points.troubles);
	append(&whole->points.checks, &plan->points.checks);
	whole->points.count += plan->points.count;
	append(&builder->out.islands, &batch->builder.out.islands);
	append(&builder->out.jumps, &batch->builder.out.jumps);
	append(&builder->out.cached, &batch->builder.out.cached);
	whole->slot_count += plan->slot_count - builder->out.first_slot;
	whole->part_count += plan->part_count;
	builder->out.cold_count += batch->builder.out.cold_count;
	builder->flags.found |= batch->builder.flags.found;
}

static void note_flags(struct batches *batches, const struct batch *batch)
{
	const size_t count = batches->builder->image->functions.count;
	const bool *found = batch->builder.flags.returned;

	if (!found)
		return;
	if (!batches->returns_flags)
		batches->returns_flags = memory_allocate_zeroed(count, sizeof(bool));
	for (size_t i = 0; i < count; i++)
		batches->returns_flags[i] |= found[i];
}

/* Moves a batch behind those before it, which are in place. */
static void move_batch(struct batches *batches, struct batch *batch)
{
	struct plan_builder *builder = batches->builder;
	struct plan *whole = builder->plan;
	const size_t start = round_to_pages(whole->code.count);
	struct move move = {
		.batch = batch,
		.address = whole->code_address,
		.by = (uint32_t)(start - batch->builder.out.own),
		.slots = whole->slot_count - builder->out.first_slot,
		.cold_slots = builder->out.cold_count,
		.first_slot = builder->out.first_slot,
		.slot_size = whole->slot_size,
		.blocks = (uint32_t)whole->blocks.count,
		.terms = (uint32_t)whole->terms.count,
		.edges = (uint32_t)whole->edges.count,
		.steps = (uint32_t)whole->map_rows.count,
		.stubs = (uint32_t)whole->stubs.count,
	};

	vector_for_each (&batch->shifts, shift)
		move_shift(&move, batch->plan.code.items, shift);
	move_patches(&move, &batch->plan.patches);
	move_patches(&move, &batch->builder.out.islands);
	move_rows(&move, whole);
	move_fixups(&move);
	vector_for_each (&batch->builder.out.jumps, jump)
		jump->offset += move.by;
	vector_for_each (&batch->builder.out.cached, end)
		*end += move.by;
	append_batch(builder, batch, start);
	note_flags(batches, batch);
	batches->failed |= move.failed;
}

/* Writes batches until none are left, and moves those whose predecessors are in place. */
static void *run_worker(void *argument)
{
	struct batches *batches = argument;
	uint32_t index;

	while ((index = __atomic_fetch_add(&batches->next, 1, __ATOMIC_RELAXED)) <
	       batches->items.count) {
		struct batch *batch = &batches->items.items[index];

		write_batch(batches->builder, batch);
		pthread_mutex_lock(&batches->lock);
		batch->written = true;
		for (; batches->moved < batches->items.count; batches->moved++) {
			batch = &batches->items.items[batches->moved];
			if (!batch->written)
				break;
			move_batch(batches, batch);
			end_batch(batch);
		}
		pthread_mutex_unlock(&batches->lock);
	}
	return NULL;
}

/* Number of threads beside the waiting one. */
static unsigned int thread_count(const struct batches *batches)
{
	cpu_set_t processors;
	size_t count = 1;

	if (!sched_getaffinity(0, sizeof(processors), &processors))
		count = (size_t)CPU_COUNT(&processors);
	if (count > THREADS_MAX)
		count = THREADS_MAX;
	if (count > batches->items.count)
		count = batches->items.count;
	return (unsigned int)count - 1;
}

static void write_all(struct batches *batches)
{
	const unsigned int wanted = thread_count(batches);
	pthread_t threads[THREADS_MAX];
	unsigned int count = 0;

	pthread_mutex_init(&batches->lock, NULL);
	while (count < wanted &&
	       !pthread_create(&threads[count], NULL, run_worker, batches))
		count++;
	run_worker(batches);
	while (count)
		pthread_join(threads[--count], NULL);
	pthread_mutex_destroy(&batches->lock);
}

bool batches_write(struct plan_builder *builder)
{
	struct batches batches = {.builder = builder};

	/* Whether a function's calls end at a jump depends on the jump's target. */
	if (builder->request->spans || builder->out.at_once)
		return false;
	divide_functions(&batches);
	builder->out.at_once = batches.items.count == 1;
	if (builder->out.at_once) {
		vector_deinit(&batches.items);
		return false;
	}
	builder->out.first_slot = builder->plan->slot_count;
	builder->out.own = round_to_pages(builder->plan->code.count);
	write_all(&batches);
	if (batches.returns_flags) {
		free(builder->flags.returned);
		builder->flags.returned = batches.returns_flags;
	}
	vector_deinit(&batches.items);
	builder->out.at_once = batches.failed;
	builder->flags.found |= batches.failed;
	return true;
}
