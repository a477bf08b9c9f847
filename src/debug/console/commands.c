#include "debug/console/commands.h"

#include "base/array.h"
#include "code/plan/plan_rows.h"
#include "control/remote.h"
#include "debug/console/breaks.h"
#include "debug/console/expression.h"
#include "debug/console/names.h"
#include "debug/console/show.h"
#include "debug/console/steps.h"
#include "session/count/calls.h"
#include "session/count/window.h"
#include "session/debug/access.h"
#include "session/debug/backtrace.h"
#include "session/debug/halt.h"
#include "session/state/module.h"
#include "session/state/space.h"
#include "session/state/tables.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct trm_error *read_count(const char *text, uint64_t otherwise,
				    uint64_t *ret_count)
{
	char *end;

	*ret_count = *text ? strtoull(text, &end, 0) : otherwise;
	if (*text && (*end || *text == '-' || !*ret_count))
		return trm_error_create(TRM_ERROR_USAGE, "'%s' is no number", text);
	return NULL;
}

static struct trm_error *expect_end(const char *rest)
{
	return *rest ? trm_error_create(TRM_ERROR_USAGE, "'%s' is too much", rest) : NULL;
}

static struct trm_error *do_break(struct console *console, const char *text)
{
	return breaks_set(console, text, false, 0);
}

static struct trm_error *do_break_once(struct console *console, const char *text)
{
	return breaks_set(console, text, true, 0);
}

static struct trm_error *find_numbered(struct console *console, const char *text,
				       const char **ret_rest,
				       struct console_breakpoint **ret)
{
	char *end;
	const unsigned long number = strtoul(text, &end, 10);

	*ret = *end && *end != ' ' ? NULL : breaks_find(console, (uint32_t)number);
	*ret_rest = end + strspn(end, " ");
	return *ret ? NULL
		    : trm_error_create(TRM_ERROR_USAGE, "there is no breakpoint '%s'",
				       text);
}

/* One of code: the processor counts and computes nothing for its watchpoints. */
static struct trm_error *find_of_code(struct console *console, const char *text,
				      const char **ret_rest,
				      struct console_breakpoint **ret)
{
	TRM_TRY(find_numbered(console, text, ret_rest, ret));
	return (*ret)->watch ? trm_error_create(TRM_ERROR_USAGE,
						"%u is a watchpoint: it can be deleted",
						(*ret)->number)
			     : NULL;
}

static struct trm_error *do_delete(struct console *console, const char *text)
{
	struct console_breakpoint *found;
	const char *rest;

	if (!*text) {
		breaks_delete_all(console);
		return NULL;
	}
	TRM_TRY(find_numbered(console, text, &rest, &found));
	TRM_TRY(expect_end(rest));
	breaks_delete(console, found);
	return NULL;
}

static struct trm_error *switch_breakpoint(struct console *console, const char *text,
					   bool off)
{
	struct console_breakpoint *found;
	const char *rest;

	TRM_TRY(find_of_code(console, text, &rest, &found));
	TRM_TRY(expect_end(rest));
	breaks_switch(console, found, off);
	return NULL;
}

static struct trm_error *do_enable(struct console *console, const char *text)
{
	return switch_breakpoint(console, text, false);
}

static struct trm_error *do_disable(struct console *console, const char *text)
{
	return switch_breakpoint(console, text, true);
}

static struct trm_error *do_ignore(struct console *console, const char *text)
{
	struct console_breakpoint *found;
	const char *rest;
	uint64_t times = 0;

	TRM_TRY(find_of_code(console, text, &rest, &found));
	if (strcmp(rest, "0") != 0)
		TRM_TRY(read_count(*rest ? rest : "?", 0, &times));
	breaks_ignore(console, found, times);
	return NULL;
}

static struct trm_error *do_condition(struct console *console, const char *text)
{
	struct console_breakpoint *found;
	struct text place = {0};
	const char *rest;
	struct trm_error *error;

	TRM_TRY(find_of_code(console, text, &rest, &found));
	if (*rest)
		TRM_TRY(expression_check(console, rest));
	text_format(&place, "%s%s%s", found->place, *rest ? " if " : "", rest);
	const bool once = found->once;

	breaks_delete(console, found);
	error = breaks_set(console, place.data, once, 0);
	text_deinit(&place);
	return error;
}

static struct trm_error *do_continue(struct console *console, const char *text)
{
	uint64_t count;

