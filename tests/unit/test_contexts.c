/*
 * Calls in their contexts: code is run through gates and probes at returns, with the
 * bank and the resident's code that a program has, and stopped at every instruction on
 * the way.
 */
#include "code/calls/gate_layout.h"
#include "code/calls/gates.h"
#include "code/locate/address_map.h"
#include "code/locate/locate.h"
#include "code/plan/plan_rows.h"
#include "code/plan/position.h"
#include "code/plan/request.h"
#include "collect/callgraph/tree.h"
#include "resident/resident.h"
#include "session/cache/graph_layout.h"
#include "session/position/callgraph_bank.h"
#include "whole_area.h"
#include "wire/bank.h"
#include "wire/graph.h"
#include "wire/layout.h"

#include <asm/prctl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

__asm__(".text\n.balign 16\nsample_begin:\n"
	/* brief */
	"sample_leaf: lea 1(%rdi), %rax\n add %rsi, %rax\n ret\n"
	".balign 16\n"
	"sample_twice: push %rbx\n mov %rdi, %rbx\n nopl 8(%rax)\n"
	"call sample_leaf\n mov %rbx, %rdi\n call sample_leaf\n nopl 8(%rax)\n"
	"pop %rbx\n ret\n"
	".balign 16\n"
	/* begins with a call */
	"sample_first: sub $8, %rsp\n call sample_twice\n add $8, %rsp\n nopl 8(%rax)\n"
	"ret\n"
	".balign 16\n"
	/* calls itself three times, one in the other, and sample_twice in the last */
	"sample_deep: push %rbx\n mov %rsi, %rbx\n nopl 8(%rax)\n test %ebx, %ebx\n jz "
	"1f\n"
	"lea -1(%rbx), %rsi\n call sample_deep\n nopl 8(%rax)\n pop %rbx\n ret\n"
	"1: call sample_twice\n nopl 8(%rax)\n pop %rbx\n ret\n"
	".balign 16\n"
	/* leaves a call without its return, and goes on with arguments on the stack */
	"sample_leaves: push %rbx\n mov %rsp, %rbx\n nopl 8(%rax)\n"
	"call sample_away\n"
	"sample_leaves_1: mov %rbx, %rsp\n call sample_leaf\n nopl 8(%rax)\n"
	"call sample_twice\n nopl 8(%rax)\n pop %rbx\n ret\n"
	".balign 16\n"
	"sample_away: push %rbp\n nopl 8(%rax)\n call sample_twice\n nopl 8(%rax)\n"
	"jmp *sample_back(%rip)\n"
	"sample_back: .quad 0\n"
	".balign 16\n"
	/* a tail call */
	"sample_tail: push %rbx\n nopl 8(%rax)\n call sample_leaf\n nopl 8(%rax)\n"
	"pop %rbx\n mov $1, %edi\n .byte 0xe9\n .long sample_twice - . - 4\n"
	".balign 16\n"
	/* calls on another stack, in between */
	"sample_aside: push %rbx\n mov %rsp, %rbx\n nopl 8(%rax)\n"
	"mov sample_stack(%rip), %rsp\n call sample_twice\n nopl 8(%rax)\n"
	"mov %rbx, %rsp\n call sample_leaf\n nopl 8(%rax)\n pop %rbx\n ret\n"
	"sample_stack: .quad 0\n"
	".balign 16\n"
	/* calls from both ends of a large frame, and its caller goes on */
	"sample_wide: push %rbx\n nopl 8(%rax)\n lea -20480(%rsp), %rsp\n"
	"call sample_twice\n nopl 8(%rax)\n lea 10240(%rsp), %rsp\n"
	"call sample_twice\n nopl 8(%rax)\n lea 10240(%rsp), %rsp\n pop %rbx\n ret\n"
	".balign 16\n"
	"sample_round: push %rbx\n nopl 8(%rax)\n call sample_wide\n nopl 8(%rax)\n"
	"call sample_twice\n nopl 8(%rax)\n pop %rbx\n ret\n"
	".balign 16\nsample_end:\n");

