#include "session/tool/tool.h"

#include "base/path.h"
#include "control/remote.h"
#include "session/position/spans.h"
#include "session/thread/borrowed_thread.h"
#include "session/thread/injection.h"
#include "session/thread/threads.h"
#include "session/tool/tool_enter.h"
#include "session/tool/tool_points.h"
#include "session/tool/tool_records.h"
#include "session/tool/tool_steps.h"
#include "session/tool/tool_visit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/prctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct tool_space *loaded_tools(const struct thread *thread)
{
	struct space *space = thread->process ? thread->process->space : NULL;

	return space && space->tools && space->tools->phase == TOOL_LOADED ? space->tools
									   : NULL;
}

static struct trm_error *begin_tools(struct session *session, struct thread *thread)
{
	struct tool_scratch scratch;
	struct trm_error *error;

	TRM_TRY(tool_enter_load(session, thread->process, &scratch));
	error = tool_enter_move(session, &scratch, thread);
	tool_scratch_end(session, &scratch);
	return error;
}

struct trm_error *tool_start(struct session *session, struct thread *thread)
{
	struct process *process = thread->process;

	if (!session->options->tools.count || process->space->bare ||
	    process->space->tools)
		return NULL;
	struct trm_error *error = begin_tools(session, thread);

	if (!error || error->code == TRM_ERROR_GONE)
		return error;
	if (process->space->tools)
		process->space->tools->phase = TOOL_OFF;
	if (process->first_image) {
		error->code = TRM_ERROR_UNSUPPORTED;
		return error;
	}
	tool_switch_off(session, process, "%s", error->message);
	trm_error_destroy(error);
	return NULL;
}

/* Whether each thread needs one of the tools' library. */
static bool want_threads(const struct session_options *options)
{
	vector_for_each (&options->tools, tool) {
		vector_for_each (&tool->uses, use)
			if (use->moment == TOOL_AT_THREAD ||
			    use->moment == TOOL_AT_THREAD_END)
				return true;
		vector_for_each (&tool->routines, routine)
			if (routine->thread)
				return true;
	}
	return false;
}

static bool has_moment(const struct session_options *options, enum tool_moment moment)
{
	vector_for_each (&options->tools, tool)
		vector_for_each (&tool->uses, use)
			if (use->moment == moment)
				return true;
	return false;
}

/* Calls the routines of a moment, if there are any. */
static void call_moment(struct session *session, struct thread *thread,
			enum tool_moment moment)
{
	struct tool_visit visit;

	if (!has_moment(session->options, moment) ||
	    remote_failed(tool_visit_begin(session, thread, NULL, &visit)))
		return;
	tool_visit_moment(&visit, moment);
	tool_visit_end(&visit);
}

/* The first thread of a process that was forked. */
static bool is_forked(const struct thread *thread)
{
	return thread->tid == thread->process->pid &&
	       thread->process->space->references == 1;
}

void tool_thread_begin(struct session *session, struct thread *thread)
{
	struct tool_space *tools = loaded_tools(thread);

	if (!tools)
		return;
	tool_guard_stack(session, thread);
	spans_bar_routines(session, thread, false);
	if (is_forked(thread) && !want_threads(session->options))
		call_moment(session, thread, TOOL_AT_FORK);
	if (!want_threads(session->options))
		return;
	const bool inherits = thread->tool.thread_pointer;

	if (!inherits &&
	    !tool_make_thread(session, thread, &tools->service, &thread->tool))
		return;
	spans_set_thread_pointer(session, thread, thread->tool.thread_pointer);
	if (is_forked(thread))
		call_moment(session, thread, TOOL_AT_FORK);
	else if (!inherits && thread->tid != thread->process->pid)
		call_moment(session, thread, TOOL_AT_THREAD);
}

static void write_number(const struct thread *thread, int32_t number)
{
	if (thread->tool.tid_address)
		trm_error_destroy(remote_write(thread->process->space->memory_fd,
					       thread->tool.tid_address, &number,
					       sizeof(number)));
}

