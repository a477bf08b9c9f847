#include "session/debug/step.h"

#include "control/remote.h"
#include "session/cache/module_text.h"
#include "session/debug/guard.h"
#include "session/debug/halt.h"
#include "session/debug/insert.h"
#include "session/debug/places.h"
#include "session/debug/state.h"
#include "session/debug/watch.h"
#include "session/position/settle.h"
#include "session/state/module.h"
#include "session/thread/stop.h"
#include "session/thread/threads.h"
#include "x86/decode.h"

#include <signal.h>
#include <string.h>

#define TRAP_FLAG 0x100ull

enum {
	STEPS_MAX =
		400000, /* in trammel's code, to the next instruction of the program */
	STEP_MS = 2000,
	INSTRUCTION = 15,
};

/* Calls may lead around such an instruction at an entry. */
static bool is_endbr64(const struct thread *thread, uint64_t address)
{
	static const uint8_t bytes[] = {0xf3, 0x0f, 0x1e, 0xfa};
	const struct space *space = thread->process->space;
	const struct module *module =
		space && space->family ? space_module_of_text(space, address) : NULL;
	const uint8_t *there =
		module ? module_file_original(module->file, address - module->bias,
					      sizeof(bytes))
		       : NULL;

	return there && !memcmp(there, bytes, sizeof(bytes));
}

void debug_step_begin(struct thread *thread, enum debug_aim aim,
		      const struct debug_view *view)
{
	struct thread_debug *debug = &thread->debug;
	const struct space *space = thread->process->space;

	debug->aim = aim;
	debug->from = view->original;
	debug->marks = is_endbr64(thread, view->original);
	debug->executed = debug->calls = false;
	debug->count = 0;
	if (aim != DEBUG_SETTLES || !space || !space->family ||
	    !space_module_of_code(space, view->real.rip) ||
	    remote_failed(remote_get_mask(thread->tid, &debug->mask)))
		return;
	/* In hooks signals are put by already. */
	debug->masked = true;
	trm_error_destroy(remote_set_mask(thread->tid, ~settle_synchronous));
}

static bool is_call(const uint8_t *bytes)
{
	return bytes[0] == 0x0f && (bytes[1] == 0x05 || bytes[1] == 0x34);
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 ||
	       (byte & 0xf0) == 0x40;
}

static bool pushes_flags(const uint8_t *bytes)
{
	while (is_prefix(*bytes))
		bytes++;
	return *bytes == 0x9c;
}

/* Whether an instruction is a string operation that is repeated and not done. */
static bool is_repeated(const uint8_t bytes[INSTRUCTION],
			const struct user_regs_struct *registers)
{
	bool repeats = false;
	size_t i = 0;

	for (; i < INSTRUCTION - 1 && is_prefix(bytes[i]); i++)
		repeats |= bytes[i] == 0xf2 || bytes[i] == 0xf3;
	return repeats && registers->rcx &&
	       ((bytes[i] >= 0xa4 && bytes[i] <= 0xa7) ||
		(bytes[i] >= 0xaa && bytes[i] <= 0xaf) ||
		(bytes[i] >= 0x6c && bytes[i] <= 0x6f));
}

static void read_code(const struct thread *thread, uint64_t address,
		      uint8_t bytes[INSTRUCTION])
{
	memset(bytes, 0, INSTRUCTION);
	if (thread->process->space)
		remote_read_mapped(thread->process->space->memory_fd, address, bytes,
				   INSTRUCTION);
}

/* Whether a thread that makes a system call is at its end. */
static bool has_called(const struct thread *thread)
{
	struct remote_call call;

	return remote_get_call(thread->tid, &call) && !call.entry;
}

/* Whether the aim is reached. */
static bool is_over(const struct thread_debug *debug, const struct debug_view *view,
		    const uint8_t code[INSTRUCTION])
{
	if (!view->front)
		return debug->aim == DEBUG_SETTLES && debug->count > STEPS_MAX;
	if (debug->aim == DEBUG_SETTLES)
		return true;
	if (debug->marks && view->own && view->original == debug->from + 4)
		return true;
	if (view->begun && view->original == debug->from)
		return false;
	return debug->executed && !(view->own && view->original == debug->from &&
				    is_repeated(code, &view->real));
}

static enum debug_resume set_trap(struct thread *thread, const struct debug_view *view,
				  const uint8_t code[INSTRUCTION])
{
	struct user_regs_struct registers = view->real;

	registers.eflags |= TRAP_FLAG;
	thread->debug.pushes = pushes_flags(code);
	if (!thread->debug.trapping)
		debug_guard_count(thread, 1);
	thread->debug.trapping =
		!remote_failed(remote_set_registers(thread->tid, &registers));
	if (!thread->debug.trapping)
		debug_guard_count(thread, -1);
	return DEBUG_LETS_GO;
}

