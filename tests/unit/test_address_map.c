/*
 * Threads that are found in functions relocated whole: each instruction of the code has
 * an original, and the way back from there leads on, by the plan as by the table that
 * programs have. All of it is tried, too: a thread is moved at every instruction.
 */
#include "code/count/edges.h"
#include "code/emit/probe.h"
#include "code/locate/address_map.h"
#include "code/locate/locate.h"
#include "code/plan/plan_rows.h"
#include "code/plan/request.h"
#include "image/contents.h"
#include "resident/way_back.h"
#include "sanitized.h"
#include "session/cache/address_maps.h"
#include "session/cache/module_text.h"
#include "session/modules/trampolines.h"
#include "session/position/reentry.h"
#include "whole_area.h"
#include "wire/bank.h"
#include "wire/control.h"
#include "wire/layout.h"
#include "wire/ways.h"
#include "x86/decode.h"

#include <asm/prctl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

enum { DRAWN = TIMES(8, 2) }; /* plans by frequencies made by chance */

static struct plan_position locate(const struct whole_area *area, uint32_t offset)
{
	return plan_locate(area->plan, whole_original_at, (void *)(uintptr_t)&area->image,
			   offset);
}

static bool is_start(const struct whole_area *area, const struct plan_function *function,
		     uint64_t address)
{
	const uint8_t *bytes =
		image_bytes_at(&area->image, function->address, function->size);
	uint64_t at = 0;
	struct instruction instruction;

	while (at < address - function->address && at < function->size) {
		assert_true(decode_instruction(bytes + at, function->size - at, at,
					       &instruction));
		at += instruction.length;
	}
	return at == address - function->address;
}

/* Whether there is no code for an instruction: a jump to what comes next, or padding. */
static bool is_left_out(const struct plan *plan, const struct plan_function *function,
			uint64_t address)
{
	uint64_t original = function->address;

	for (uint32_t i = 0; i < function->map_row_count; i++) {
		struct map_row step = plan->map_rows.items[function->first_map_row + i];

		if (original == address && step.kind == MAP_ROW_MOVED)
			return !step.code;
		original += (uint64_t)(int64_t)map_row_original(step);
	}
	return false;
}

/* Whether the code is in the order of the original. */
static bool is_ordered(const struct plan *plan, const struct plan_function *function)
{
	for (uint32_t i = 0; i < function->map_row_count; i++)
		if (plan->map_rows.items[function->first_map_row + i].kind ==
		    MAP_ROW_AWAY)
			return false;
	return true;
}

/* One instruction of relocated code, no stub: where a thread is shown, and goes on. */
static void check_moved(const struct whole_area *area,
			const struct plan_function *function, uint32_t at,
			const struct plan_position *place)
{
	uint64_t end = function->address + function->size;
	uint32_t back, counting;

	assert_int_equal(place->kind, place->original == end ? PLAN_POSITION_CALL_DONE
							     : PLAN_POSITION_MOVED);
	if (place->original < function->address || place->original > end ||
	    !is_start(area, function, place->original))
		fail_msg("%#x: no instruction at %#lx", at,
			 (unsigned long)place->original);
	if (!plan_moved_to(area->plan, place->original, false, &back))
		return; /* executed at its own place, or behind the function */
	assert_true(plan_moved_to(area->plan, place->original, true, &counting));
	assert_true(counting <= back);
	if (!is_left_out(area->plan, function, place->original)) {
		assert_int_equal(locate(area, back).original, place->original);
		assert_int_equal(locate(area, counting).original, place->original);
	}
	if (!is_ordered(area->plan, function))
		return;
	/* A probe is shown in front of the instruction, and run once. */
	if (place->uncounted[0] != PLAN_NO_SLOT || place->stack)
		assert_true(at < back);
	else if (!place->inside && back != at) /* a jump to where it is */
		assert_true(at < counting || back > at);
}

/* Bytes of a counter. */
static uint32_t probe_size(const uint8_t *code)
{
	static const uint32_t sizes[] = {
		[PROBE_COUNT] = PROBE_COUNT_SIZE,
		[PROBE_COUNT_KEEP_CARRY] = 9,
		[PROBE_COUNT_KEEP_FLAGS] = 37,
	};
	enum probe_form form = probe_at(code, 4);

	assert_in_range(form, PROBE_COUNT, PROBE_COUNT_KEEP_FLAGS);
	return sizes[form];
}

