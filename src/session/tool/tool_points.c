#include "session/tool/tool_points.h"

#include "base/clock.h"
#include "base/path.h"
#include "base/text.h"
#include "code/plan/position.h"
#include "control/remote.h"
#include "session/position/settle.h"
#include "session/position/spans.h"
#include "session/state/module.h"
#include "session/thread/threads.h"
#include "wire/control.h"

#include <signal.h>
#include <stdio.h>

/* Nanoseconds between looks for routines that take too long. */
#define LOOK_NS 250000000u

struct trm_error *tool_points_start(struct tool_visit *visit)
{
	const struct tool_choices *choices = &visit->session->options->tools;
	struct wire_control *control =
		visit->thread->process->space->family->arena->control;

	for (size_t i = 0; i < choices->count; i++) {
		vector_for_each (&choices->items[i].routines, routine) {
			uint64_t address = tool_visit_look_up(visit, i, routine->name);

			if (!address)
				return trm_error_create(
					TRM_ERROR_UNSUPPORTED,
					"tool \"%s\" exports no routine \"%s\"",
					path_name(choices->items[i].path), routine->name);
			if (routine->word < WIRE_ROUTINES)
				__atomic_store_n(&control->routines[routine->word],
						 address, __ATOMIC_RELEASE);
		}
	}
	return NULL;
}

/* The name of a routine by its address in the control page; "?" if it is not there. */
static const char *name_of(const struct session *session, const struct space *space,
			   uint64_t address)
{
	vector_for_each (&session->options->tools, tool)
		vector_for_each (&tool->routines, routine)
			if (routine->word < WIRE_ROUTINES &&
			    space->family->arena->control->routines[routine->word] ==
				    address)
				return routine->name;
	return "?";
}

/* The place of the point to whose code an address belongs. */
static void describe_point(const struct space *space, uint64_t back, struct text *out)
{
	const struct module *module = space_module_of_code(space, back);

	if (module)
		text_format(out, " at %s:0x%lx", path_name(module->file->path),
			    module_locate(module, back).original);
}

/* Leads a thread out of a routine that failed, and switches the tools off; `what` is what
 * it did. Returns false if it is in none. */
static bool break_off(struct session *session, struct thread *thread, const char *what)
{
	struct space *space = thread->process->space;
	struct user_regs_struct registers;
	struct spans_routine routine;
	struct text place = {0};

	if (remote_failed(remote_get_registers(thread->tid, &registers)) ||
	    !spans_break_routine(session, thread, &registers, &routine))
		return false;
	trm_error_destroy(remote_set_registers(thread->tid, &registers));
	thread->tool_pending.entered = false;
	if (space->tools->phase == TOOL_LOADED) {
		describe_point(space, routine.back, &place);
		tool_switch_off(session, thread->process, "routine \"%s\"%s %s",
				name_of(session, space, routine.address),
				place.length ? place.data : "", what);
		text_deinit(&place);
	}
	return true;
}

bool tool_points_see_call(struct session *session, struct thread *thread)
{
	const struct space *space = thread->process->space;
	struct user_regs_struct registers;
	enum tool_event event;

	if (!space || !space->tools)
		return false;
	const struct tool_pending *pending = &thread->tool_pending;

	if (pending->program ||
	    (!pending->entered &&
	     (!remote_is_entry(thread->tid) ||
	      remote_failed(remote_get_registers(thread->tid, &registers)) ||
	      !tool_space_has(space->tools, registers.rip))))
		return false;
	event = tool_calls_see(session, thread, space->tools->filtered);
	if (event == TOOL_ABORTED)
		break_off(session, thread, "aborted");
	else if (event != TOOL_GOES_ON)
		break_off(session, thread, "called exit");
	thread_resume(session, thread, 0);
	return true;
}

bool tool_points_see_fault(struct session *session, struct thread *thread, int signal)
{
	char what[64];

	if (!thread->process->space || !thread->process->space->tools ||
	    !(settle_synchronous >> (signal - 1) & 1))
		return false;
	snprintf(what, sizeof(what), "was ended by SIG%s", sigabbrev_np(signal));
	if (!break_off(session, thread, what))
		return false;
	thread_resume(session, thread, 0);
	return true;
}

/* Whether a thread has been in one call for too long. */
static bool is_late(const struct session *session, struct thread *thread, uint64_t now)
{
	unsigned int flags;

	if (!spans_mark_routine(session, thread) || !thread->tool_since) {
		thread->tool_since = now;
		return false;
	}
	if (now - thread->tool_since < session->options->tool_ns)
		return false;
	/* The time for which a signal has stopped it does not count. */
	const char state = remote_state(thread->tid, &flags);

	if (state == 'T' || state == 't')
		thread->tool_since = now;
	return state != 'T' && state != 't';
}

/* Whether a thread that was just interrupted can be led out of its routine: it stands, or
 * its event is a system call of the routine, which is as good as not made. */
static bool can_be_led(struct session *session, struct thread *thread)
{
	struct event event;

	if (!thread->event_pending)
		return true;
	if (!thread->tool_pending.entered ||
	    !event_peek(&session->queue, thread->tid, &event) ||
	    event.kind != EVENT_SYSCALL)
		return false;
	event_wait_thread(&session->queue, thread->tid, 0, &event);
	thread->event_pending = false;
	return true;
}

uint64_t tool_points_act(struct session *session)
{
	const uint64_t now = clock_now_ns();

	if (!session->options->tools.count || !session->options->collector->routines)
		return UINT64_MAX;
	for (size_t i = session->all_threads.count; i-- > 0;) {
		struct thread *thread = session->all_threads.items[i];
		const struct space *space =
			thread->process ? thread->process->space : NULL;

		if (!space || !space->tools || thread->stopped ||
		    !is_late(session, thread, now) || !thread_interrupt(session, thread))
			continue;
		thread->tool_since = now;
		if (can_be_led(session, thread))
			break_off(session, thread, "took too long");
		thread_resume(session, thread, 0);
	}
	return LOOK_NS;
}