	TRM_TRY(read_count(text, 1, &count));
	if (count > 1 && console->stop.reason == DEBUG_REASON_BREAKPOINT) {
		struct debug_breakpoint *own =
			debug_breakpoint(console->session, console->stop.breakpoint);

		if (own)
			own->ignore = count - 1;
	}
	steps_end(console);
	console->waits = true;
	debug_go(console->session);
	return NULL;
}

static struct trm_error *begin_steps(struct console *console, const char *text,
				     enum console_going going, bool lines)
{
	uint64_t count;

	TRM_TRY(read_count(text, 1, &count));
	return steps_begin(console, going, lines, count);
}

static struct trm_error *do_stepi(struct console *console, const char *text)
{
	return begin_steps(console, text, GOING_STEP, false);
}

static struct trm_error *do_nexti(struct console *console, const char *text)
{
	return begin_steps(console, text, GOING_NEXT, false);
}

static struct trm_error *do_step(struct console *console, const char *text)
{
	return begin_steps(console, text, GOING_STEP, true);
}

static struct trm_error *do_next(struct console *console, const char *text)
{
	return begin_steps(console, text, GOING_NEXT, true);
}

static struct trm_error *do_finish(struct console *console, const char *text)
{
	struct debug_frame frames[2];
	size_t count;

	(void)text;
	TRM_TRY(debug_backtrace(console->session, console->tid, frames, 2, &count));
	if (count < 2 || !frames[0].cfa)
		return trm_error_create(TRM_ERROR_USAGE, "what called this is not known");
	return steps_run_to(console, frames[1].pc, frames[0].cfa);
}

static struct trm_error *do_until(struct console *console, const char *text)
{
	uint64_t address;

	if (!*text)
		return do_next(console, text);
	TRM_TRY(names_find(console, text, &address));
	return steps_run_to(console, address, 0);
}

static struct trm_error *do_print(struct console *console, const char *text)
{
	int64_t value;

	TRM_TRY(expression_compute(console, console->tid, text, NULL, &value));
	text_format(&console->output, "%ld  0x%lx\n", (long)value, (unsigned long)value);
	return NULL;
}

/* $REGISTER = VALUE, or {SIZE}ADDRESS = VALUE with a size of 1, 2, 4 or 8 bytes. */
static struct trm_error *do_set(struct console *console, const char *text)
{
	const char *equals = strchr(text, '=');
	struct user_regs_struct registers;
	int64_t value, address = 0;
	const char *rest = text;
	size_t size;

	if (!equals || (*text != '$' && *text != '{'))
		return trm_error_create(
			TRM_ERROR_USAGE,
			"set $REGISTER = VALUE, or {BYTES}ADDRESS = VALUE");
	TRM_TRY(expression_compute(console, console->tid, equals + 1, NULL, &value));
	if (*text == '{') {
		size = strtoul(text + 1, NULL, 10);
		text += strcspn(text, "}");
		if (!*text || !size || size > sizeof(value))
			return trm_error_create(TRM_ERROR_USAGE, "{BYTES} is wrong");
		TRM_TRY(expression_compute(console, console->tid, text + 1, &rest,
					   &address));
		if (rest != equals)
			return trm_error_create(TRM_ERROR_USAGE, "'%.*s' is too much",
						(int)(equals - rest), rest);
		return debug_write(console->session, console->pid, (uint64_t)address,
				   &value, size);
	}
	TRM_TRY(debug_get_registers(console->session, console->tid, &registers));
	unsigned long long *place =
		expression_register(&registers, text + 1, strcspn(text + 1, " ="));

	if (!place)
		return trm_error_create(TRM_ERROR_USAGE, "there is no such register");
	*place = (unsigned long long)value;
	return debug_set_registers(console->session, console->tid, &registers);
}

static struct trm_error *do_thread(struct console *console, const char *text)
{
	struct thread *thread;
	pid_t tid = (pid_t)strtol(text, NULL, 10);
	const char *dot = strchr(text, '.');

	if (dot)
		tid = (pid_t)strtol(dot + 1, NULL, 10);
	TRM_TRY(debug_find(console->session, tid, &thread));
	console->tid = tid;
	console->pid = thread->process->pid;
	show_place(console);
	return NULL;
}

static int signal_number(const char *text, size_t length)
{
	char name[32];

	if (length >= sizeof(name))
		return 0;
	memcpy(name, text, length);
	name[length] = '\0';
	for (int signal = 1; signal < 65; signal++)
		if (sigabbrev_np(signal) && (!strcmp(sigabbrev_np(signal), name) ||
					     (!strncmp(name, "SIG", 3) &&
					      !strcmp(sigabbrev_np(signal), name + 3))))
			return signal;
	char *end;
	const unsigned long number = strtoul(name, &end, 10);

	return *end || number > 64 ? 0 : (int)number;
}