static bool is_in_piece(const struct plan *plan, const struct plan_function *function,
			uint32_t at)
{
	bool found = false;

	for (uint32_t i = 0; i < function->edge_count; i++) {
		uint32_t piece = plan->edges.items[function->first_edge + i].piece;

		/* At most the last instruction, the jump behind the counter. */
		if (piece != UINT32_MAX && piece <= at)
			found |= at - piece <= probe_size(plan->code.items + piece);
	}
	return found;
}

/* Whether the instruction in front is a jump, in one of its two forms. */
static bool is_behind_jump(const struct plan *plan, uint32_t at, unsigned length)
{
	return (length == 5 && plan->code.items[at - 5] == 0xe9) ||
	       (length == 2 && plan->code.items[at - 2] == 0xeb);
}

/* All of the code that counts edges apart. */
static size_t check_pieces(const struct whole_area *area,
			   const struct plan_function *function)
{
	const struct plan *plan = area->plan;
	size_t count = 0;

	for (uint32_t i = 0; i < function->edge_count; i++) {
		const struct plan_edge *edge =
			&plan->edges.items[function->first_edge + i];
		const struct plan_block *to =
			&plan->blocks.items[function->first_block + edge->to];
		uint32_t at = edge->piece, end;
		struct instruction instruction = {0};

		if (at == UINT32_MAX || edge->to == PLAN_EDGE_OUT)
			continue;
		/* Where a condition was turned no jump is behind it. */
		end = at + probe_size(plan->code.items + at);
		for (; at <= end && !is_behind_jump(plan, at, instruction.length);
		     at += instruction.length) {
			struct plan_position place = locate(area, at);

			assert_int_equal(place.kind, PLAN_POSITION_MOVED);
			assert_int_equal(place.original, function->address + to->offset);
			if (at == edge->piece)
				assert_int_equal(place.uncounted[0], edge->slot * 8);
			assert_true(decode_instruction(plan->code.items + at,
						       plan->code.count - at, at,
						       &instruction));
			count++;
		}
	}
	return count;
}

/* All of a function's steps. Returns the number of instructions. */
static size_t check_steps(const struct whole_area *area,
			  const struct plan_function *function)
{
	const struct plan *plan = area->plan;
	uint32_t at = function->trampoline, end = at, original = 0;
	size_t count = 0;

	for (uint32_t i = 0; i < function->map_row_count; i++) {
		struct map_row step = plan->map_rows.items[function->first_map_row + i];

		end += map_row_code(step);
		original += step.kind == MAP_ROW_AWAY ? 0u : step.original;
	}
	assert_int_equal(original, function->size);
	while (at < end) {
		struct plan_position place = locate(area, at);
		struct instruction instruction;

		assert_int_equal(place.function, function - plan->functions.items);
		if (!is_in_piece(plan, function, at))
			check_moved(area, function, at, &place);
		assert_true(decode_instruction(plan->code.items + at, end - at, at,
					       &instruction));
		at += instruction.length;
		count++;
	}
	assert_int_equal(at, end);
	count += check_pieces(area, function);
	for (uint32_t i = 0; i < function->stub_count; i++) {
		const struct plan_stub *stub =
			&plan->stubs.items[function->first_stub + i];
		struct plan_position undo = locate(area, stub->code),
				     done = locate(area, stub->code + PROBE_COUNT_SIZE);

		assert_int_equal(undo.kind, PLAN_POSITION_CALL_UNDO);
		assert_int_equal(undo.original, stub->call);
		assert_int_equal(done.kind, PLAN_POSITION_CALL_DONE);
		assert_int_equal(done.original, stub->call + (int64_t)stub->callee);
	}
	return count;
}

static void check_all(const struct whole_area *area)
{
	size_t count = 0;

	vector_for_each (&area->plan->functions, function)
		if (function->map_row_count)
			count += check_steps(area, function);
	assert_true(count > 500);
}

/* What ran has its code in front of what did not, and is found there, with its counters.
 */
