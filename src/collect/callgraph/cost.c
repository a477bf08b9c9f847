#include "collect/callgraph/cost.h"

#include "base/page.h"
#include "code/calls/gate_forms.h"
#include "code/emit/probe.h"
#include "resident/resident.h"
#include "session/cache/graph_layout.h"
#include "session/profile/profile_writer.h"
#include "wire/bank.h"
#include "wire/graph.h"

#include <asm/prctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

enum {
	CALLS = 2048, /* in a row */
	ROUNDS = 15,  /* of these; others may have the processor in some */
	CODE_SIZE = WIRE_RESIDENT_SIZE + 4 * PAGE,
};

/* Functions that do nothing. */
enum function { BARE, LEAF, WHOLE, FUNCTIONS };

/* What is run. */
struct trial {
	uint8_t *code; /* the resident, and behind it the functions */
	struct wire_bank *bank;
	struct wire_graph *graph;
	uint64_t functions[FUNCTIONS];
};

static const struct plan_hook_layout layout = {
	.enter = WIRE_BANK_ENTER,
	.leave = WIRE_BANK_LEAVE,
	.tally = WIRE_BANK_TALLY,
	.graph = CALLGRAPH_LAYOUT,
};

/* A function with its gate in front of it, as far as one is wanted. */
static void write_function(struct trial *trial, enum function function)
{
	enum { RET = 0xc3, JUMP = 5 };
	size_t start = WIRE_RESIDENT_SIZE + (size_t)function * PAGE;
	struct emitter emitter = {.code = trial->code,
				  .count = start,
				  .capacity = CODE_SIZE,
				  .address = (uint64_t)(uintptr_t)trial->code};
	struct gate gate = {
		.form = function == LEAF ? GATE_TALLY_FREE : GATE_GRAPH_FREE,
		.number = function,
		.slot = (uint32_t)(function * PLAN_GRAPH_SLOTS * sizeof(uint64_t)) +
			(function == LEAF ? layout.graph.leaf : 0),
		.routine = function == LEAF ? layout.tally : layout.enter,
		.graph = &layout.graph,
		.target = emit_here(&emitter) + PAGE / 2,
	};

	trial->functions[function] = emit_here(&emitter);
	if (function != BARE) {
		/* From the entry. */
		emit_jump(&emitter, emit_here(&emitter) + JUMP);
		gate_emit(&emitter, &gate);
		emitter.count = start + PAGE / 2;
	}
	if (function == WHOLE)
		probe_emit_return(&emitter, &layout, 0);
	emit_byte(&emitter, RET);
}

static bool make_trial(struct trial *trial)
{
	const struct resident_table *table = (const void *)trial->code;
	uint64_t start = (uint64_t)(uintptr_t)trial->code;

	memcpy(trial->code, resident_image, resident_image_size);
	trial->bank->enter = start + table->graph[RESIDENT_ENTER].start;
	trial->bank->leave = start + table->graph[RESIDENT_LEAVE].start;
	trial->bank->tally = start + table->graph[RESIDENT_TALLY].start;
	trial->graph = (void *)((char *)trial->bank + WIRE_GRAPH_BASE);
	for (enum function i = 0; i < FUNCTIONS; i++)
		write_function(trial, i);
	return !mprotect(trial->code, CODE_SIZE, PROT_READ | PROT_EXEC);
}

/* Ticks of so many calls. */
static double run_trial(const struct trial *trial, enum function function)
{
	uint64_t address = trial->functions[function], begin = __rdtsc();

	for (int i = 0; i < CALLS; i++)
		__asm__ volatile("sub $256, %%rsp\n\t"
				 "call *%0\n\t"
				 "add $256, %%rsp\n\t"
				 :
				 : "r"(address)
				 : "rax", "cc", "memory");
	return (double)(__rdtsc() - begin);
}

static int by_size(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static double median_of(double values[ROUNDS])
{
	qsort(values, ROUNDS, sizeof(*values), by_size);
	return values[ROUNDS / 2] > 0 ? values[ROUNDS / 2] : 0;
}

/* The node of the function that is relocated whole, by its first call. */
static struct wire_graph_node *find_node(const struct trial *trial)
{
	uint64_t used = trial->graph->used / sizeof(trial->graph->nodes[0]);

	return &trial->graph->nodes[used];
}

/* Timed calls are as rare as to surprise the processor, as they do in programs. */
static void measure_timed(const struct trial *trial, struct wire_graph_node *node,
			  double bare, struct callgraph_cost *cost)
{
	enum { TIMED = 1 << 20, SHIFT = 11 }; /* one of 8.5 is */
	double inside[ROUNDS], outside[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double all, timed;

		node->timed = TIMED;
		node->ticks = (uint64_t)TIMED << SHIFT;
		node->left = 0;
		all = run_trial(trial, WHOLE) - bare * CALLS;
		timed = node->timed - TIMED;
		inside[i] = (double)(node->ticks - ((uint64_t)TIMED << SHIFT)) / timed;
		outside[i] = (all - cost->untimed * (CALLS - timed)) / timed - inside[i];
	}
	cost->inside = median_of(inside);
	cost->outside = median_of(outside);
}

static void measure_cost(const struct trial *trial, struct callgraph_cost *ret_cost)
{
	double ticks[FUNCTIONS][ROUNDS], bare;
	struct wire_graph_node *node;

	if (syscall(SYS_arch_prctl, ARCH_SET_GS, trial->bank))
		return;
	run_trial(trial, LEAF);
	run_trial(trial, WHOLE);
	node = find_node(trial);
	for (int i = 0; i < ROUNDS; i++)
		for (enum function j = 0; j < FUNCTIONS; j++) {
			node->left = -2 * CALLS;
			ticks[j][i] = run_trial(trial, j) / CALLS;
		}
	bare = median_of(ticks[BARE]);
	*ret_cost = (struct callgraph_cost){.leaf = median_of(ticks[LEAF]) - bare,
					    .untimed = median_of(ticks[WHOLE]) - bare};
	measure_timed(trial, node, bare, ret_cost);
	syscall(SYS_arch_prctl, ARCH_SET_GS, 0);
}

void callgraph_find_cost(struct callgraph_cost *ret_cost)
{
	const size_t size = WIRE_GRAPH_BASE + sizeof(struct wire_graph) + PAGE;
	struct trial trial = {
		.code = mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		.bank = mmap(NULL, size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
	};

	*ret_cost = (struct callgraph_cost){0};
	if (trial.code != MAP_FAILED && trial.bank != MAP_FAILED && make_trial(&trial))
		measure_cost(&trial, ret_cost);
	if (trial.code != MAP_FAILED)
		munmap(trial.code, CODE_SIZE);
	if (trial.bank != MAP_FAILED)
		munmap(trial.bank, size);
}

void callgraph_find_costs(struct profile_writer *writer)
{
	callgraph_find_cost(&writer->graph_cost);
}