/* Whether a thread of the tools' library was in a routine when its process was copied to
 * this one. */
static bool was_inside(const struct process *child, const struct tool_thread *thread)
{
	uint32_t inside = 0;

	return thread->thread_pointer &&
	       !remote_failed(remote_read(child->space->memory_fd,
					  thread->thread_pointer + WIRE_TOOL_INSIDE,
					  &inside, sizeof(inside))) &&
	       inside;
}

/* Locks that a routine held in another thread are never given back in a child. */
static void leave_locked(struct session *session, const struct thread *parent,
			 struct process *child)
{
	bool inside = was_inside(child, &child->space->tools->service);

	vector_for_each (&session->all_threads, other)
		if (*other != parent && (*other)->process == parent->process)
			inside |= was_inside(child, &(*other)->tool);
	if (inside)
		tool_switch_off(session, child,
				"the process was forked while another thread was in a "
				"routine");
}

void tool_see_fork(struct session *session, const struct thread *parent,
		   struct thread *child)
{
	if (!loaded_tools(child) || child->process->space == parent->process->space)
		return;
	tool_records_drop(child->process);
	leave_locked(session, parent, child->process);
	if (!parent->tool.thread_pointer)
		return;
	child->tool = parent->tool;
	write_number(child, child->tid);
}

/* A thread ends, while its process goes on. */
static void end_thread(struct session *session, struct thread *thread)
{
	struct tool_outcome outcome;
	struct tool_visit visit;

	if (!thread->tool.thread_pointer ||
	    remote_failed(tool_visit_begin(session, thread, NULL, &visit)))
		return;
	tool_visit_moment(&visit, TOOL_AT_THREAD_END);
	spans_set_thread_pointer(session, thread, 0);
	if (!thread->tool.leads && loaded_tools(thread) &&
	    tool_visit_run(&visit, &thread->tool.waiting, "thread", TOOL_LEFT, &outcome))
		write_number(thread, 0);
	tool_visit_end(&visit);
	thread->tool = (struct tool_thread){0};
}

void tool_end(struct session *session, struct thread *thread)
{
	struct tool_space *tools = thread->process->space->tools;
	struct tool_routine end = {.name = "exit", .address = tools->table.end};
	struct tool_visit visit;
	uint64_t result;

	tool_bar_routines(session, thread->process->space);
	if (remote_failed(tool_visit_begin(session, thread, NULL, &visit)))
		return;
	tool_visit_moment(&visit, TOOL_AT_END);
	tools->ending = true;
	end.arguments[0] = visit.back;
	if (tools->phase == TOOL_LOADED)
		tool_visit_call(&visit, &end, &result);
	tool_records_take(session, thread->process);
	if (tools->phase == TOOL_LOADED)
		tools->phase = TOOL_ENDED;
	tool_visit_end(&visit);
}

/* Whether an execve or execveat is likely to be done: programs try paths. */
static bool will_execute(const struct thread *thread,
			 const struct user_regs_struct *registers)
{
	const bool at = registers->orig_rax == SYS_execveat;
	char path[4096], name[4200];
	struct stat status;

	if (remote_failed(remote_read_string(thread->process->space->memory_fd,
					     at ? registers->rsi : registers->rdi, path,
					     sizeof(path))))
		return false;
	if (path[0] == '/')
		snprintf(name, sizeof(name), "/proc/%d/root%s", thread->tid, path);
	else if (at && (int)registers->rdi >= 0)
		snprintf(name, sizeof(name), "/proc/%d/fd/%d%s%s", thread->tid,
			 (int)registers->rdi, *path ? "/" : "", path);
	else
		snprintf(name, sizeof(name), "/proc/%d/cwd/%s", thread->tid, path);
	return !stat(name, &status) && S_ISREG(status.st_mode) &&
	       status.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH);
}