static void check_order(const struct plan *plan, const struct frequencies *drawn)
{
	const struct plan_function *last = NULL;
	size_t turns = 0;

	for (size_t place = 0; place < plan->functions.count; place++) {
		const struct plan_function *function = plan_by_code(plan, place);

		assert_int_equal(function->place, place);
		assert_true(!last || plan_behind(plan, last) == function);
		if (last && last > function)
			turns++;
		if (last && !frequencies_know(drawn, last->address))
			assert_false(frequencies_know(drawn, function->address));
		if (function->map_row_count)
			assert_ptr_equal(plan_function_of(plan, function->trampoline),
					 function);
		for (uint32_t i = 0; i < function->block_count; i++) {
			uint32_t slot =
				plan->blocks.items[function->first_block + i].slot;

			if (slot != PLAN_NO_SLOT && slot != function->slot)
				assert_ptr_equal(plan_function_of_slot(plan, NULL, slot),
						 function);
		}
		last = function;
	}
	assert_int_equal(turns, 1);
	for (size_t i = 1; i < plan->patches.count; i++)
		assert_true(plan->patches.items[i - 1].address <
			    plan->patches.items[i].address);
}

/* As they are, and with some blocks behind the others. */
static void test_all_steps(void **state)
{
	struct whole_area area;
	size_t moved = 0;

	(void)state;
	whole_routines_open(&area, IMAGE_EXECUTABLE, PLAN_BLOCKS);
	check_all(&area);
	whole_area_close(&area);
	whole_routines_open(&area, IMAGE_EXECUTABLE, PLAN_EDGES);
	check_all(&area);
	for (uint32_t seed = 1; seed <= DRAWN; seed++) {
		struct frequencies drawn = whole_draw_frequencies(area.plan, seed);

		whole_area_plan_again(&area, &drawn);
		check_all(&area);
		check_order(area.plan, &drawn);
		vector_for_each (&area.plan->functions, function)
			moved += !is_ordered(area.plan, function);
		frequencies_deinit(&drawn);
	}
	assert_true(moved > DRAWN * 10);
	whole_area_close(&area);
}

/* Where a signal handler goes back to that was told of this place. */
static uint64_t way_back(uint64_t rip)
{
	uint64_t context[32] = {[0xa8 / 8] = rip};

	resident_way_back(context);
	return context[0xa8 / 8];
}

static void check_ways(const struct whole_area *area, const struct module *module)
{
	size_t found = 0;

	for (uint64_t at = WHOLE_ADDRESS - 8; at < WHOLE_ADDRESS + area->text + 8; at++) {
		const struct plan_function *function = plan_function_at(area->plan, at);
		uint64_t moved = way_back(at + module->bias);
		uint32_t offset;

		if ((function && function->address == at) ||
		    !plan_moved_to(area->plan, at, false, &offset)) {
			assert_int_equal(moved, at + module->bias);
			continue;
		}
		assert_int_equal(moved, module->code_address + offset);
		found++;
	}
	assert_true(found > 400);
}

/* The table that programs have says the same for every address, but for entries, where
 * it leaves the jump. */
static void compare_ways(const struct whole_area *area)
{
	static struct wire_control control;
	struct wire_bank bank = {.self = (uint64_t)&bank, .control = (uint64_t)&control};
	struct module_file file = {0};
	struct module module = {
		.file = &file, .bias = 0x1000, .code_address = 0x700000000};
	uint8_t *header;

	file.plan = area->plan;
	address_maps_make(&file);
	header = calloc(1, address_maps_header_size(&file) + address_maps_size(&file));
	assert_int_equal(trampolines_maps_header(&module),
			 module.code_address + address_maps_header_offset(&file));
	module.address_maps_at =
		trampolines_maps_header(&module) + address_maps_header_size(&file);
	address_maps_write(&file, header + address_maps_header_size(&file));
	trampolines_write_maps_header(&module, header);
	control.text_count = 2; /* the first is another module's */
	control.texts[0] = (struct wire_text){.start = 0x1000, .end = 0x2000};
	control.texts[1] =
		(struct wire_text){.start = WHOLE_ADDRESS + module.bias - 16,
				   .end = WHOLE_ADDRESS + module.bias + area->text + 16};
	control.undos[1].ways = (uint64_t)header;
	assert_int_equal(syscall(SYS_arch_prctl, ARCH_SET_GS, &bank), 0);
	check_ways(area, &module);
	free(header);
	vector_deinit(&file.address_maps);
}

