#include "debug/console/breaks.h"

#include "debug/console/expression.h"
#include "debug/console/names.h"
#include "session/debug/access.h"
#include "session/debug/places.h"

#include <stdlib.h>
#include <string.h>

struct console_breakpoint *breaks_find(const struct console *console, uint32_t number)
{
	vector_for_each (&console->breakpoints, row)
		if ((*row)->number == number)
			return *row;
	return NULL;
}

/* A condition that cannot be computed stops, so that it is seen. */
static bool condition_holds(struct session *session, struct thread *thread, void *context)
{
	const struct console_breakpoint *breakpoint = context;
	int64_t value = 1;

	(void)session;
	trm_error_destroy(expression_compute(breakpoint->console, thread->tid,
					     breakpoint->condition, NULL, &value));
	return value != 0;
}

static void set_at(struct console *console, struct console_breakpoint *breakpoint)
{
	const struct debug_breakpoint own = {
		.address = breakpoint->address,
		.condition = breakpoint->condition ? condition_holds : NULL,
		.context = breakpoint,
		.ignore = breakpoint->ignore,
		.off = breakpoint->off,
	};

	debug_break(console->session, &own, &breakpoint->own);
}

static struct trm_error *resolve_place(struct console *console,
				       struct console_breakpoint *breakpoint)
{
	struct debug_place places[1];

	TRM_TRY(names_find(console, breakpoint->place, &breakpoint->address));
	if (!debug_places(console->session, console->pid, breakpoint->address, places, 1))
		return trm_error_create(TRM_ERROR_USAGE,
					"there is no code of the program at '%s'",
					breakpoint->place);
	set_at(console, breakpoint);
	return NULL;
}

static void free_breakpoint(struct console_breakpoint *breakpoint)
{
	free(breakpoint->place);
	free(breakpoint->condition);
	free(breakpoint);
}

struct trm_error *breaks_set(struct console *console, const char *text, bool once,
			     uint64_t ignore)
{
	const char *condition = strstr(text, " if ");
	struct console_breakpoint *breakpoint =
		memory_allocate_zeroed(1, sizeof(*breakpoint));
	struct trm_error *error;

	breakpoint->place = condition ? strndup(text, (size_t)(condition - text))
				      : memory_copy_string(*text ? text : "$pc");
	breakpoint->condition = condition ? memory_copy_string(condition + 4) : NULL;
	breakpoint->once = once;
	breakpoint->ignore = ignore;
	breakpoint->console = console;
	error = resolve_place(console, breakpoint);
	if (error && error->code != TRM_ERROR_USAGE) {
		free_breakpoint(breakpoint);
		return error;
	}
	breakpoint->number = ++console->numbers;
	vector_push(&console->breakpoints, breakpoint);
	text_format(&console->output, "Breakpoint %u", breakpoint->number);
	if (error) {
		text_format(&console->output,
			    ": %s yet; it is looked for in libraries "
			    "that are loaded\n",
			    error->message);
		trm_error_destroy(error);
		return NULL;
	}
	text_format(&console->output, " at 0x%lx: ", (unsigned long)breakpoint->address);
	names_add(console, breakpoint->address, &console->output);
	if (!debug_counts_exactly(console->session, console->pid, breakpoint->address))
		text_add(&console->output, " (met at the next instruction too)");
	text_add(&console->output, "\n");
	return NULL;
}

void breaks_delete(struct console *console, struct console_breakpoint *breakpoint)
{
	for (size_t i = 0; i < console->breakpoints.count; i++) {
		if (console->breakpoints.items[i] != breakpoint)
			continue;
		if (breakpoint->own)
			debug_unbreak(console->session, breakpoint->own);
		for (size_t k = i + 1; k < console->breakpoints.count; k++)
			console->breakpoints.items[k - 1] = console->breakpoints.items[k];
		console->breakpoints.count--;
		free_breakpoint(breakpoint);
		return;
	}
}

void breaks_delete_all(struct console *console)
{
	while (console->breakpoints.count)
		breaks_delete(console, console->breakpoints.items[0]);
}

void breaks_resolve(struct console *console, bool again)
{
	vector_for_each (&console->breakpoints, row) {
		if (again && (*row)->own && (*row)->place[0] != '*' &&
		    ((*row)->place[0] < '0' || (*row)->place[0] > '9')) {
			debug_unbreak(console->session, (*row)->own);
			(*row)->own = 0;
		}
		if (!(*row)->own)
			trm_error_destroy(resolve_place(console, *row));
	}
}

bool breaks_met(struct console *console, uint32_t own, uint32_t *ret_number)
{
	vector_for_each (&console->breakpoints, row) {
		struct console_breakpoint *breakpoint = *row;

		if (breakpoint->own != own)
			continue;
		*ret_number = breakpoint->number;
		if (breakpoint->once)
			breaks_delete(console, breakpoint);
		return true;
	}
	return false;
}

void breaks_show(struct console *console)
{
	struct text *out = &console->output;

	if (!console->breakpoints.count)
		text_add(out, "No breakpoints.\n");
	vector_for_each (&console->breakpoints, row) {
		const struct console_breakpoint *breakpoint = *row;
		const struct debug_breakpoint *own =
			breakpoint->own
				? debug_breakpoint(console->session, breakpoint->own)
				: NULL;

		text_format(out, "%u  %s", breakpoint->number, breakpoint->place);
		if (own) {
			text_format(out, "  0x%lx  ", (unsigned long)own->address);
			names_add(console, own->address, out);
			text_format(out, "  hits %lu", (unsigned long)own->hits);
			if (own->ignore)
				text_format(out, ", ignores %lu more",
					    (unsigned long)own->ignore);
		}
		if (breakpoint->condition)
			text_format(out, "  if %s", breakpoint->condition);
		text_format(out, "%s%s%s\n", breakpoint->once ? "  once" : "",
			    breakpoint->off ? "  off" : "",
			    own ? "" : "  not loaded yet");
	}
}

/* Whom a breakpoint of the prompt's own is for. */
struct own_place {
	pid_t tid;
	uint64_t rsp;
};

static bool is_for(struct session *session, struct thread *thread, void *context)
{
	const struct own_place *place = context;
	struct user_regs_struct registers;
	struct trm_error *error;

	if (thread->tid != place->tid)
		return false;
	error = debug_get_registers(session, thread->tid, &registers);
	trm_error_destroy(error);
	return !error && registers.rsp >= place->rsp;
}

uint32_t breaks_set_own(struct console *console, uint64_t address, pid_t tid,
			uint64_t rsp)
{
	static struct own_place place; /* there is one at a time */
	const struct debug_breakpoint own = {
		.address = address, .condition = is_for, .context = &place};
	uint32_t number;

	place = (struct own_place){tid, rsp};
	debug_break(console->session, &own, &number);
	return number;
}
