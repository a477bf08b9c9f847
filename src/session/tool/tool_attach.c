#include "session/tool/tool_attach.h"

#include "control/remote.h"
#include "session/position/spans.h"
#include "session/thread/borrowed_thread.h"
#include "session/tool/tool.h"
#include "session/tool/tool_enter.h"
#include "wire/control.h"

#include <string.h>

struct attaching {
	struct session *session;
	struct tool_scratch *scratch;
};

/* On a stopped thread of the program. */
static struct trm_error *move_in(void *context, struct thread *thread)
{
	const struct attaching *attaching = context;

	return tool_enter_move(attaching->session, attaching->scratch, thread);
}

struct trm_error *tool_attach(struct session *session, struct process *process)
{
	const struct tool_space *tools = process->space->tools;
	struct tool_scratch scratch;
	struct attaching attaching = {session, &scratch};

	if (!session->options->tools.count || (tools && tools->phase != TOOL_LOADING))
		return NULL;
	if (tools)
		return space_borrow(session, process->space, move_in, &attaching);
	TRM_TRY(tool_enter_load(session, process, &scratch));
	struct trm_error *error =
		space_borrow(session, process->space, move_in, &attaching);

	tool_scratch_end(session, &scratch);
	return error;
}

bool tool_attach_threads(struct session *session, const struct process *process)
{
	const struct tool_space *tools = process->space->tools;

	if (!tools || tools->phase != TOOL_LOADED ||
	    !session->options->collector->routines)
		return true;
	vector_for_each (&session->all_threads, thread) {
		if ((*thread)->process != process)
			continue;
		if (!(*thread)->tool.thread_pointer)
			return false;
		spans_set_thread_pointer(session, *thread,
					 (*thread)->tool.thread_pointer);
		spans_bar_routines(session, *thread, false);
	}
	return true;
}

static struct trm_error *end_on(void *context, struct thread *thread)
{
	tool_end(context, thread);
	return NULL;
}

struct trm_error *tool_detach(struct session *session, const struct space *space)
{
	if (!space->tools || space->tools->phase != TOOL_LOADED)
		return NULL;
	return space_borrow(session, space, end_on, session);
}

void tool_abandon(const struct session *session)
{
	vector_for_each (&session->families, family) {
		struct wire_control *control = (*family)->arena->control;

		memset(control->routines, 0, sizeof(control->routines));
	}
}