static void test_ways(void **state)
{
	struct whole_area area;

	(void)state;
	whole_routines_open(&area, IMAGE_EXECUTABLE, PLAN_BLOCKS);
	compare_ways(&area);
	whole_area_close(&area);
	whole_routines_open(&area, IMAGE_EXECUTABLE, PLAN_EDGES);
	struct frequencies drawn = whole_draw_frequencies(area.plan, 1);

	whole_area_plan_again(&area, &drawn);
	compare_ways(&area);
	frequencies_deinit(&drawn);
	whole_area_close(&area);
}

/* Where instructions go on that the patch of this function covers; how many there are. */
static size_t check_leads(const struct whole_area *area, const struct module *module,
			  const struct plan_function *function)
{
	uint32_t index = (uint32_t)(function - area->plan->functions.items);
	const uint8_t *bytes = module_file_original(module->file, function->address,
						    function->displaced);
	size_t found = 0;

	for (uint64_t at = function->address + 1;
	     at < function->address + function->displaced; at++) {
		const struct plan_patch *patch = plan_patch_behind(area->plan, at);
		uint32_t offset;
		bool led = patch && patch->address < at &&
			   plan_offset_of(area->plan, index, bytes, at, &offset);

		whole_area_show(area, true);
		assert_int_equal(way_back(at), led ? WHOLE_CODE + offset : at);
		/* In another text the row says nothing. */
		whole_area_show(area, false);
		assert_int_equal(way_back(at), at);
		found += led;
	}
	return found;
}

/* When one of the instructions that a patch covers has faulted, handlers go back to all
 * of them. */
static void test_leads(void **state)
{
	static struct wire_control control;
	struct wire_bank bank = {.self = (uint64_t)&bank, .control = (uint64_t)&control};
	struct module_file file = {.text_count = 1};
	struct module module = {.file = &file, .code_address = WHOLE_CODE};
	struct arena arena = {.control = &control};
	struct family family = {.arena = &arena};
	struct space space = {.family = &family};
	struct whole_area area;
	size_t found = 0;

	(void)state;
	whole_routines_open(&area, IMAGE_EXECUTABLE, PLAN_ENTRIES);
	file.plan = area.plan;
	file.bytes = area.bare;
	file.identity.size = area.size;
	file.texts[0] = (struct module_text){.address = WHOLE_ADDRESS, .size = area.text};
	assert_int_equal(syscall(SYS_arch_prctl, ARCH_SET_GS, &bank), 0);
	for (int round = 0; round < 9; round++) {
		vector_for_each (&area.plan->functions, function) {
			if (function->reason || function->call_end)
				continue;
			reentry_write_leads(
				&space, &module,
				(uint32_t)(function - area.plan->functions.items));
			found += check_leads(&area, &module, function);
		}
	}
	assert_true(found > 9 * 40);
	assert_true(control.lead_count > 40);
	whole_area_close(&area);
}

struct mover {
	const struct whole_area *area;
	bool undone;
	size_t moved;
};

/* What signals.c does with a thread that is shown to the program, and goes on. */
static void move(void *context, ucontext_t *ucontext)
{
	struct mover *mover = context;
	greg_t *registers = ucontext->uc_mcontext.gregs;
	uint64_t offset = (uint64_t)registers[REG_RIP] - WHOLE_CODE;
	struct plan_position place;
	uint8_t opcode;
	uint32_t back;

	if (offset >= mover->area->plan->code.count)
		return;
	place = locate(mover->area, (uint32_t)offset);
	if (place.kind == PLAN_POSITION_CALL_UNDO || place.inside) {
		/* A call or a loop is made again: once. */
		mover->undone = !mover->undone;
		if (!mover->undone)
			return;
	}
	if (place.kind == PLAN_POSITION_CALL_UNDO) {
		registers[REG_RSP] += 8;
	} else if (place.kind == PLAN_POSITION_MOVED ||
		   place.kind == PLAN_POSITION_CALL_DONE) {
		if (place.pushed)
			memcpy(&registers[REG_RAX],
			       (const void *)(uintptr_t)registers[REG_RSP], 8);
		registers[REG_RSP] += place.stack;
		for (unsigned i = 0; i < 2; i++)
			if (place.uncounted[i] != PLAN_NO_SLOT)
				whole_counters[place.uncounted[i] / 8]++;
		if (place.word)
			memcpy(&place.original, (const void *)(uintptr_t)place.original,
			       8);
		opcode = *image_bytes_at(&mover->area->image, place.original, 1);
		if (place.inside && opcode >= 0xe0 && opcode <= 0xe2)
			registers[REG_RCX]++;
		if (place.inside)
			assert_true(opcode >= 0xe0 && opcode <= 0xe3);
	} else {
		return; /* in a trampoline: for others */
	}
	registers[REG_RIP] = (greg_t)place.original;
	if (place.kind == PLAN_POSITION_MOVED &&
	    plan_moved_to(mover->area->plan, place.original, false, &back))
		registers[REG_RIP] = WHOLE_CODE + back;
	mover->moved++;
}