extern const uint8_t sample_begin[], sample_leaf[], sample_twice[], sample_first[],
	sample_deep[], sample_leaves[], sample_leaves_1[], sample_away[], sample_back[],
	sample_tail[], sample_aside[], sample_stack[], sample_wide[], sample_round[],
	sample_end[];

enum { LEAF, TWICE, FIRST, DEEP, LEAVES, AWAY, TAIL, ASIDE, WIDE, ROUND, FUNCTIONS };
static const uint8_t *const starts[] = {
	sample_leaf, sample_twice, sample_first, sample_deep,  sample_leaves, sample_away,
	sample_tail, sample_aside, sample_wide,  sample_round, sample_end};

enum { BANK_SLOTS = 1024, PAGE = 4096 };
enum { GRAPH_SIZE = (sizeof(struct wire_graph) + PAGE - 1) / PAGE * PAGE };
static struct {
	struct wire_bank header;
	uint8_t pad[WIRE_BANK_HEADER - sizeof(struct wire_bank)];
	uint8_t pad1[WIRE_ARCS_USED - WIRE_BANK_HEADER];
	struct wire_arcs arcs;
	uint8_t pad2[WIRE_GRAPH_BASE - WIRE_ARCS_USED - sizeof(struct wire_arcs)];
	struct wire_graph graph;
	uint8_t pad3[GRAPH_SIZE - sizeof(struct wire_graph)];
	uint64_t slots[BANK_SLOTS];
} __attribute__((aligned(4096))) bank;
static const uint32_t first_slot = WIRE_GRAPH_BASE + GRAPH_SIZE;
static const struct resident_table *table;
static uint8_t other_stack[64 << 10] __attribute__((aligned(16)));

static uint64_t at(const uint8_t *label)
{
	return WHOLE_ADDRESS + (uint64_t)(label - sample_begin);
}