static void name_signal(int signal, char name[32])
{
	const char *known = sigabbrev_np(signal);

	if (known)
		snprintf(name, 32, "SIG%s", known);
	else
		snprintf(name, 32, "signal %d", signal);
}

/* Reads words of "handle". */
static struct trm_error *read_policy(const char *text, struct debug_signal_policy *policy)
{
	static const char *const words[] = {"nostop", "stop", "nopass", "pass"};

	for (size_t length; *(text += strspn(text, " \t")); text += length) {
		size_t i = 0;

		length = strcspn(text, " \t");
		while (i < array_count(words) && (strlen(words[i]) != length ||
						  strncmp(words[i], text, length) != 0))
			i++;
		if (i == array_count(words))
			return trm_error_create(TRM_ERROR_USAGE,
						"'%.*s' is none of stop, nostop, pass, "
						"nopass",
						(int)length, text);
		*(i < 2 ? &policy->stops : &policy->passes) = i % 2;
	}
	return NULL;
}

static struct trm_error *do_handle(struct console *console, const char *text)
{
	const size_t length = strcspn(text, " ");
	const int signal = signal_number(text, length);

	if (signal <= 0 || signal > 64)
		return trm_error_create(TRM_ERROR_USAGE, "'%s' is no signal", text);
	struct debug_signal_policy *policy =
		debug_signal_policy(console->session, signal);

	struct debug_signal_policy wanted = *policy;
	char name[32];

	TRM_TRY(read_policy(text + length, &wanted));
	*policy = wanted;
	name_signal(signal, name);
	text_format(&console->output, "%s: %s, %s\n", name,
		    policy->stops ? "stop" : "nostop",
		    policy->passes ? "pass" : "nopass");
	return NULL;
}

static struct trm_error *do_signal(struct console *console, const char *text)
{
	const int signal = signal_number(text, strlen(text));

	if (signal < 0 || signal > 64 || (!signal && strcmp(text, "0") != 0))
		return trm_error_create(TRM_ERROR_USAGE, "'%s' is no signal", text);
	TRM_TRY(debug_set_signal(console->session, console->tid, signal));
	return do_continue(console, "");
}

static struct trm_error *do_kill(struct console *console, const char *text)
{
	(void)text;
	kill(console->pid, SIGKILL);
	return do_continue(console, "");
}

static struct trm_error *do_detach(struct console *console, const char *text)
{
	(void)text;
	breaks_delete_all(console);
	console->ended = true;
	debug_end(console->session);
	/* The end of the measurement, too. */
	if (console->session->attached)
		kill(getpid(), SIGINT);
	return NULL;
}

static struct trm_error *do_follow(struct console *console, const char *text)
{
	if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
		return trm_error_create(TRM_ERROR_USAGE, "follow-children on, or off");
	debug_follow_children(console->session, !strcmp(text, "on"));
	return NULL;
}

/* Counts calls of the function that begins at an address, so far. */
static struct trm_error *count_calls(struct console *console, uint64_t address,
				     uint64_t *ret_count)
{
	return calls_so_far(console->session,
			    session_find_process(console->session, console->pid), address,
			    ret_count);
}

static struct trm_error *do_count(struct console *console, const char *text)
{
	uint64_t address, count;

	TRM_TRY(names_find(console, text, &address));
	TRM_TRY(count_calls(console, address, &count));
	text_format(&console->output, "%lu calls so far\n", (unsigned long)count);
	return NULL;
}

static struct trm_error *watch_data(struct console *console, const char *text, bool reads)
{
	if (!debug_is_halted(console->session))
		return trm_error_create(TRM_ERROR_USAGE, "the program runs");
	return breaks_watch(console, text, reads);
}

static struct trm_error *do_watch_all(struct console *console, const char *text)
{
	return watch_data(console, text, true);
}

/* PLACE N: stops at the N-th time. Calls that were counted before are among them; of
 * other places, and where no counter tells, times from now on. */
static struct trm_error *do_watch(struct console *console, const char *text)
{
	const char *space = strrchr(text, ' ');
	uint64_t address, count = 0, wanted;
	struct trm_error *error;

	if (*text == '*')
		return watch_data(console, text, false);

	if (!space)
		return trm_error_create(TRM_ERROR_USAGE,
					"watch PLACE N, or watch *ADDRESS [BYTES]");
	TRM_TRY(read_count(space + 1, 0, &wanted));
	char *place = strndup(text, (size_t)(space - text));

