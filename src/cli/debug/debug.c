/* `trammel debug`: see man/trammel-debug.1.md. */
#include "base/array.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/debug/debug.h"
#include "cli/debug/prompt.h"
#include "cli/far/far.h"
#include "cli/measuring.h"
#include "cli/options/configured.h"
#include "cli/run/running.h"
#include "control/remote.h"
#include "debug/console/console.h"
#include "debug/gdb/server.h"
#include "debug/listen.h"
#include "session/run/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is asked for beside the measurement. */
struct debugging {
	struct measuring given;
	char *gdb, *listen, *connect, *token, *pid;
	struct trm_error *lines_error;
	int on_crash;
	struct prompt_lines lines;
	const struct option_settings *far; /* NULL: it is on this host */
	struct gdb_place gdb_place;
	struct console_place console_place;
};

static void begin_serving(struct session *session, void *context)
{
	const struct debugging *debugging = context;

	trm_error_destroy(debugging->gdb
				  ? gdb_serve(session, &debugging->gdb_place)
				  : console_serve(session, &debugging->console_place));
}

static void print_help(poptContext context)
{
	poptSetOtherOptionHelp(context, "[OPTION...] [--] PROGRAM [ARGUMENT...]");
	poptPrintHelp(context, stdout, 0);
	measuring_print_help();
	puts("At the prompt 'help' lists the commands.");
}

/* A token that nobody guesses. */
static char *make_token(void)
{
	unsigned char bytes[16];
	struct text text = {0};

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		abort();
	for (size_t i = 0; i < sizeof(bytes); i++)
		text_format(&text, "%02x", bytes[i]);
	return text.data;
}

static int open_message_fd(void)
{
	return fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

static struct trm_error *open_gdb(struct debugging *debugging)
{
	struct gdb_place *place = &debugging->gdb_place;
	int port;

	TRM_TRY(listen_open(debugging->gdb, &place->listener, &port));
	place->message_fd = open_message_fd();
	if (port)
		snprintf(place->message, sizeof(place->message),
			 "trammel: for gdb: target remote 127.0.0.1:%d", port);
	else
		snprintf(place->message, sizeof(place->message),
			 "trammel: for gdb: target remote %s", debugging->gdb + 5);
	return NULL;
}

static struct trm_error *open_listener(struct debugging *debugging)
{
	struct console_place *place = &debugging->console_place;
	const bool given = debugging->token != NULL;
	int port;

	TRM_TRY(listen_open(debugging->listen, &place->listener, &port));
	place->message_fd = open_message_fd();
	if (!given)
		debugging->token = make_token();
	place->token = debugging->token;
	if (port)
		snprintf(place->message, sizeof(place->message),
			 "trammel: trammel debug --connect tcp:127.0.0.1:%d%s%s", port,
			 given ? "" : " --token ", given ? "" : place->token);
	else
		snprintf(place->message, sizeof(place->message),
			 "trammel: trammel debug --connect %.150s%s%s", debugging->listen,
			 given ? "" : " --token ", given ? "" : place->token);
	return NULL;
}

static bool parse_pid(const char *text, pid_t *ret_pid)
{
	char *end;
	const long number = strtol(text, &end, 10);

	*ret_pid = (pid_t)number;
	return *text && !*end && number > 0 && number <= INT_MAX;
}

/* Whether the measurement is one by a tracer that a debugger can be in. */
static bool can_debug(const struct measuring *given)
{
	const struct collector *collector = given->options.collector;
	struct measuring with = {0};
	struct text both = {0};

	if (collector->slot_size && !collector->waits)
		return true;
	text_format(&both, "functions,%s", given->options.collector->name);
	with.measure = memory_copy_string(both.data);
	struct trm_error *apart = measuring_check(&with, "program");

	trm_error_print(trm_error_create(
		TRM_ERROR_USAGE,
		"'-m %s' leaves the program alone, and nothing can be debugged: measure "
		"something else%s%s%s",
		given->options.collector->name, apart ? "" : ", or both, as '-m ",
		apart ? "" : both.data, apart ? "" : "'"));
	trm_error_destroy(apart);
	measuring_deinit(&with);
	text_deinit(&both);
	return false;
}

static int attach_to(struct debugging *debugging)
{
	struct measuring *given = &debugging->given;
	struct attach_request request = {0};
	char program[PATH_MAX];
	struct trm_error *error;

	if (!parse_pid(debugging->pid, &request.pid)) {
		trm_error_print(trm_error_create(TRM_ERROR_USAGE,
						 "--pid '%s' is not a process number",
						 debugging->pid));
		return EXIT_USAGE;
	}
	remote_read_program(request.pid, program, sizeof(program));
	if (!measuring_complete(given, *program ? program : "process") ||
	    !can_debug(given))
		return EXIT_USAGE;
	error = session_attach(&given->options, &request);
	if (error) {
		trm_error_print(error);
		return EXIT_FAILED;
	}
	measuring_summarize(given);
	return EXIT_DONE;
}

/* Measures, with the debugger in the tracer. */
static int measure_debugged(struct debugging *debugging)
{
	struct measuring *given = &debugging->given;

	given->options.server =
		(struct session_server){.begin = begin_serving, .context = debugging};
	if (debugging->pid)
		return attach_to(debugging);
	return measuring_complete(given, given->options.arguments[0]) && can_debug(given)
		       ? running_measure(given, NULL)
		       : EXIT_USAGE;
}

/* Starts a process like this one, joined to it by a socket: each has its end in `ret_fd`,
 * and `ret_child` is 0 in the new one. Says why not. */
static bool fork_joined(pid_t *ret_child, int *ret_fd)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		trm_error_print(trm_error_system(errno, "cannot make a socket"));
		return false;
	}
	fflush(NULL);
	*ret_child = fork();
	if (*ret_child < 0)
		trm_error_print(trm_error_system(errno, "cannot start a process"));
	*ret_fd = ends[*ret_child ? 0 : 1];
	close(ends[*ret_child ? 1 : 0]);
	return *ret_child >= 0;
}