static void map_resident(void)
{
	uint8_t *code = mmap(NULL, WIRE_RESIDENT_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t address = (uint64_t)(uintptr_t)code;

	assert_ptr_not_equal(code, MAP_FAILED);
	memcpy(code, resident_image, resident_image_size);
	table = (const struct resident_table *)(const void *)code;
	bank.header.arc = address + table->arc;
	bank.header.enter = address + table->graph[RESIDENT_ENTER].start;
	bank.header.leave = address + table->graph[RESIDENT_LEAVE].start;
	bank.header.tally = address + table->graph[RESIDENT_TALLY].start;
}

static void empty_bank(void)
{
	/* Most of its pages were never used. */
	assert_int_equal(
		madvise(bank.pad1, sizeof(bank) - WIRE_BANK_HEADER, MADV_DONTNEED), 0);
}

/* With `places` calls are counted by these, too. */
static void open_area(struct whole_area *area, bool copy_calls, bool places)
{
	size_t size = (size_t)(sample_end - sample_begin);
	struct plan_request request = {.image = &area->image,
				       .probe = PLAN_PROBE_COUNT,
				       .depth = PLAN_CALLS,
				       .calls = places,
				       .graph = true,
				       .copy_calls = copy_calls,
				       .hook_own = 1,
				       .hook_stack = 2,
				       .code_address = WHOLE_CODE,
				       .hook_layout = {.graph = CALLGRAPH_LAYOUT,
						       .arc = WIRE_BANK_ARC,
						       .enter = WIRE_BANK_ENTER,
						       .leave = WIRE_BANK_LEAVE,
						       .tally = WIRE_BANK_TALLY}};
	const uint64_t back = at(sample_leaves_1);
	const uint64_t stack = (uint64_t)(uintptr_t)(other_stack + sizeof(other_stack));

	whole_area_open(area, sample_begin, size, size, IMAGE_DYNAMIC);
	for (int i = 0; i < FUNCTIONS; i++)
		plan_image_add(&area->image, at(starts[i]),
			       (uint64_t)(starts[i + 1] - starts[i]), NULL);
	whole_area_make(area, &request, first_slot);
	assert_true(area->plan->slot_count <= BANK_SLOTS);
	memcpy((void *)(uintptr_t)at(sample_back), &back, sizeof(back));
	memcpy((void *)(uintptr_t)at(sample_stack), &stack, sizeof(stack));
	empty_bank();
	assert_int_equal(syscall(SYS_arch_prctl, ARCH_SET_GS, &bank), 0);
}

static uint32_t name_of(int function)
{
	return first_slot + (uint32_t)function * PLAN_GRAPH_SLOTS * 8;
}

static uint32_t node_count(void)
{
	return (uint32_t)(bank.graph.used / sizeof(bank.graph.nodes[0]));
}

static uint32_t leaf_count(void)
{
	return (uint32_t)(bank.graph.leaves_used / sizeof(bank.graph.leaves[0]));
}

/* A context: functions from the outermost on, -1 at the end. NULL: there is none. */
static struct wire_graph_node *node_of(const int *way)
{
	struct wire_graph_node *nodes = bank.graph.nodes, *node = nodes;

	for (; *way >= 0 && node; way++) {
		uint32_t parent = (uint32_t)((node - nodes) * (ptrdiff_t)sizeof(*nodes));

		node = NULL;
		for (uint32_t i = 1; i <= node_count(); i++)
			if (nodes[i].parent == parent &&
			    nodes[i].function == name_of(*way))
				node = &nodes[i];
	}
	return node;
}

/* The calls of a function that is a leaf of a node. */
static uint64_t calls_of_leaf(const struct wire_graph_node *node, int function)
{
	uint64_t parent = (uint64_t)(node - bank.graph.nodes) * sizeof(*node);

	for (uint32_t i = 0; node && i < leaf_count(); i++)
		if (bank.graph.leaves[i].parent == parent &&
		    bank.graph.leaves[i].function == name_of(function) + WIRE_GRAPH_LEAF)
			return bank.graph.leaves[i].calls;
	return 0;
}

static uint64_t calls_in(const int *way)
{
	const struct wire_graph_node *node = node_of(way);
	int outer[8], count = 0;

	for (; way[count] >= 0; count++)
		outer[count] = way[count];
	outer[count - 1] = -1;
	return (node ? node->calls : 0) + calls_of_leaf(node_of(outer), way[count - 1]);
}

#define NODE(...)  node_of((const int[]){__VA_ARGS__, -1})
#define CALLS(...) calls_in((const int[]){__VA_ARGS__, -1})

static uint64_t all_calls(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i <= node_count(); i++)
		sum += bank.graph.nodes[i].calls;
	for (uint32_t i = 0; i < leaf_count(); i++)
		sum += bank.graph.leaves[i].calls;
	for (int i = 0; i < FUNCTIONS; i++)
		sum += bank.slots[i * PLAN_GRAPH_SLOTS + 2];
	return sum;
}

enum { ASIDE_CALLS = 5, ROUND_CALLS = 2 + 3 * 3 };
enum { ALL_CALLS = 1 + 3 + 4 + 7 + 9 + 5 + ASIDE_CALLS + ROUND_CALLS };

static void run_all(void)
{
	whole_run(at(sample_leaf), 1, 2, 1);
	whole_run(at(sample_twice), 1, 2, 1);
	whole_run(at(sample_first), 1, 2, 1);
	whole_run(at(sample_deep), 1, 3, 1);
	whole_run(at(sample_leaves), 1, 2, 1);
	whole_run(at(sample_tail), 1, 2, 1);
	whole_run(at(sample_aside), 1, 2, 1);
	whole_run(at(sample_round), 1, 2, 1);
}