	if (!names_find(console, place, &address))
		trm_error_destroy(count_calls(console, address, &count));
	error = count >= wanted
			? trm_error_create(TRM_ERROR_USAGE, "there were %lu already",
					   (unsigned long)count)
			: breaks_set(console, place, true, wanted - 1 - count);
	free(place);
	return error;
}

static struct trm_error *do_info(struct console *console, const char *text)
{
	static const struct {
		const char *name;
		struct trm_error *(*show)(struct console *console, const char *text);
	} infos[] = {
		{"registers", show_registers}, {"threads", show_threads},
		{"modules", show_modules},     {"sharedlibrary", show_modules},
		{"stack", show_stack},
	};
	const size_t length = strcspn(text, " ");
	const char *rest = text + length + strspn(text + length, " ");

	if (length && !strncmp("breakpoints", text, length)) {
		breaks_show(console);
		return NULL;
	}
	for (size_t i = 0; i < array_count(infos); i++)
		if (length && !strncmp(infos[i].name, text, length))
			return infos[i].show(console, rest);
	return trm_error_create(TRM_ERROR_USAGE,
				"info breakpoints, registers, threads, modules or stack");
}

static struct trm_error *do_measure(struct console *console, const char *text)
{
	struct session *session = console->session;
	const bool off = !strcmp(text, "off");
	const bool open = session->window.state == WINDOW_OPEN;

	if (off || !strcmp(text, "on")) {
		if (off == !open)
			return NULL;
		if (!(off ? window_pause(session) : window_resume(session)))
			return trm_error_create(
				TRM_ERROR_USAGE,
				"the measurement has not begun, or is over");
	} else if (*text) {
		return trm_error_create(TRM_ERROR_USAGE, "measure on, or measure off");
	} else {
		text_format(&console->output, "measure %s\n", open ? "on" : "off");
	}
	return NULL;
}

/* The prompt does this by itself, where it is. */
static struct trm_error *do_python(struct console *console, const char *text)
{
	(void)console;
	(void)text;
	return trm_error_create(TRM_ERROR_USAGE,
				"python is for prompts of trammel debug");
}

static struct trm_error *do_echo(struct console *console, const char *text)
{
	text_format(&console->output, "%s\n", text);
	return NULL;
}

static struct trm_error *do_help(struct console *console, const char *text);

enum { NEEDS_STOP = 1, TAKES_PLACE = 2 };

static const struct command_row {
	const char *name, *brief; /* NULL: no short form */
	struct trm_error *(*run)(struct console *console, const char *text);
	int flags;
	const char *arguments, *help;
} rows[] = {
	{"break", "b", do_break, TAKES_PLACE, "PLACE [if CONDITION]",
	 "stop where PLACE runs: FUNCTION[+OFFSET], FILE:LINE, 0xADDRESS"},
	{"tbreak", NULL, do_break_once, TAKES_PLACE, "PLACE [if CONDITION]",
	 "stop there once"},
	{"watch", NULL, do_watch, TAKES_PLACE, "PLACE N",
	 "stop at the N-th call of a function, or the N-th time at a place"},
	{"watch", NULL, do_watch, 0, "*ADDRESS [BYTES]",
	 "stop behind what changes the 8 (1, 2, 4) bytes there"},
	{"awatch", NULL, do_watch_all, 0, "*ADDRESS [BYTES]",
	 "likewise behind what reads or writes them"},
	{"count", NULL, do_count, NEEDS_STOP | TAKES_PLACE, "FUNCTION",
	 "its calls so far"},
	{"delete", "d", do_delete, 0, "[NUMBER]", "delete a breakpoint, or all"},
	{"enable", NULL, do_enable, 0, "NUMBER", "switch a breakpoint on"},
	{"disable", NULL, do_disable, 0, "NUMBER", "switch a breakpoint off"},
	{"ignore", NULL, do_ignore, 0, "NUMBER COUNT", "do not stop COUNT times"},
	{"condition", NULL, do_condition, 0, "NUMBER [CONDITION]",
	 "set a breakpoint anew with another condition"},
	{"continue", "c", do_continue, NEEDS_STOP, "[COUNT]", "let the program run on"},
	{"stepi", "si", do_stepi, NEEDS_STOP, "[COUNT]", "execute an instruction"},
	{"nexti", "ni", do_nexti, NEEDS_STOP, "[COUNT]", "likewise, calls as one"},
	{"step", "s", do_step, NEEDS_STOP, "[COUNT]", "execute a source line"},
	{"next", "n", do_next, NEEDS_STOP, "[COUNT]", "likewise, calls as one"},
	{"finish", "fin", do_finish, NEEDS_STOP, "", "run to the end of the function"},
	{"until", "u", do_until, NEEDS_STOP | TAKES_PLACE, "[PLACE]",
	 "run to a place, or to the next line"},
	{"backtrace", "bt", show_stack, NEEDS_STOP, "[COUNT]", "calls of the thread"},
	{"registers", "r", show_registers, NEEDS_STOP, "[NAME]", "registers"},
	{"print", "p", do_print, NEEDS_STOP, "EXPRESSION", "a value"},
	{"x", NULL, show_memory, NEEDS_STOP, "[/COUNT FORMAT SIZE] ADDRESS",
	 "memory: formats x d u c s i, sizes b h w g"},
	{"set", NULL, do_set, NEEDS_STOP, "$REGISTER = VALUE",
	 "change a register, or with {BYTES}ADDRESS memory"},
	{"disassemble", "dis", show_code, NEEDS_STOP | TAKES_PLACE, "[PLACE]",
	 "a function, beside what runs in its place"},
	{"thread", "t", do_thread, NEEDS_STOP, "TID", "choose a thread"},
	{"info", "i", do_info, 0, "WHAT",
	 "breakpoints, registers, threads, modules, stack"},
	{"handle", NULL, do_handle, 0, "SIGNAL [no]stop [no]pass",
	 "what happens at a signal"},
	{"signal", NULL, do_signal, NEEDS_STOP, "SIGNAL",
	 "run on with this signal; 0: with none"},
	{"follow-children", NULL, do_follow, 0, "on|off",
	 "debug what the program forks, too"},
	{"measure", NULL, do_measure, 0, "[on|off]",
	 "count from now on, or do not; or whether it does"},
	{"python", "py", do_python, 0, "[CODE]",
	 "run Python; without CODE, lines until 'end'"},
	{"echo", NULL, do_echo, 0, "TEXT", "show a text"},
	{"kill", "k", do_kill, NEEDS_STOP, "", "kill the program"},
	{"detach", NULL, do_detach, 0, "", "let the program run on without a debugger"},
	{"quit", "q", do_detach, 0, "", "likewise"},
	{"help", "h", do_help, 0, "", "this"},
};

