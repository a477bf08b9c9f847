#include "session/tool/tool_modules.h"

#include "control/remote.h"
#include "session/state/module.h"
#include "session/thread/borrowed_thread.h"
#include "session/thread/threads.h"

#include <string.h>

/* A file may be planned anew under another index. */
static bool is_same(const struct tool_told *told, const struct module *module)
{
	return told->bias == module->bias && !strcmp(told->path, module->file->path);
}

static bool is_told(const struct tool_space *tools, const struct module *module)
{
	vector_for_each (&tools->told, told)
		if (is_same(told, module))
			return true;
	return false;
}

static bool is_there(const struct space *space, const struct tool_told *told)
{
	vector_for_each (&space->modules, module)
		if (is_same(told, module))
			return true;
	return false;
}

static bool wants_modules(const struct session_options *options)
{
	vector_for_each (&options->tools, tool)
		vector_for_each (&tool->uses, use)
			if (use->moment == TOOL_AT_LOAD || use->moment == TOOL_AT_UNLOAD)
				return true;
	return false;
}

bool tool_modules_changed(const struct session *session, const struct space *space)
{
	const struct tool_space *tools = space->tools;

	if (!tools || tools->phase != TOOL_LOADED || !wants_modules(session->options))
		return false;
	vector_for_each (&space->modules, module)
		if (!is_told(tools, module))
			return true;
	vector_for_each (&tools->told, told)
		if (!is_there(space, told))
			return true;
	return false;
}

static void tell_gone(struct tool_visit *visit)
{
	const struct space *space = visit->thread->process->space;
	struct tool_space *tools = space->tools;

	for (size_t i = tools->told.count; i-- > 0;) {
		const struct tool_told told = tools->told.items[i];

		if (is_there(space, &told))
			continue;
		vector_remove_swap(&tools->told, i);
		tool_visit_module(visit, TOOL_AT_UNLOAD, told.path, told.bias);
	}
}

/* What a routine does cannot change the list of modules. */
static void tell_new(struct tool_visit *visit)
{
	const struct space *space = visit->thread->process->space;
	struct tool_space *tools = space->tools;

	vector_for_each (&space->modules, module) {
		if (is_told(tools, module))
			continue;
		vector_push(&tools->told,
			    ((struct tool_told){module->file->path, module->bias}));
		tool_visit_module(visit, TOOL_AT_LOAD, module->file->path, module->bias);
	}
}

void tool_modules_tell(struct tool_visit *visit)
{
	if (!tool_modules_changed(visit->session, visit->thread->process->space))
		return;
	tell_gone(visit);
	tell_new(visit);
}

void tool_modules_see(struct session *session, struct thread *thread)
{
	struct tool_visit visit;

	if (!thread->process->space ||
	    !tool_modules_changed(session, thread->process->space) ||
	    remote_failed(tool_visit_begin(session, thread, NULL, &visit)))
		return;
	tool_modules_tell(&visit);
	tool_visit_end(&visit);
}

static struct trm_error *tell_on(void *context, struct thread *thread)
{
	tool_modules_see(context, thread);
	return NULL;
}

/* Where system calls are seen, the thread may stand at the entry to that by which it
 * waits: it makes it later. Returns whether it did. */
static bool tell_at_entry(struct session *session, struct thread *thread)
{
	struct user_regs_struct registers;
	struct event event;

	if (thread->event_pending &&
	    (!event_peek(&session->queue, thread->tid, &event) ||
	     event.kind != EVENT_SYSCALL ||
	     !event_wait_thread(&session->queue, thread->tid, 0, &event)))
		return false;
	thread->event_pending = false;
	if (!remote_is_entry(thread->tid) ||
	    remote_failed(remote_get_registers(thread->tid, &registers)) ||
	    !thread_put_off_call(thread, &registers))
		return false;
	tool_modules_see(session, thread);
	return true;
}

void tool_modules_see_hook(struct session *session, struct thread *thread)
{
	if (!tool_modules_changed(session, thread->process->space) ||
	    (!thread->stopped && !thread_interrupt(session, thread)))
		return;
	if (tell_at_entry(session, thread))
		thread_resume(session, thread, 0);
	else
		trm_error_destroy(thread_borrow(session, thread, tell_on, session));
}