static void check_all(uint64_t times)
{
	assert_int_equal(CALLS(LEAF), times);
	assert_int_equal(CALLS(FIRST, TWICE, LEAF), 2 * times);
	assert_int_equal(CALLS(FIRST, TWICE), times);
	assert_int_equal(CALLS(DEEP, DEEP, DEEP, DEEP, TWICE, LEAF), 2 * times);
	assert_int_equal(CALLS(DEEP, DEEP, DEEP, DEEP, DEEP), 0);
	assert_int_equal(CALLS(LEAVES, AWAY, TWICE, LEAF), 2 * times);
	assert_int_equal(CALLS(LEAVES, LEAF), times);
	assert_int_equal(CALLS(LEAVES, TWICE, LEAF), 2 * times);
	assert_int_equal(CALLS(LEAVES, AWAY, LEAF), 0);
	/* What is called in place of a return is called by the caller: by nobody here. */
	assert_int_equal(CALLS(TAIL, LEAF), times);
	assert_int_equal(CALLS(TAIL, TWICE), 0);
	assert_int_equal(CALLS(TWICE), 2 * times);
	assert_int_equal(CALLS(ASIDE, TWICE, LEAF), 2 * times);
	assert_int_equal(CALLS(ASIDE, LEAF), times);
	assert_int_equal(CALLS(ROUND, WIDE, TWICE), 2 * times);
	assert_int_equal(CALLS(ROUND, TWICE, LEAF), 2 * times);
	assert_int_equal(all_calls(), times * ALL_CALLS);
	assert_int_equal(bank.graph.top, 0);
	assert_int_equal(bank.graph.at, 0);
}

static void test_contexts(void **state)
{
	struct whole_area area;

	(void)state;
	for (int copies = 0; copies < 2; copies++) {
		open_area(&area, copies, false);
		assert_int_equal(area.plan->functions.items[LEAF].map_row_count, 0);
		assert_int_not_equal(area.plan->functions.items[TWICE].map_row_count, 0);
		/* The jump at the entry may lie over a call that is copied. */
		assert_int_equal(area.plan->functions.items[FIRST].call_end,
				 copies ? 0 : 9);
		for (uint64_t times = 1; times <= 3; times++) {
			run_all();
			check_all(times);
		}
		whole_area_close(&area);
	}
}

/* Times are those between events: what a function takes is no less than what goes by. */
static void test_times(void **state)
{
	struct whole_area area;
	uint64_t sum = 0, before, after;

	(void)state;
	open_area(&area, true, false);
	run_all();
	before = bank.graph.last;
	for (uint32_t i = 0; i <= node_count(); i++)
		bank.graph.nodes[i].ticks = 0;
	run_all();
	after = bank.graph.last;
	for (uint32_t i = 0; i <= node_count(); i++)
		sum += bank.graph.nodes[i].ticks;
	assert_int_equal(sum, after - before);
	/* Without a clock calls are counted as ever. */
	bank.header.untimed = 1;
	run_all();
	bank.header.untimed = 0;
	check_all(3);
	assert_int_equal(bank.graph.last, after);
	whole_area_close(&area);
}

/* A call that is not timed has no time, though something in it was; that around it has.
 */
static void test_untimed(void **state)
{
	struct whole_area area;
	struct wire_graph_node *first, *twice, before;

	(void)state;
	open_area(&area, true, false);
	run_all();
	first = NODE(FIRST);
	twice = NODE(FIRST, TWICE);
	first->left = -2;
	before = *first;
	assert_int_equal(twice->timed, 1);
	whole_run(at(sample_first), 1, 2, 1);
	assert_int_equal(first->calls, before.calls + 1);
	assert_int_equal(first->timed, before.timed);
	assert_int_equal(first->ticks, before.ticks);
	assert_int_equal(twice->timed, 2);
	assert_int_equal(bank.graph.at, 0);
	whole_area_close(&area);
}

