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
		if (stack[i] != mark || stack[i + 1] != mark ||
		    WIRE_MARK_AT(stack[i + 2]) != rsp + i * sizeof(stack[0]))
			continue;
		memcpy(ret_behind, &stack[i + 2], 2 * sizeof(*ret_behind));
		return true;
	}
	return false;
}

void marks_clear(const struct space *space, uint64_t behind, uint64_t mark)
{
	const uint64_t at = WIRE_MARK_AT(behind), none = 0;
	uint64_t word = 0;

	remote_read_mapped(space->memory_fd, at, &word, sizeof(word));
	if (word == mark)
		trm_error_destroy(
			remote_write(space->memory_fd, at, &none, sizeof(none)));
}
