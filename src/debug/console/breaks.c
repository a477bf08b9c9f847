#include "debug/console/breaks.h"

#include "debug/console/expression.h"
#include "debug/console/names.h"
#include "session/debug/access.h"
#include "session/debug/places.h"
#include "session/debug/watch.h"

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

static void set_at(struct console *console, struct console_breakpoint *breakpoint,
		   pid_t pid, uint64_t address)
{
	const struct debug_breakpoint set = {
		.pid = pid,
		.address = address,
		.condition = breakpoint->condition ? condition_holds : NULL,
		.context = breakpoint,
		.ignore = breakpoint->ignore,
		.off = breakpoint->off,
	};
	struct console_own own = {.pid = pid, .address = address};

	debug_break(console->session, &set, &own.number);
	vector_push(&breakpoint->owns, own);
}

static struct trm_error *resolve_place(struct console *console,
				       struct console_breakpoint *breakpoint,
				       uint64_t *ret_address)
{
	struct debug_place places[1];

	TRM_TRY(names_find(console, breakpoint->place, ret_address));
	if (!debug_places(console->session, console->pid, *ret_address, places, 1))
		return trm_error_create(TRM_ERROR_USAGE,
					"there is no code of the program at '%s'",
					breakpoint->place);
	set_at(console, breakpoint, console->pid, *ret_address);
	return NULL;
}

/* Takes it out of a process; 0: out of all. */
static void unset_in(struct console *console, struct console_breakpoint *breakpoint,
		     pid_t pid)
{
	for (size_t i = breakpoint->owns.count; i-- > 0;) {
		const struct console_own own = breakpoint->owns.items[i];
		const struct debug_breakpoint *set =
			debug_breakpoint(console->session, own.number);

		if (pid && own.pid != pid)
			continue;
		breakpoint->hits += set ? set->hits : 0;
		debug_unbreak(console->session, own.number);
		vector_remove_swap(&breakpoint->owns, i);
	}
}

static bool is_in(const struct console_breakpoint *breakpoint, pid_t pid)
{
	vector_for_each (&breakpoint->owns, own)
		if (own->pid == pid)
			return true;
	return false;
}

static void free_breakpoint(struct console_breakpoint *breakpoint)
{
	free(breakpoint->place);
	free(breakpoint->condition);
	vector_deinit(&breakpoint->owns);
	free(breakpoint);
}

struct trm_error *breaks_set(struct console *console, const char *text, bool once,
			     uint64_t ignore)
{
	const char *condition = strstr(text, " if ");
	struct console_breakpoint *breakpoint;
	struct trm_error *error;
	uint64_t address;

	if (condition)
		TRM_TRY(expression_check(console, condition + 4));
	breakpoint = memory_allocate_zeroed(1, sizeof(*breakpoint));
	breakpoint->place = condition ? strndup(text, (size_t)(condition - text))
				      : memory_copy_string(*text ? text : "$pc");
	breakpoint->condition = condition ? memory_copy_string(condition + 4) : NULL;
	breakpoint->once = once;
	breakpoint->ignore = ignore;
	breakpoint->console = console;
	error = resolve_place(console, breakpoint, &address);
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
	text_format(&console->output, " at 0x%lx: ", (unsigned long)address);
	names_add(console, address, &console->output);
	if (!debug_counts_exactly(console->session, console->pid, address))
		text_add(&console->output, " (met at the next instruction too)");
	text_add(&console->output, "\n");
	return NULL;
}

struct trm_error *breaks_watch(struct console *console, const char *text, bool reads)
{
	const char *expression = text + (*text == '*'), *rest;
	struct console_breakpoint *breakpoint;
	struct debug_watch watch = {
		.pid = console->pid, .size = 8, .reads = reads, .changes = !reads};
	int64_t address;
	uint32_t number;

	TRM_TRY(expression_compute(console, console->tid, expression, &rest, &address));
	rest += strspn(rest, " ");
	watch.address = (uint64_t)address;
	if (*rest)
		watch.size = (unsigned int)strtoul(rest, NULL, 0);
	TRM_TRY(debug_watch_set(console->session, &watch, &number));
	breakpoint = memory_allocate_zeroed(1, sizeof(*breakpoint));
	breakpoint->place = memory_copy_string(text);
	breakpoint->console = console;
	breakpoint->watch = number;
	breakpoint->number = ++console->numbers;
	vector_push(&console->breakpoints, breakpoint);
	text_format(&console->output, "Watchpoint %u: %u bytes at 0x%lx\n",
		    breakpoint->number, watch.size, (unsigned long)watch.address);
	return NULL;
}

