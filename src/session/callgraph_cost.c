/* What the probes of call graphs take themselves: the resident's code is run here, with a
 * bank of our own. */
#include "session/callgraph.h"

#include "resident/resident.h"

#include <asm/prctl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096u

enum { ROUNDS = 4096 };

/* As a gate and a probe at a return call it, without any function between the two. */
static void call_and_return(uint64_t enter, uint64_t leave)
{
	for (int i = 0; i < ROUNDS; i++)
		__asm__ volatile("sub $256, %%rsp\n\t"
				 "mov %%rsp, %%rax\n\t"
				 "call *%0\n\t"
				 "mov $64, %%eax\n\t" /* a function's name */
				 "mov %%rsp, %%rax\n\t"
				 "call *%1\n\t"
				 "add $256, %%rsp\n\t"
				 :
				 : "r"(enter), "r"(leave)
				 : "rax", "cc", "memory");
}

/* Ticks between the two looks at the clock. */
static uint64_t measure(const void *code, struct wire_bank *bank)
{
	const struct resident_table *table = code;
	const struct wire_graph *graph =
		(const void *)((const char *)bank + WIRE_GRAPH_BASE);
	const struct wire_graph_node *node = &graph->nodes[1];
	uint64_t start = (uint64_t)(uintptr_t)code, least = UINT64_MAX;

	if (syscall(SYS_arch_prctl, ARCH_SET_GS, bank))
		return 0;
	/* Others may have the processor meanwhile. */
	for (int i = 0; i < 8; i++) {
		uint64_t ticks = node->ticks, timed = node->timed;

		call_and_return(start + table->graph[RESIDENT_ENTER].start,
				start + table->graph[RESIDENT_LEAVE].start);
		timed = node->timed - timed;
		if (timed && (node->ticks - ticks) / timed < least)
			least = (node->ticks - ticks) / timed;
	}
	syscall(SYS_arch_prctl, ARCH_SET_GS, 0);
	return least == UINT64_MAX ? 0 : least;
}

uint64_t callgraph_cost_ticks(void)
{
	const size_t size = WIRE_GRAPH_BASE + sizeof(struct wire_graph) + PAGE;
	void *code = mmap(NULL, WIRE_RESIDENT_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *bank = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t ticks = 0;

	if (code != MAP_FAILED && bank != MAP_FAILED) {
		memcpy(code, resident_image, resident_image_size);
		if (!mprotect(code, WIRE_RESIDENT_SIZE, PROT_READ | PROT_EXEC))
			ticks = measure(code, bank);
	}
	if (code != MAP_FAILED)
		munmap(code, WIRE_RESIDENT_SIZE);
	if (bank != MAP_FAILED)
		munmap(bank, size);
	return ticks;
}
