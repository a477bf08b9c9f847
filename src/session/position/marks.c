#include "session/position/marks.h"

#include "base/array.h"
#include "control/remote.h"
#include "wire/bank.h"

#include <string.h>

/* Size in bytes of a region larger than the stack of the resident's C code
 * (-fstack-usage), with unwind_walk and the functions that it calls. */
enum { FRAMES_INSIDE = 4096 };

bool marks_find(const struct space *space, uint64_t rsp, uint64_t mark,
		uint64_t ret_behind[2])
{
	uint64_t stack[FRAMES_INSIDE / sizeof(uint64_t)];

	remote_read_mapped(space->memory_fd, rsp, stack, sizeof(stack));
	for (size_t i = 0; i + 3 < array_count(stack); i++) {
		if (stack[i] != mark || stack[i + 1] != mark)
			continue;
		memcpy(ret_behind, &stack[i + 2], 2 * sizeof(*ret_behind));
		return true;
	}
	return false;
}

bool marks_find_look(const struct thread *thread, uint64_t rsp, uint64_t *ret_frame)
{
	int memory = thread->process->space->memory_fd;
	uint64_t frame = thread->bank ? thread->bank->shared->look_frame : 0;
	uint64_t words[4] = {0}, behind[2];

	if (frame - rsp < FRAMES_INSIDE)
		remote_read_mapped(memory, (frame & -16ull) - sizeof(words), words,
				   sizeof(words));
	if (words[0] == WIRE_LOOK_MARK && words[1] == words[0] && words[2] == frame) {
		*ret_frame = frame;
		return true;
	}
	if (!marks_find(thread->process->space, rsp, WIRE_LOOK_MARK, behind))
		return false;
	*ret_frame = behind[0];
	return true;
}
