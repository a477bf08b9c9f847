#include "session/position/thread_region.h"

#include "control/remote.h"
#include "wire/bank.h"
#include "wire/context.h"

#include <stddef.h>

/* Adds a number to a path. False: there is no room. */
static bool add_number(char *path, size_t *length, uint64_t number)
{
	do {
		if (*length == WIRE_PROBE_PATH)
			return false;
		path[*length] = (char)(WIRE_PROBE_DIGIT | (number & 0x3f));
		number >>= WIRE_PROBE_DIGIT_BITS;
		if (!number)
			path[*length] |= WIRE_PROBE_LAST_DIGIT;
		++*length;
	} while (number);
	return true;
}

/* Reads the nodes from `at` outwards, as the resident does for probes. False: one of them
 * cannot be read, or there are too many. */
static bool add_nodes(int memory_fd, uint64_t at, char *path, size_t *length)
{
	struct context_node node;

	for (; at; at = (uint64_t)(uintptr_t)node.parent) {
		if (remote_failed(remote_read(memory_fd, at, &node, sizeof(node))))
			return false;
		/* The root stands for no region. */
		if (node.parent && !(add_number(path, length, node.attribute) &&
				     add_number(path, length, node.value)))
			return false;
	}
	return true;
}

void thread_region_encode(const struct thread *thread, char ret_path[WIRE_PROBE_PATH + 1])
{
	const struct space *space = thread->process->space;
	const uint64_t own = thread->bank ? thread->bank->shared->context : 0;
	size_t length = 0;
	uint64_t at;

	if (!own ||
	    remote_failed(remote_read(space->memory_fd,
				      own + offsetof(struct context_thread, node), &at,
				      sizeof(at))) ||
	    !add_nodes(space->memory_fd, at, ret_path, &length))
		length = 0;
	ret_path[length] = '\0';
}
