#include "session/tool/tool_visit.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/text.h"
#include "control/remote.h"
#include "session/position/spans.h"
#include "session/tool/tool_records.h"
#include "wire/control.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes of stack above a routine: for the name of a symbol. */
#define NAME_ROOM 1024

void tool_bar_routines(const struct session *session, const struct space *space)
{
	vector_for_each (&session->all_threads, thread)
		if ((*thread)->process && (*thread)->process->space == space)
			spans_bar_routines(session, *thread, true);
}

void tool_switch_off(struct session *session, struct process *process, const char *reason,
		     ...)
{
	struct text text = {0};
	char *words = NULL;
	va_list arguments;

	va_start(arguments, reason);
	if (vasprintf(&words, reason, arguments) < 0)
		words = NULL;
	va_end(arguments);
	tool_records_take(session, process);
	if (process->space && process->space->tools) {
		process->space->tools->phase = TOOL_OFF;
		tool_bar_routines(session, process->space);
	}
	text_format(&text, "tools were switched off: %s", words ? words : "");
	free(words);
	if (session->tool_output >= 0)
		dprintf(session->tool_output, "trammel: process %d: %s\n", process->pid,
			text.data);
	if (process->image->reason)
		text_deinit(&text);
	else
		process->image->reason = text.data;
}

/* Says in the library's thread whether it is in a routine: see WIRE_TOOL_INSIDE. */
static void note_inside(const struct tool_visit *visit, uint32_t inside)
{
	trm_error_destroy(remote_write(visit->thread->process->space->memory_fd,
				       visit->as->thread_pointer + WIRE_TOOL_INSIDE,
				       &inside, sizeof(inside)));
}

struct trm_error *tool_visit_begin(struct session *session, struct thread *thread,
				   const struct tool_thread *as,
				   struct tool_visit *ret_visit)
{
	struct tool_visit visit = {.session = session, .thread = thread, .as = as};
	struct tool_space *tools = thread->process->space->tools;

	/* A filter that was installed unseen. */
	tools->filtered |= !tools->called && remote_filters(thread->tid) > 0;
	if (!as)
		visit.as = thread->tool.thread_pointer ? &thread->tool : &tools->service;
	if (!visit.as->thread_pointer)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"no thread for the routines of tools");
	TRM_TRY(tool_run_begin(thread, &visit.saved));
	struct trm_error *error = tool_run_write_back(
		thread, &visit.saved, visit.as->stack - NAME_ROOM, &visit.back);

	if (error) {
		trm_error_destroy(tool_run_end(thread, &visit.saved));
		return error;
	}
	note_inside(&visit, 1);
	*ret_visit = visit;
	return NULL;
}

static void describe_failure(const struct tool_visit *visit, const char *name,
			     const struct tool_outcome *outcome)
{
	struct process *process = visit->thread->process;

	switch (outcome->event) {
	case TOOL_FAULTED:
		tool_switch_off(visit->session, process,
				"routine \"%s\" was ended by SIG%s", name,
				sigabbrev_np(outcome->signal));
		break;
	case TOOL_ABORTED:
		tool_switch_off(visit->session, process, "routine \"%s\" aborted", name);
		break;
	case TOOL_LATE:
		tool_switch_off(visit->session, process,
				"routine \"%s\" took longer than %lu s", name,
				visit->session->options->tool_ns / 1000000000);
		break;
	default:
		tool_switch_off(visit->session, process, "routine \"%s\" called exit",
				name);
	}
}

bool tool_visit_run(struct tool_visit *visit, const struct user_regs_struct *registers,
		    const char *name, enum tool_event event,
		    struct tool_outcome *ret_outcome)
{
	const uint64_t ns = visit->session->options->tool_ns;

	if (remote_failed(tool_run(visit->session, visit->thread, &visit->saved,
				   registers, (int)(ns / 1000000), ret_outcome)))
		return false;
	if (ret_outcome->event == event)
		return true;
	describe_failure(visit, name, ret_outcome);
	return false;
}