/* What does not fit is counted as in no known context, and nothing else changes. */
static void test_full(void **state)
{
	struct whole_area area;

	(void)state;
	open_area(&area, true, false);
	whole_run(at(sample_first), 1, 2, 1);
	bank.graph.used = WIRE_GRAPH_MAX;
	run_all();
	/* Of those that are known already, calls are told apart still. */
	assert_int_equal(CALLS(FIRST, TWICE, LEAF), 4);
	assert_int_equal(CALLS(DEEP), 0);
	assert_int_equal(bank.slots[DEEP * PLAN_GRAPH_SLOTS + 2], 4);
	assert_int_equal(bank.slots[LEAVES * PLAN_GRAPH_SLOTS + 2], 1);
	assert_int_equal(all_calls(), 4 + ALL_CALLS);
	assert_int_equal(bank.graph.top, 0);
	for (uint32_t i = 0; i < leaf_count(); i++)
		assert_int_not_equal(bank.graph.leaves[i].parent, WIRE_GRAPH_BEYOND);
	/* Leaves have room of their own. */
	assert_int_equal(CALLS(LEAF), 1);
	/* An index without a hole ends the search, too. */
	bank.graph.used = WIRE_GRAPH_NODE;
	bank.graph.leaves_used = 0;
	for (size_t i = 0; i <= WIRE_GRAPH_MASK; i++)
		bank.graph.index[i] = WIRE_GRAPH_NODE / 2;
	run_all();
	assert_int_equal(bank.slots[DEEP * PLAN_GRAPH_SLOTS + 2], 8);
	/* Calls that are in too many others have none in them. */
	empty_bank();
	bank.graph.top = WIRE_GRAPH_DEPTH;
	bank.graph.frames[WIRE_GRAPH_DEPTH / 16].place = UINT64_MAX - 1;
	whole_run(at(sample_first), 1, 2, 1);
	assert_int_equal(CALLS(FIRST), 1);
	assert_int_equal(CALLS(TWICE), 1);
	assert_int_equal(CALLS(LEAF), 2);
	/* And so do others. */
	empty_bank();
	bank.graph.leaves_used = WIRE_GRAPH_LEAF_MAX;
	whole_run(at(sample_first), 1, 2, 1);
	assert_int_equal(CALLS(FIRST, TWICE), 1);
	assert_int_equal(bank.slots[LEAF * PLAN_GRAPH_SLOTS + 2], 2);
	whole_area_close(&area);
}

/* The place of a child in its parent's node. */
static uint32_t *place_of(struct wire_graph_node *parent, int function)
{
	return &parent->children[name_of(function) / 32 % WIRE_GRAPH_CHILDREN];
}

static uint32_t offset_of(const struct wire_graph_node *node)
{
	return (uint32_t)((node - bank.graph.nodes) * WIRE_GRAPH_NODE);
}

/* No child has a place: all are found by the index. */
static void empty_places(void)
{
	for (uint32_t i = 0; i <= node_count(); i++)
		memset(bank.graph.nodes[i].children, 0,
		       sizeof(bank.graph.nodes[i].children));
}

/* Of two children with one place that has it which is called more often, and both are
 * counted. */
static void test_places(void **state)
{
	struct whole_area area;
	struct wire_graph_node *first, *twice, *busy;

	(void)state;
	open_area(&area, true, false);
	run_all();
	first = NODE(FIRST);
	twice = NODE(FIRST, TWICE);
	busy = NODE(DEEP);
	assert_int_equal(*place_of(first, TWICE), offset_of(twice));
	busy->calls = 1000;
	*place_of(first, TWICE) = offset_of(busy);
	for (int i = 0; i < 32; i++)
		whole_run(at(sample_first), 1, 2, 1);
	assert_int_equal(twice->calls, 33);
	assert_int_equal(*place_of(first, TWICE), offset_of(busy));
	busy->calls = 20;
	for (int i = 0; i < 16; i++)
		whole_run(at(sample_first), 1, 2, 1);
	assert_int_equal(twice->calls, 49);
	assert_int_equal(*place_of(first, TWICE), offset_of(twice));
	whole_area_close(&area);
}