_Noreturn static void ask_at_crash(int fd)
{
	static const char *const shown[] = {"backtrace", "info registers",
					    "info threads"};
	struct prompt_lines lines = {.terminal = isatty(STDIN_FILENO) &&
						 isatty(STDERR_FILENO)};

	/* What is printed is not the program's, and its readers need not wait for it. */
	if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(EXIT_FAILED);
	for (size_t i = 0; !lines.terminal && i < array_count(shown); i++)
		prompt_add_line(&lines, shown[i]);
	trm_error_destroy(prompt_run(fd, &lines, NULL, false));
	fflush(NULL);
	_exit(EXIT_DONE);
}

int prompt_at_crash(struct measuring *given, const char *database)
{
	static struct debugging debugging;
	pid_t child;
	int fd;

	if (!can_debug(given))
		return EXIT_USAGE;
	if (!fork_joined(&child, &fd))
		return EXIT_FAILED;
	if (!child)
		ask_at_crash(fd);
	debugging.console_place = (struct console_place){.fd = fd,
							 .listener = -1,
							 .message_fd = -1,
							 .on_crash = true,
							 .quiet = true};
	given->options.server =
		(struct session_server){.begin = begin_serving, .context = &debugging};
	return running_measure(given, database);
}

/* The prompt is this process, and the measurement a child of it. */
static int debug_at_prompt(struct debugging *debugging)
{
	struct trm_error *error;
	int fd, status;
	pid_t child;

	if (!fork_joined(&child, &fd))
		return EXIT_FAILED;
	if (!child) {
		debugging->console_place.fd = fd;
		status = debugging->far ? far_debug(debugging->far, fd)
					: measure_debugged(debugging);
		fflush(NULL);
		_exit(status);
	}
	error = prompt_run(fd, &debugging->lines, NULL, debugging->pid || debugging->far);
	close(fd);
	if (error)
		trm_error_print(error);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return running_relay(status);
}

