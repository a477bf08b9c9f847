/* What the library took, said at the end with LOG_VERBOSITY=2, in the peer's words. */
#include "runtime/channel/usage.h"
#include "runtime/channel/log.h"
#include "runtime/events/events.h"
#include "runtime/store/spool.h"
#include "runtime/store/values.h"

#include <stdio.h>

/* Bytes in the largest unit of which there is one. */
static const char *in_units(double bytes, char *text, size_t size)
{
	static const char *const units[] = {"Byte(s)", "KiB", "MiB", "GiB"};
	size_t unit = 0;

	for (; bytes >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		bytes /= 1024;
	snprintf(text, size, "%.6g %s", bytes, units[unit]);
	return text;
}

static void count_one(void *context, uint32_t attribute, uint64_t bits)
{
	(void)attribute;
	(void)bits;
	++*(uint32_t *)context;
}

/* What is open or set in the thread that ends the program. */
static uint32_t count_open(const struct context_thread *thread)
{
	uint32_t count = 0;

	for (const struct context_node *node = thread->node; node && node->parent;
	     node = node->parent)
		count++;
	for (uint32_t i = 1; i < values_room(); i++)
		count += values_get(i) != NULL;
	return count;
}

/* Blocks of the spool that have the thread's nodes: its record, and those behind it. */
static uint32_t count_blocks(const struct context_thread *thread)
{
	const struct context_block *block = thread->node_block;
	uint32_t count = 1;

	for (; block && block != &thread->head; count++)
		block = (const void *)(uintptr_t)block->link;
	return count;
}

static void say_thread(const struct context_thread *thread)
{
	uint64_t used = runtime_spool->blocks * CONTEXT_BLOCK;
	uint64_t reserved =
		(used + RUNTIME_SEGMENT - 1) & ~(uint64_t)(RUNTIME_SEGMENT - 1);
	char text[2][32];

	log_detail("Releasing Caliper thread data: \n"
		   "  Metadata tree: %u blocks, %u nodes\n"
		   "   Metadata memory pool: %s reserved, %s used\n"
		   "  Thread blackboard: %u entries.",
		   count_blocks(thread), thread->node_count,
		   in_units((double)reserved, text[0], sizeof(text[0])),
		   in_units((double)used, text[1], sizeof(text[1])), count_open(thread));
}

void usage_say(void)
{
	uint32_t entries = 0;
	struct context_thread *thread;

	values_each_process(count_one, &entries);
	log_detail("Releasing Caliper global data.");
	log_detail("Process blackboard: %u entries.", entries);
	thread = events_enter();
	if (!thread)
		return;
	say_thread(thread);
	events_leave();
}