/* A signal at a step of the resident's: the thread goes back to where it was called, with
 * its registers, and on as session/position/gate_position.c has it. Each is of a process
 * of its own, which begins at that step. */
struct interruption {
	struct whole_area area;
	size_t steps, wrong; /* in gates and the resident; of them, which ended badly */
	bool done;           /* in this process */
};

/* True: in the process that is not interrupted here, when the other one has ended. */
static bool goes_on(struct interruption *interruption)
{
	pid_t process = fork();
	int status = 0;

	assert_true(process >= 0);
	interruption->done = !process;
	if (process) {
		assert_int_equal(waitpid(process, &status, 0), process);
		interruption->steps++;
		interruption->wrong += status != 0;
	}
	return process;
}

static const struct resident_routine *routine_at(uint64_t offset)
{
	for (size_t i = 0; i < RESIDENT_ROUTINES; i++)
		if (offset >= table->graph[i].start && offset < table->graph[i].end)
			return &table->graph[i];
	return NULL;
}

/* A call that its gate has not told of yet, though its place is counted. */
static void enter_by_hand(struct plan *plan, const struct plan_position *place,
			  uint64_t rsp)
{
	struct module_file file = {.plan = plan};
	const struct module module = {.file = &file,
				      .first_slot = (first_slot - WIRE_BANK_HEADER) /
						    sizeof(uint64_t)};
	struct bank own = {.shared = &bank.header};
	const struct thread thread = {.bank = &own};

	if (place->enters)
		callgraph_enter(&thread, &module, place->function, rsp + place->depth);
}

static void go_back(const struct resident_routine *routine, greg_t *registers,
		    uint64_t offset)
{
	bool searching = offset >= routine->search;
	bool framed = searching || (offset >= routine->lowered && offset < routine->last);
	const uint64_t *frame =
		(const uint64_t *)(uintptr_t)registers[REG_RSP] - (framed ? 0 : 6);

	if (framed && offset >= routine->half) {
		registers[REG_RCX] = (greg_t)frame[0];
		registers[REG_RDX] = (greg_t)frame[1];
	}
	if (framed && offset >= routine->saved) {
		registers[REG_R8] = (greg_t)frame[2];
		registers[REG_R9] = (greg_t)frame[3];
	}
	registers[REG_RSP] = (greg_t)(uintptr_t)(frame + 7);
	registers[REG_RIP] =
		(greg_t)(frame[6] - (searching || offset < routine->done ? 8 : 0));
}

static void interrupt(void *context, ucontext_t *ucontext)
{
	struct interruption *interruption = context;
	struct plan *plan = interruption->area.plan;
	greg_t *registers = ucontext->uc_mcontext.gregs;
	uint64_t offset = (uint64_t)registers[REG_RIP] - (uint64_t)(uintptr_t)table;
	const struct resident_routine *routine =
		offset < WIRE_RESIDENT_SIZE ? routine_at(offset) : NULL;
	struct plan_position place;
	const uint64_t *stack;

	if ((!routine && (uint64_t)registers[REG_RIP] - WHOLE_CODE >= plan->gates_size) ||
	    goes_on(interruption))
		return;
	registers[REG_EFL] &= ~TRAP_FLAG; /* the rest is not stepped through */
	if (routine)
		go_back(routine, registers, offset);
	place = plan_locate(plan, whole_original_at, &interruption->area.image,
			    (uint32_t)((uint64_t)registers[REG_RIP] - WHOLE_CODE));
	stack = (const uint64_t *)(uintptr_t)registers[REG_RSP];
	assert_int_not_equal(place.kind, PLAN_POSITION_UNKNOWN);
	assert_true(!routine || place.pushed || place.kept);
	if (place.pushed)
		registers[REG_RAX] = (greg_t)stack[place.flags];
	registers[REG_RSP] += place.stack;
	stack = (const uint64_t *)(uintptr_t)registers[REG_RSP] - PLAN_KEPT / 8;
	if (place.kept)
		registers[REG_R11] = (greg_t)stack[0];
	if (place.kept == 2)
		registers[REG_RAX] = (greg_t)stack[-1];
	enter_by_hand(plan, &place, (uint64_t)registers[REG_RSP]);
	if (place.kind == PLAN_POSITION_START || place.kind == PLAN_POSITION_CALL_DONE) {
		/* Counted: behind the gate. */
		registers[REG_RIP] =
			(greg_t)(WHOLE_CODE +
				 gates_body(plan,
					    &plan->functions.items[place.function]));
		return;
	}
	if (place.kind == PLAN_POSITION_MOVED) {
		uint32_t to;

		/* In front of a return, which is not told then. */
		assert_true(plan_moved_to(plan, place.original, false, &to));
		registers[REG_RIP] = (greg_t)(WHOLE_CODE + to);
		return;
	}
	/* Not counted: all of it is done again. */
	if (place.kind == PLAN_POSITION_CALL_UNDO)
		registers[REG_RSP] += 8;
	registers[REG_RIP] = (greg_t)place.original;
}

