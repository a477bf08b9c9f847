#include "session/debug/backtrace.h"

#include "control/remote.h"
#include "session/debug/access.h"
#include "session/debug/state.h"
#include "session/debug/view.h"
#include "session/position/return_addresses.h"
#include "session/state/module.h"

struct walk {
	struct debug_frame *frames;
	size_t room, count;
};

static void see_frame(void *context, uint64_t place, uint64_t pc)
{
	struct walk *walk = context;

	if (walk->count < walk->room)
		walk->frames[walk->count++] =
			(struct debug_frame){.pc = pc, .cfa = place + sizeof(uint64_t)};
}

/* The walk tells a place in the function of a frame: where it goes on is what the frame
 * inside of it returns to. */
static void show_return(struct session *session, pid_t pid,
			const struct debug_frame *inner, struct debug_frame *frame)
{
	uint64_t back;

	if (remote_failed(debug_read(session, pid, inner->cfa - sizeof(back), &back,
				     sizeof(back))))
		return;
	frame->exact = frame->pc == back;
	if (frame->pc + 1 == back)
		frame->pc = back;
}

struct trm_error *debug_backtrace(struct session *session, pid_t tid,
				  struct debug_frame *frames, size_t room,
				  size_t *ret_count)
{
	struct walk walk = {frames, room, 0};
	struct user_regs_struct registers;
	struct thread *thread;

	TRM_TRY(debug_find(session, tid, &thread));
	TRM_TRY(debug_get_registers(session, tid, &registers));
	if (thread->process->space && thread->process->space->family)
		return_addresses_visit(thread, &registers, see_frame, &walk);
	/* Without call-frame information its own place is all that is known. */
	if (!walk.count && room)
		frames[walk.count++] = (struct debug_frame){.pc = registers.rip};
	if (room) {
		frames->pc = registers.rip;
		frames->exact = true;
	}
	for (size_t i = 1; i < walk.count; i++)
		show_return(session, thread->process->pid, &frames[i - 1], &frames[i]);
	*ret_count = walk.count;
	return NULL;
}