/* Whether a call, at its entry, ends the thread, or its process. */
static bool is_end(const struct thread *thread, const struct user_regs_struct *registers)
{
	switch (registers->orig_rax) {
	case SYS_exit:
	case SYS_exit_group:
		return true;
	case SYS_execve:
	case SYS_execveat:
		return will_execute(thread, registers);
	default:
		return false;
	}
}

/* A call that ends the thread or its process is put off until the tools are done. Returns
 * whether it was. */
static bool see_end(struct session *session, struct thread *thread,
		    struct user_regs_struct *registers)
{
	const struct process *process = thread->process;
	const bool all = process->space->references == 1 &&
			 (registers->orig_rax != SYS_exit || process->threads == 1);

	if (!is_end(thread, registers) || (!all && !thread->tool.thread_pointer) ||
	    !thread_put_off_call(thread, registers))
		return false;
	if (all)
		tool_end(session, thread);
	else
		end_thread(session, thread);
	return true;
}

/* Whether a call installs a filter of system calls. */
static bool is_filter(const struct user_regs_struct *registers)
{
	return registers->orig_rax == SYS_seccomp ||
	       (registers->orig_rax == SYS_prctl &&
		(int)registers->rdi == PR_SET_SECCOMP);
}

/* Acts on a call of the program's that was only announced, so that no filter has seen it:
 * has it made, or sees it made. Returns whether the thread is only to be resumed. */
static bool see_announced(struct thread *thread, struct user_regs_struct *registers)
{
	struct tool_pending *pending = &thread->tool_pending;

	if (pending->program && pending->made) {
		*pending = (struct tool_pending){0};
		return false;
	}
	if (pending->program) {
		pending->made = remote_is_entry(thread->tid);
		return !pending->made;
	}
	*pending = (struct tool_pending){.program = true};
	tool_calls_make(registers);
	trm_error_destroy(remote_set_registers(thread->tid, registers));
	return true;
}

bool tool_see_call(struct session *session, struct thread *thread)
{
	struct user_regs_struct registers;
	struct tool_space *tools = loaded_tools(thread);

	if (tool_points_see_call(session, thread))
		return true;
	if (thread->tool_pending.program && !see_announced(thread, NULL))
		return false;
	if (thread->tool_pending.program) {
		thread_resume(session, thread, 0);
		return true;
	}
	if (!tools || !remote_is_entry(thread->tid) ||
	    remote_failed(remote_get_registers(thread->tid, &registers)))
		return false;
	if (is_filter(&registers) && !thread->emulated)
		tools->filtered = true;
	if (!see_end(session, thread, &registers) &&
	    (!thread->emulated || !see_announced(thread, &registers)))
		return false;
	thread_resume(session, thread, 0);
	return true;
}

bool tool_see_signal(struct session *session, struct thread *thread,
		     const siginfo_t *info)
{
	const struct tool_space *tools = loaded_tools(thread);
	const int signal = info->si_signo;

	if (!tools || thread->process->space->references > 1 ||
	    !remote_ends(thread->tid, signal))
		return false;
	tool_end(session, thread);
	thread->held = *info;
	syscall(SYS_tkill, thread->tid, signal);
	thread_resume(session, thread, 0);
	return true;
}

void tool_see_kill(struct session *session, struct process *process)
{
	if (process->space && process->space->tools &&
	    process->space->tools->phase == TOOL_LOADED &&
	    process->space->references == 1)
		tool_switch_off(session, process,
				"the process was killed by SIGKILL, their termination "
				"handlers did not run");
}

void tool_see_exec(struct thread *thread)
{
	thread->tool = (struct tool_thread){0};
	thread->tool_pending = (struct tool_pending){0};
}

void tool_leave(struct session *session, struct process *process)
{
	struct borrowed_thread borrowed;

	if (!process->space || !process->space->tools ||
	    process->space->tools->phase != TOOL_LOADED ||
	    process->space->references > 1 ||
	    !borrowed_thread_find(session, process->space, &borrowed))
		return;
	tool_end(session, borrowed.thread);
	borrowed_thread_end(session, &borrowed);
}