/* All calls that were counted by call site. */
static uint64_t all_places(const struct plan *plan)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < FUNCTIONS; i++)
		sum += bank.slots[plan_lost_slot(plan, i)];
	for (uint64_t i = 0; i < bank.arcs.used; i++)
		sum += bank.arcs.entries[i].count;
	for (uint32_t i = 0; i < plan->arcs.count; i++)
		sum += bank.slots[plan->arc_slot + i];
	return sum;
}

static void check_interrupted(const struct plan *plan, bool places)
{
	assert_int_equal(CALLS(FIRST, TWICE, LEAF), 8);
	assert_int_equal(CALLS(FIRST, TWICE), 4);
	assert_int_equal(CALLS(ASIDE, TWICE, LEAF), 8);
	assert_int_equal(CALLS(ASIDE, LEAF), 4);
	assert_int_equal(CALLS(LEAF), 4);
	assert_int_equal(all_calls(), 3 * ALL_CALLS + 5 + ASIDE_CALLS);
	assert_int_equal(bank.graph.top, 0);
	assert_int_equal(bank.graph.at, 0);
	if (places)
		assert_int_equal(all_places(plan), 3 * ALL_CALLS + 5 + ASIDE_CALLS);
}

static void interrupt_all(bool copies, bool places, bool searched)
{
	struct interruption interruption = {.done = false};

	open_area(&interruption.area, copies, places);
	for (int i = 0; i < 3; i++)
		run_all();
	if (searched)
		empty_places();
	whole_run_stepped(at(sample_first), 1, 2, 1, interrupt, &interruption);
	if (interruption.done)
		whole_run(at(sample_aside), 1, 2, 1);
	else
		whole_run_stepped(at(sample_aside), 1, 2, 1, interrupt, &interruption);
	/* The last return may have been passed over: the next call tells. */
	whole_run(at(sample_leaf), 1, 2, 1);
	check_interrupted(interruption.area.plan, places);
	if (interruption.done)
		_exit(0);
	assert_true(interruption.steps > 100);
	assert_int_equal(interruption.wrong, 0);
	whole_area_close(&interruption.area);
}

static void test_interrupted(void **state)
{
	(void)state;
	interrupt_all(true, false, false);
	interrupt_all(true, false, true);
}

/* Where calls are counted by call site, too, both counts are the same, wherever a
 * signal finds the thread. */
static void test_both(void **state)
{
	(void)state;
	interrupt_all(true, true, false);
	interrupt_all(false, true, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contexts), cmocka_unit_test(test_times),
		cmocka_unit_test(test_untimed),  cmocka_unit_test(test_full),
		cmocka_unit_test(test_places),   cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_both),
	};

	map_resident();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