static int connect_prompt(struct debugging *debugging)
{
	const char *token = debugging->token ?: getenv("TRAMMEL_TOKEN");
	int fd;
	struct trm_error *error = listen_connect(debugging->connect, &fd);

	if (!error) {
		error = prompt_run(fd, &debugging->lines, token ? token : "", true);
		close(fd);
	}
	if (!error)
		return EXIT_DONE;
	trm_error_print(error);
	return EXIT_FAILED;
}

static int debug_as_asked(struct debugging *debugging)
{
	const char *where = debugging->gdb ?: debugging->listen;
	struct trm_error *error = NULL;
	int status;

	debugging->console_place =
		(struct console_place){.fd = -1,
				       .listener = -1,
				       .message_fd = -1,
				       .on_crash = debugging->on_crash};
	if (debugging->connect)
		return connect_prompt(debugging);
	if (!where)
		return debug_at_prompt(debugging);
	error = debugging->gdb ? open_gdb(debugging) : open_listener(debugging);
	if (error) {
		trm_error_print(error);
		return EXIT_USAGE;
	}
	status = measure_debugged(debugging);
	listen_remove(where);
	return status;
}

/* Takes -x and -e, in their order: called by popt. */
static void see_lines(poptContext context, enum poptCallbackReason reason,
		      const struct poptOption *option, const char *text, const void *data)
{
	struct debugging *debugging = (struct debugging *)(uintptr_t)data;

	(void)context;
	if (reason != POPT_CALLBACK_REASON_OPTION || debugging->lines_error)
		return;
	if (option->val == 'e')
		prompt_add_line(&debugging->lines, text);
	else
		debugging->lines_error = prompt_add_file(&debugging->lines, text);
}

static struct trm_error *take_lines(struct debugging *debugging)
{
	struct prompt_lines *lines = &debugging->lines;

	lines->terminal = isatty(STDIN_FILENO);
	/* The program gets what is left of it: its end. */
	if (!debugging->lines_error && !lines->lines.count && !lines->terminal &&
	    !debugging->gdb && !debugging->listen)
		return prompt_add_file(lines, "-");
	return debugging->lines_error;
}

/* 0: go on; else the exit status plus 1. */
static int check_words(struct debugging *debugging, poptContext context)
{
	struct measuring *given = &debugging->given;
	struct trm_error *error = NULL;

	given->options.arguments = poptGetArgs(context);
	if (debugging->gdb && debugging->listen)
		error = trm_error_create(TRM_ERROR_USAGE,
					 "--gdb and --listen exclude each other");
	else if ((debugging->connect || debugging->pid) && given->options.arguments)
		error = trm_error_create(TRM_ERROR_USAGE,
					 "no program goes with --connect and --pid");
	else if (!debugging->connect && !debugging->pid && !given->options.arguments)
		error = trm_error_create(
			TRM_ERROR_USAGE,
			"no program to debug. Try: trammel debug -- gzip -6k FILE");
	if (!error)
		error = take_lines(debugging);
	if (!error)
		return 0;
	trm_error_print(error);
	return EXIT_USAGE + 1;
}

static void deinit_debugging(struct debugging *debugging)
{
	measuring_deinit(&debugging->given);
	prompt_deinit(&debugging->lines);
	free(debugging->gdb);
	free(debugging->listen);
	free(debugging->connect);
	free(debugging->token);
	free(debugging->pid);
}