static void move_everywhere(struct whole_area *area)
{
	static const uint64_t firsts[] = {0, 1, 2, 4, 7, 0x7fffffff};
	struct mover mover = {.area = area};

	vector_for_each (&area->plan->functions, function) {
		const char *name = area->plan->names.items + function->name;

		if (!whole_routine_runs(name, IMAGE_EXECUTABLE))
			continue;
		for (unsigned i = 0; i < 12; i++) {
			uint64_t first = firsts[i % 6], second = i / 6 * 3;
			struct whole_result bare, patched;

			whole_area_show(area, false);
			bare = whole_run_stepped(function->address, first, second, i,
						 whole_note_step, area);
			whole_area_show(area, true);
			patched = whole_run_stepped(function->address, first, second, i,
						    move, &mover);
			if (memcmp(&bare, &patched, sizeof(bare)))
				fail_msg("%s(%#lx, %lu) differs", name,
					 (unsigned long)first, (unsigned long)second);
		}
		whole_check_counts(area);
	}
	assert_true(mover.moved > 5000);
}

static void test_moved_everywhere(void **state)
{
	struct whole_area area;

	(void)state;
	whole_routines_open(&area, IMAGE_EXECUTABLE, PLAN_BLOCKS);
	move_everywhere(&area);
	whole_area_close(&area);
	whole_routines_open(&area, IMAGE_EXECUTABLE, PLAN_EDGES);
	move_everywhere(&area);
	for (uint32_t seed = 1; seed <= DRAWN; seed++) {
		struct frequencies drawn = whole_draw_frequencies(area.plan, seed);

		whole_area_plan_again(&area, &drawn);
		move_everywhere(&area);
		frequencies_deinit(&drawn);
	}
	whole_area_close(&area);
}

enum { STOOD_BLOCKS = 64 };
struct stander {
	const struct whole_area *area;
	const struct plan_function *function;
	uint64_t executed[STOOD_BLOCKS]; /* by block: its first instruction */
	uint64_t last;                   /* the instruction before */
	size_t stood, jumping;
};

static const struct plan_block *block_of(const struct stander *stander, uint32_t number)
{
	return &stander->area->plan->blocks
			.items[stander->function->first_block + number];
}

/* Whether no edge leads to a block: what is behind it in the code is executed then. */
static bool is_unreached(const struct stander *stander, uint32_t number)
{
	for (uint32_t i = 0; i < stander->function->edge_count; i++)
		if (stander->area->plan->edges.items[stander->function->first_edge + i]
			    .to == number)
			return false;
	return number;
}

/* The block that a thread is about to jump to whose counter in front of that jump is
 * taken to have counted; PLAN_EDGE_OUT: none. */
static uint32_t jumps_to(const struct stander *stander, uint64_t address)
{
	const struct plan *plan = stander->area->plan;

	for (uint32_t i = 0; i < stander->function->edge_count; i++) {
		const struct plan_edge *edge =
			&plan->edges.items[stander->function->first_edge + i];
		const struct plan_block *from = block_of(stander, edge->from);
		uint64_t last = stander->function->address + from->offset + from->size -
				edge->size;

		if (edge->slot < plan->slot_count && address == last &&
		    (*image_bytes_at(&stander->area->image, last, 1) | 2) == 0xeb)
			return edge->to;
	}
	return PLAN_EDGE_OUT;
}

