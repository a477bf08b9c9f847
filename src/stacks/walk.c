#include "stacks/walk.h"

#include "base/clock.h"

/* Nanoseconds between readings of one process's mappings: some code is in none. */
#define AGAIN_NS 50000000u

/* Whether a frame of a path is nowhere: in code that was mapped meanwhile. */
static bool any_unknown(const struct stacks_walker *walker, uint32_t node)
{
	const struct sample_node *nodes = walker->sampler->sums.nodes.items;

	for (; node; node = nodes[node].parent)
		if (nodes[node].module == SAMPLE_NOWHERE)
			return true;
	return false;
}

uint32_t stacks_walk(struct stacks_walker *walker, uint32_t image,
		     const struct sample_record *record, bool partial)
{
	const uint64_t pc = record->registers[SAMPLE_PC],
		       rsp = record->registers[UNWIND_RSP];
	uint32_t node =
		sampler_add_path(walker->sampler, image, record, pc, rsp, partial);
	uint64_t now;

	if (!any_unknown(walker, node))
		return node;
	now = clock_now_ns();
	if (walker->read_ns && walker->read_image == image &&
	    now - walker->read_ns < AGAIN_NS)
		return node;
	walker->read_ns = now;
	walker->read_image = image;
	sample_processes_read(&walker->sampler->processes, record->pid);
	return sampler_add_path(walker->sampler, image, record, pc, rsp, partial);
}