static bool is_caught(const struct thread *thread, int signal)
{
	struct remote_signals signals = {0};

	return remote_get_signals(thread->tid, &signals) &&
	       (signals.caught >> (signal - 1) & 1);
}

enum debug_resume debug_step_on(struct session *session, struct thread *thread,
				int signal)
{
	struct thread_debug *debug = &thread->debug;
	uint8_t code[INSTRUCTION];
	struct debug_view view;

	if (debug->calls && !has_called(thread))
		return DEBUG_LETS_TO_CALL;
	debug->calls = false;
	if (!debug_view(thread, &view))
		return DEBUG_LETS_GO;
	if (signal && is_caught(thread, signal)) {
		debug->executed = true;
		return DEBUG_LETS_TO_ENTER;
	}
	read_code(thread, view.real.rip, code);
	if (!signal && is_over(debug, &view, code)) {
		if (debug->aim == DEBUG_STEPS) {
			debug->shown =
				debug_skipped(thread->process->space, debug->from, &view);
			debug->told = true;
			debug->reason = DEBUG_REASON_STEP;
			session->debug->halted = true;
		}
		debug_park(thread, DEBUG_PARKED, 0);
		debug->count = 1;
		return DEBUG_HOLDS;
	}
	debug->count++;
	debug->executed |= view.own;
	if (!is_call(code))
		return set_trap(thread, &view, code);
	debug->calls = true;
	return DEBUG_LETS_TO_CALL;
}

/* Has a thread enter a system call. What comes is acted on by the main loop. */
static void enter_call(struct session *session, struct thread *thread)
{
	struct event event;

	thread->stopped = false;
	if (remote_failed(remote_resume(thread->tid, REMOTE_SYSCALL, 0)) ||
	    !event_wait_thread(&session->queue, thread->tid, STEP_MS, &event))
		return;
	thread->event_pending = true;
	event_push(&session->queue, &event);
}

static bool is_trap(const struct thread *thread, const struct event *event)
{
	siginfo_t info;

	return event->kind == EVENT_SIGNAL && event->value == SIGTRAP &&
	       !remote_failed(remote_get_signal(thread->tid, &info)) &&
	       info.si_code == TRAP_TRACE;
}

/* Has it execute an instruction that is no system call. Other events than its end are
 * left to the main loop. */
static void execute_one(struct session *session, struct thread *thread,
			const struct debug_view *view, const uint8_t code[INSTRUCTION])
{
	struct event event;
	uint64_t mask;

	if (remote_failed(remote_get_mask(thread->tid, &mask)) ||
	    remote_failed(remote_set_mask(thread->tid, ~settle_synchronous)))
		return;
	set_trap(thread, view, code);
	do {
		thread->stopped = false;
		if (remote_failed(remote_resume(thread->tid, REMOTE_RUN, 0)) ||
		    !event_wait_thread(&session->queue, thread->tid, STEP_MS, &event))
			return;
		thread->stopped =
			event.kind != EVENT_EXITED && event.kind != EVENT_KILLED;
	} while (event.kind == EVENT_STOP);
	if (thread->stopped) {
		debug_untrap(thread);
		trm_error_destroy(remote_set_mask(thread->tid, mask));
	}
	if (is_trap(thread, &event)) {
		event_take_signal(thread->tid);
		if (debug_watch_see(session, thread)) {
			thread->debug.told = true;
			thread->debug.reason = DEBUG_REASON_WATCH;
		}
		return;
	}
	thread->event_pending = thread->stopped;
	event_push(&session->queue, &event);
}

void debug_step_over(struct session *session, struct thread *thread)
{
	const bool inserted = session->debug->inserted;
	const struct stop_scope scope = {NULL, thread->process->space};
	struct stopped stopped = {0};
	uint8_t code[INSTRUCTION];
	struct debug_view view;

	if (inserted)
		stop_begin(session, scope, STOP_WHILE_POSSIBLE, &stopped);
	if (!debug_view(thread, &view))
		return;
	const uint64_t at = view.real.rip;

	debug_trap_lift(session, thread->process->space, at, true);
	read_code(thread, at, code);
	if (is_call(code)) {
		enter_call(session, thread);
	} else {
		const bool repeated = is_repeated(code, &view.real);

		do
			execute_one(session, thread, &view, code);
		while (repeated && thread->stopped && !thread->event_pending &&
		       debug_view(thread, &view) && view.real.rip == at &&
		       is_repeated(code, &view.real));
	}
	debug_trap_lift(session, thread->process->space, at, false);
	if (inserted)
		stop_end(session, &stopped);
}