/* What counts say if the thread never goes on from here. */
static void check_stand(struct stander *stander, const struct plan_position *place)
{
	const struct plan *plan = stander->area->plan;
	struct edges_residues residues = {0};
	struct edges_counts counts;
	uint32_t fault, to = jumps_to(stander, place->original);

	for (unsigned i = 0; i < 3; i++)
		if (place->uncounted[i] != PLAN_NO_SLOT)
			whole_counters[place->uncounted[i] / plan->slot_size]++;
	vector_push(&residues,
		    ((struct edges_residue){.address = place->original, .by = 1}));
	if (!edges_solve(plan, stander->function, whole_counters, &residues, &counts,
			 &fault))
		fail_msg("at %#lx: no flow, at block %u", (unsigned long)place->original,
			 fault);
	for (uint32_t i = 0; i < stander->function->block_count; i++) {
		uint64_t start =
			stander->function->address + block_of(stander, i)->offset;
		uint64_t entered =
			stander->executed[i] + (place->original == start) + (i == to);

		if (counts.blocks[i] != entered && !is_unreached(stander, i))
			fail_msg("%s at %#lx: block %u was entered %lu times, not %lu",
				 plan->names.items + stander->function->name,
				 (unsigned long)place->original -
					 stander->function->address,
				 i, (unsigned long)entered,
				 (unsigned long)counts.blocks[i]);
	}
	for (unsigned i = 0; i < 3; i++)
		if (place->uncounted[i] != PLAN_NO_SLOT)
			whole_counters[place->uncounted[i] / plan->slot_size]--;
	edges_counts_deinit(&counts);
	vector_deinit(&residues);
	stander->jumping += to != PLAN_EDGE_OUT;
	stander->stood++;
}

/* Calls are made at their own places. */
static void note_executed(struct stander *stander, uint64_t rip)
{
	for (uint32_t i = 0; i < stander->function->block_count; i++) {
		uint64_t start =
			stander->function->address + block_of(stander, i)->offset;
		uint32_t back;

		if (plan_moved_to(stander->area->plan, start, false, &back))
			stander->executed[i] += rip == WHOLE_CODE + back;
		else
			stander->executed[i] += rip == start;
	}
}

static void stand(void *context, ucontext_t *ucontext)
{
	struct stander *stander = context;
	const struct plan *plan = stander->area->plan;
	uint64_t rip = (uint64_t)ucontext->uc_mcontext.gregs[REG_RIP];
	struct plan_position place = {.kind = PLAN_POSITION_UNKNOWN};

	/* A repeated instruction is one. */
	if (rip == stander->last)
		return;
	stander->last = rip;
	if (rip - WHOLE_CODE < plan->code.count)
		place = locate(stander->area, (uint32_t)(rip - WHOLE_CODE));
	if (edges_is_before_stub(plan, stander->function, rip))
		place = (struct plan_position){
			.kind = PLAN_POSITION_MOVED,
			.function = (uint32_t)(stander->function - plan->functions.items),
			.original = rip,
			.uncounted = PLAN_ALL_COUNTED};
	if (place.kind == PLAN_POSITION_MOVED && !place.inside &&
	    &plan->functions.items[place.function] == stander->function)
		check_stand(stander, &place);
	note_executed(stander, rip);
}

/* Stands in all functions of an area. */
static void stand_everywhere(const struct whole_area *area)
{
	size_t stood = 0, jumping = 0;

	whole_area_show(area, true);
	vector_for_each (&area->plan->functions, function) {
		if (!whole_routine_runs(area->plan->names.items + function->name,
					IMAGE_EXECUTABLE) ||
		    !function->edge_count || function->block_count > STOOD_BLOCKS)
			continue;
		for (unsigned i = 0; i < 4; i++) {
			struct stander stander = {.area = area, .function = function};

			memset(whole_counters, 0, sizeof(whole_counters));
			whole_run_stepped(function->address, i * 21, i, i, stand,
					  &stander);
			stood += stander.stood;
			jumping += stander.jumping;
		}
	}
	assert_true(stood > 1000);
	assert_true(jumping > 10);
}

/* A thread that stays where it is leaves counts of what it did until then. */
static void test_stands(void **state)
{
	struct whole_area area;

	(void)state;
	whole_routines_open(&area, IMAGE_EXECUTABLE, PLAN_EDGES);
	for (unsigned way = 0; way < 3; way++) {
		plan_destroy(area.plan);
		area.live = way == 1;
		area.copies_calls = way == 2;
		whole_area_plan(&area);
		stand_everywhere(&area);
	}
	whole_area_close(&area);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_steps), cmocka_unit_test(test_ways),
		cmocka_unit_test(test_leads),     cmocka_unit_test(test_moved_everywhere),
		cmocka_unit_test(test_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