static bool run_routine(struct tool_visit *visit, const struct tool_routine *routine,
			struct tool_outcome *outcome)
{
	const struct space *space = visit->thread->process->space;
	const uint64_t *arguments = routine->arguments, back = space->tools->table.back;
	const struct user_regs_struct start = {
		.rip = routine->address,
		.rsp = visit->back - sizeof(back),
		.rdi = arguments[0],
		.rsi = arguments[1],
		.rdx = arguments[2],
		.rcx = arguments[3],
		.r8 = arguments[4],
		.r9 = arguments[5],
		.eflags = 0x202,
		.cs = visit->saved.registers.cs,
		.ss = visit->saved.registers.ss,
		.fs_base = visit->as->thread_pointer,
		.gs_base = visit->saved.registers.gs_base,
	};

	if (remote_failed(remote_write(space->memory_fd, start.rsp, &back, sizeof(back))))
		return false;
	return tool_visit_run(visit, &start, routine->name, TOOL_BACK, outcome);
}

bool tool_visit_call(struct tool_visit *visit, const struct tool_routine *routine,
		     uint64_t *ret_result)
{
	struct tool_outcome outcome;

	if (!run_routine(visit, routine, &outcome))
		return false;
	*ret_result = outcome.result;
	return true;
}

/* Fills in the arguments; `text` is the address of the next text, which is moved on. */
static void set_arguments(const struct tool_visit *visit, const struct tool_use *use,
			  struct tool_routine *routine, uint64_t *text)
{
	for (size_t i = 0; i < use->count; i++) {
		routine->arguments[i] = (uint64_t)use->arguments[i].value;
		if (use->arguments[i].kind == TOOL_ARGUMENT_PATH)
			routine->arguments[i] = visit->module_path;
		if (use->arguments[i].kind == TOOL_ARGUMENT_BIAS)
			routine->arguments[i] = visit->module_bias;
		if (!use->arguments[i].text)
			continue;
		routine->arguments[i] = *text;
		*text += strlen(use->arguments[i].text) + 1;
	}
}

void tool_visit_moment(struct tool_visit *visit, enum tool_moment moment)
{
	const struct tool_space *tools = visit->thread->process->space->tools;
	uint64_t text = tools->texts, result;
	size_t number = 0;

	vector_for_each (&visit->session->options->tools, tool) {
		vector_for_each (&tool->uses, use) {
			struct tool_routine routine = {
				.name = use->routine,
				.address = tools->routines.items[number++],
			};

			set_arguments(visit, use, &routine, &text);
			if (use->moment == moment &&
			    !tool_visit_call(visit, &routine, &result))
				return;
		}
	}
}

void tool_visit_module(struct tool_visit *visit, enum tool_moment moment,
		       const char *path, uint64_t bias)
{
	struct space *space = visit->thread->process->space;
	char text[NAME_ROOM];

	if (space->tools->phase != TOOL_LOADED)
		return;
	visit->module_path = visit->as->stack - NAME_ROOM;
	visit->module_bias = bias;
	snprintf(text, sizeof(text), "%s", path);
	if (!remote_failed(remote_write(space->memory_fd, visit->module_path, text,
					sizeof(text))))
		tool_visit_moment(visit, moment);
}

uint64_t tool_visit_look_up(struct tool_visit *visit, size_t tool, const char *name)
{
	const struct space *space = visit->thread->process->space;
	const uint64_t place = visit->as->stack - NAME_ROOM;
	const struct tool_routine find = {
		.name = name,
		.address = space->tools->table.find,
		.arguments = {space->tools->table.tools[tool].handle, place},
	};
	uint64_t result = 0;

	if (strlen(name) >= NAME_ROOM ||
	    remote_failed(remote_write(space->memory_fd, place, name, strlen(name) + 1)))
		return 0;
	return tool_visit_call(visit, &find, &result) ? result : 0;
}

struct trm_error *tool_visit_find(struct tool_visit *visit)
{
	struct tool_space *tools = visit->thread->process->space->tools;
	const struct tool_choices *choices = &visit->session->options->tools;

	for (size_t i = 0; i < choices->count; i++) {
		vector_for_each (&choices->items[i].uses, use) {
			uint64_t address = tool_visit_look_up(visit, i, use->routine);

			if (!address)
				return trm_error_create(
					TRM_ERROR_UNSUPPORTED,
					"tool \"%s\" exports no routine \"%s\"",
					path_name(choices->items[i].path), use->routine);
			vector_push(&tools->routines, address);
		}
	}
	return NULL;
}

void tool_visit_end(struct tool_visit *visit)
{
	note_inside(visit, 0);
	trm_error_destroy(tool_run_end(visit->thread, &visit->saved));
}