/* The options that the program's host is to know. */
static int debug_anywhere(struct debugging *debugging, int argc, const char **argv)
{
	static struct measuring none;
	static char *no_text;
	static const struct poptOption table[] = {
		{"pid", 'p', POPT_ARG_STRING, &no_text, 0, NULL, NULL},
		{"command-file", 'x', POPT_ARG_STRING, &no_text, 0, NULL, NULL},
		{"execute", 'e', POPT_ARG_STRING, &no_text, 0, NULL, NULL},
		{"on-crash", 0, POPT_ARG_NONE, NULL, 0, NULL, NULL},
		{"listen", 0, POPT_ARG_STRING, &no_text, 0, NULL, NULL},
		{"connect", 0, POPT_ARG_STRING, &no_text, 0, NULL, NULL},
		{"token", 0, POPT_ARG_STRING, &no_text, 0, NULL, NULL},
		{"gdb", 0, POPT_ARG_STRING, &no_text, 0, NULL, NULL},
		MEASURING_OPTIONS(none),
		MEASURING_TOOLS,
		MEASURING_FAR_OPTIONS,
		MEASURING_LAST_OPTIONS(none),
		POPT_TABLEEND,
	};
	struct option_settings settings;
	struct trm_error *error;
	int status = EXIT_USAGE;

	if (!configured_is_far(table, POPT_CONTEXT_POSIXMEHARDER, argc, argv, &settings,
			       &error)) {
		if (!error)
			return debug_as_asked(debugging);
		trm_error_print(error);
		return EXIT_USAGE;
	}
	debugging->far = &settings;
	if (debugging->gdb || debugging->listen || debugging->connect)
		trm_error_print(trm_error_create(
			TRM_ERROR_USAGE,
			"--gdb, --listen and --connect are for programs of this host: "
			"without --host and --agent-command"));
	else
		status = debug_at_prompt(debugging);
	option_settings_deinit(&settings);
	return status;
}

static int debug_main(int argc, const char **argv)
{
	struct debugging debugging = {0};
	struct poptOption lines[] = {
		{NULL, '\0', POPT_ARG_CALLBACK, see_lines, 0, (void *)&debugging, NULL},
		{"command-file", 'x', POPT_ARG_STRING, NULL, 'x',
		 "take commands from this file first", "FILE"},
		{"execute", 'e', POPT_ARG_STRING, NULL, 'e', "do this command first",
		 "COMMAND"},
		POPT_TABLEEND,
	};
	struct poptOption table[] = {
		{"pid", 'p', POPT_ARG_STRING, &debugging.pid, 0,
		 "debug a process that runs already", "PID"},
		{NULL, '\0', POPT_ARG_INCLUDE_TABLE, lines, 0, NULL, NULL},
		{"on-crash", 0, POPT_ARG_NONE, &debugging.on_crash, 0,
		 "stop only at a signal that tells of a crash", NULL},
		{"listen", 0, POPT_ARG_STRING, &debugging.listen, 0,
		 "wait for prompts at unix:PATH or tcp:127.0.0.1:PORT", "ADDRESS"},
		{"connect", 0, POPT_ARG_STRING, &debugging.connect, 0,
		 "be the prompt of one that waits there", "ADDRESS"},
		{"token", 0, POPT_ARG_STRING, &debugging.token, 0,
		 "what prompts must know", "TEXT"},
		{"gdb", 0, POPT_ARG_STRING, &debugging.gdb, 0,
		 "serve a gdb at unix:PATH or tcp:127.0.0.1:PORT", "ADDRESS"},
		MEASURING_OPTIONS(debugging.given),
		MEASURING_TOOLS,
		MEASURING_FAR_OPTIONS,
		MEASURING_LAST_OPTIONS(debugging.given),
		POPT_TABLEEND,
	};
	const char **named = memory_allocate((size_t)(argc + 1) * sizeof(*named));

	memcpy(named, argv, (size_t)(argc + 1) * sizeof(*named));
	named[0] = "trammel debug"; /* for the usage line */
	poptContext context = poptGetContext("trammel debug", argc, named, table,
					     POPT_CONTEXT_POSIXMEHARDER);
	int status = measuring_parse(context, &debugging.given, "debug", print_help);

	status = (status ? status : check_words(&debugging, context)) - 1;
	if (status < 0)
		status = debug_anywhere(&debugging, argc, argv);
	deinit_debugging(&debugging);
	poptFreeContext(context);
	free(named);
	return status;
}

const struct command cmd_debug = {
	.name = "debug",
	.summary = "debug a program while it is measured",
	.main = debug_main,
};
