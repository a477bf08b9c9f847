#include "session/tool/tool_enter.h"

#include "control/remote.h"
#include "session/position/spans.h"
#include "session/tool/tool_data.h"
#include "session/tool/tool_load.h"
#include "session/tool/tool_modules.h"
#include "session/tool/tool_points.h"
#include "session/tool/tool_steps.h"

/* Makes the tools' thread of each thread of the program. That of the one that loaded the
 * tools is for the first one. */
static struct trm_error *make_threads(struct session *session,
				      struct tool_scratch *scratch,
				      const struct process *process)
{
	struct tool_space *tools = scratch->space.tools;
	struct tool_thread *leader = &scratch->thread.tool;

	if (!tool_make_thread(session, &scratch->thread, leader, &tools->service))
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"the tools' library makes no threads");
	vector_for_each (&session->all_threads, thread) {
		if ((*thread)->process != process)
			continue;
		if (leader->leads)
			(*thread)->tool = *leader;
		else if (!tool_make_thread(session, &scratch->thread, &tools->service,
					   &(*thread)->tool))
			return trm_error_create(TRM_ERROR_UNSUPPORTED,
						"the tools' library makes no more "
						"threads");
		leader->leads = false;
	}
	return NULL;
}

/* All that can be done without the program. */
static struct trm_error *load_apart(struct session *session, struct tool_scratch *scratch,
				    const struct process *process)
{
	struct thread *thread = &scratch->thread;
	struct tool_thread leader;
	struct tool_visit visit;

	TRM_TRY(tool_load(session, thread));
	leader = thread->tool;
	TRM_TRY(make_threads(session, scratch, process));
	TRM_TRY(tool_visit_begin(session, thread, &leader, &visit));
	struct trm_error *error = tool_visit_find(&visit);

	if (!error)
		error = tool_points_start(&visit);
	tool_visit_end(&visit);
	return error;
}

/* The library's threads know the numbers of the program's. */
static void write_numbers(struct session *session, const struct process *process)
{
	vector_for_each (&session->all_threads, thread) {
		const int32_t number = (*thread)->tid;

		if ((*thread)->process == process && (*thread)->tool.tid_address)
			trm_error_destroy(remote_write(process->space->memory_fd,
						       (*thread)->tool.tid_address,
						       &number, sizeof(number)));
	}
}

/* Calls the routines for the start, and those for each thread's start, on one thread. */
static struct trm_error *call_routines(struct session *session, struct thread *thread)
{
	struct tool_space *tools = thread->process->space->tools;
	struct tool_visit visit;

	TRM_TRY(tool_visit_begin(session, thread, NULL, &visit));
	tools->phase = TOOL_LOADED;
	tools->filtered = thread->process->space->filters > 0;
	tools->called = tool_wants_calls(session->options, &tools->table);
	tool_call_startups(&visit);
	if (tools->phase == TOOL_LOADED)
		tool_visit_moment(&visit, TOOL_AT_START);
	tool_modules_tell(&visit);
	tool_visit_end(&visit);
	for (size_t i = 0; i < session->all_threads.count; i++) {
		struct thread *other = session->all_threads.items[i];

		if (tools->phase != TOOL_LOADED || other->process != thread->process ||
		    !other->tool.thread_pointer ||
		    remote_failed(
			    tool_visit_begin(session, thread, &other->tool, &visit)))
			continue;
		tools->acting = other->tid;
		tool_visit_moment(&visit, TOOL_AT_THREAD);
		tools->acting = 0;
		tool_visit_end(&visit);
	}
	return NULL;
}

struct trm_error *tool_enter_load(struct session *session, const struct process *process,
				  struct tool_scratch *ret_scratch)
{
	struct trm_error *error;

	TRM_TRY(tool_scratch_begin(session, process, ret_scratch));
	error = load_apart(session, ret_scratch, process);
	if (error)
		tool_scratch_end(session, ret_scratch);
	return error;
}

struct trm_error *tool_enter_move(struct session *session, struct tool_scratch *scratch,
				  struct thread *thread)
{
	if (!thread->process->space->tools)
		TRM_TRY(tool_scratch_copy(session, scratch, thread));
	write_numbers(session, thread->process);
	TRM_TRY(tool_place_texts(session, thread));
	TRM_TRY(tool_data_map(session, thread));
	if (!session->attached) {
		tool_guard_stack(session, thread);
		spans_set_thread_pointer(session, thread, thread->tool.thread_pointer);
		spans_bar_routines(session, thread, false);
	}
	return call_routines(session, thread);
}
