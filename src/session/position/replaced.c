#include "session/position/replaced.h"

#include "control/remote.h"
#include "resident/resident.h"
#include "session/state/module.h"
#include "wire/spans.h"

#include <string.h>

/* call *%gs:WIRE_SPANS_REPLACE */
static const uint8_t call_replace[] = {
	0x65, 0xff, 0x14, 0x25, WIRE_SPANS_REPLACE & 0xff, WIRE_SPANS_REPLACE >> 8, 0, 0};

/* Whether the thread is in front of that call. */
static bool is_in_front(const struct space *space, uint64_t rip)
{
	uint8_t bytes[sizeof(call_replace)];

	return space_module_of_code(space, rip) &&
	       !remote_failed(remote_read(space->memory_fd, rip, bytes, sizeof(bytes))) &&
	       !memcmp(bytes, call_replace, sizeof(bytes));
}

static bool take_return(const struct space *space, struct user_regs_struct *registers)
{
	uint64_t back;

	if (remote_failed(
		    remote_read(space->memory_fd, registers->rsp, &back, sizeof(back))))
		return false;
	registers->rip = back;
	registers->rsp += sizeof(back);
	return true;
}

bool replaced_leave(const struct thread *thread, struct user_regs_struct *registers)
{
	struct wire_spans *spans =
		(void *)((char *)thread->bank->shared + WIRE_BANK_HEADER);
	const struct space *space = thread->process->space;
	const uint64_t offset = registers->rip - space->family->arena->address;
	const struct resident_table *table = resident_table();
	const bool called =
		offset >= table->tool_replace && offset <= table->tool_replaced;
	const bool done = spans->done || (called && offset >= table->tool_replaces);

	if (!called && !is_in_front(space, registers->rip))
		return false;
	if (offset == table->tool_replaced)
		return take_return(space, registers);
	if (called ? !take_return(space, registers) : !done) {
		registers->rip += called ? 0 : sizeof(call_replace);
		return !called;
	}
	if (!done)
		return true;
	spans->done = 0;
	registers->rax = spans->result;
	return take_return(space, registers);
}