void breaks_delete(struct console *console, struct console_breakpoint *breakpoint)
{
	for (size_t i = 0; i < console->breakpoints.count; i++) {
		if (console->breakpoints.items[i] != breakpoint)
			continue;
		unset_in(console, breakpoint, 0);
		debug_watch_unset(console->session, breakpoint->watch);
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
	uint64_t address;

	vector_for_each (&console->breakpoints, row) {
		if ((*row)->watch)
			continue;
		if (again && (*row)->place[0] != '*' &&
		    ((*row)->place[0] < '0' || (*row)->place[0] > '9'))
			unset_in(console, *row, console->pid);
		if (!is_in(*row, console->pid))
			trm_error_destroy(resolve_place(console, *row, &address));
	}
}

void breaks_fork(struct console *console, pid_t parent, pid_t child)
{
	vector_for_each (&console->breakpoints, row) {
		const size_t count = (*row)->owns.count;

		for (size_t i = 0; i < count; i++)
			if ((*row)->owns.items[i].pid == parent)
				set_at(console, *row, child,
				       (*row)->owns.items[i].address);
	}
}

void breaks_end(struct console *console, pid_t pid)
{
	vector_for_each (&console->breakpoints, row)
		unset_in(console, *row, pid);
}

void breaks_switch(struct console *console, struct console_breakpoint *breakpoint,
		   bool off)
{
	struct debug_breakpoint *set;

	breakpoint->off = off;
	vector_for_each (&breakpoint->owns, own)
		if ((set = debug_breakpoint(console->session, own->number)))
			set->off = off;
}

void breaks_ignore(struct console *console, struct console_breakpoint *breakpoint,
		   uint64_t times)
{
	struct debug_breakpoint *set;

	breakpoint->ignore = times;
	vector_for_each (&breakpoint->owns, own)
		if ((set = debug_breakpoint(console->session, own->number)))
			set->ignore = times;
}

static bool has_own(const struct console_breakpoint *breakpoint, uint32_t number)
{
	vector_for_each (&breakpoint->owns, own)
		if (own->number == number)
			return true;
	return false;
}

bool breaks_met(struct console *console, uint32_t own, uint32_t *ret_number)
{
	vector_for_each (&console->breakpoints, row) {
		struct console_breakpoint *breakpoint = *row;

		if (!has_own(breakpoint, own) && (!own || breakpoint->watch != own))
			continue;
		*ret_number = breakpoint->number;
		if (breakpoint->once)
			breaks_delete(console, breakpoint);
		return true;
	}
	return false;
}

static void show_break(struct console *console,
		       const struct console_breakpoint *breakpoint)
{
	struct text *out = &console->output;
	const struct debug_breakpoint *set = NULL, *found;
	uint64_t hits = breakpoint->hits;

	vector_for_each (&breakpoint->owns, own) {
		found = debug_breakpoint(console->session, own->number);
		hits += found ? found->hits : 0;
		if (!set || own->pid == console->pid)
			set = found;
	}
	text_format(out, "%u  %s", breakpoint->number, breakpoint->place);
	if (set) {
		text_format(out, "  0x%lx  ", (unsigned long)set->address);
		names_add(console, set->address, out);
		text_format(out, "  hits %lu", (unsigned long)hits);
		if (set->ignore)
			text_format(out, ", ignores %lu more",
				    (unsigned long)set->ignore);
	}
	if (breakpoint->condition)
		text_format(out, "  if %s", breakpoint->condition);
	text_format(out, "%s%s%s\n", breakpoint->once ? "  once" : "",
		    breakpoint->off ? "  off" : "", set ? "" : "  not loaded yet");
}

static void show_watch(struct console *console,
		       const struct console_breakpoint *breakpoint)
{
	const struct debug_watch *watch =
		debug_watch_find(console->session, breakpoint->watch);

	text_format(&console->output, "%u  watch %s", breakpoint->number,
		    breakpoint->place);
	if (watch)
		text_format(&console->output, "  %u bytes at 0x%lx%s  hits %lu\n",
			    watch->size, (unsigned long)watch->address,
			    watch->reads ? ", reads too" : "",
			    (unsigned long)watch->hits);
	else
		text_add(&console->output, "  its memory is gone\n");
}

void breaks_show(struct console *console)
{
	if (!console->breakpoints.count)
		text_add(&console->output, "No breakpoints.\n");
	vector_for_each (&console->breakpoints, row)
		if ((*row)->watch)
			show_watch(console, *row);
		else
			show_break(console, *row);
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