static struct trm_error *do_help(struct console *console, const char *text)
{
	(void)text;
	for (size_t i = 0; i < array_count(rows); i++)
		text_format(&console->output, "%-16s %-4s %-28s %s\n", rows[i].name,
			    rows[i].brief ? rows[i].brief : "", rows[i].arguments,
			    rows[i].help);
	return NULL;
}

/* By its name, its short form, or the beginning of one name. */
static const struct command_row *find_command(const char *word, size_t length)
{
	const struct command_row *found = NULL;
	size_t matches = 0;

	for (size_t i = 0; i < array_count(rows); i++) {
		const struct command_row *row = &rows[i];

		if ((strlen(row->name) == length && !strncmp(row->name, word, length)) ||
		    (row->brief && strlen(row->brief) == length &&
		     !strncmp(row->brief, word, length)))
			return row;
		if (!strncmp(row->name, word, length)) {
			found = row;
			matches++;
		}
	}
	return matches == 1 ? found : NULL;
}

void commands_do(struct console *console, const char *line)
{
	struct trm_error *error = NULL;
	const char *word = line + strspn(line, " \t");
	const size_t length = strcspn(word, " \t/");
	const char *rest = word + length;
	const struct command_row *row = find_command(word, length);

	rest += strspn(rest, " \t");
	if (!length || *word == '#')
		return;
	if (!row)
		error = trm_error_create(TRM_ERROR_USAGE,
					 "'%.*s' is no command: see 'help'", (int)length,
					 word);
	else if ((row->flags & NEEDS_STOP) && !debug_is_halted(console->session))
		error = trm_error_create(TRM_ERROR_USAGE, "the program runs");
	else
		error = row->run(console, rest);
	if (error)
		text_format(&console->output, "%s\n", error->message);
	trm_error_destroy(error);
}

void commands_complete(struct console *console, const char *line, struct text *text)
{
	const char *word = line + strspn(line, " \t");
	const size_t length = strcspn(word, " \t");
	const struct command_row *row = find_command(word, length);
	const char *last = strrchr(word, ' ');

	for (size_t i = 0; !word[length] && i < array_count(rows); i++)
		if (!strncmp(rows[i].name, word, length))
			text_format(text, "%s\n", rows[i].name);
	if (word[length] && row && (row->flags & TAKES_PLACE) && last && last[1])
		names_complete(console, last + 1, 200, text);
}
