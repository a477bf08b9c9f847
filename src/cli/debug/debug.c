/* `trammel debug`: see man/trammel-debug.1.md. */
#include "base/error.h"
#include "cli/commands.h"
#include "cli/measuring.h"
#include "cli/run/running.h"
#include "debug/gdb/server.h"
#include "debug/listen.h"

#include <fcntl.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is asked for beside the measurement. */
struct debugging {
	struct measuring given;
	char *gdb;
	struct gdb_place place;
};

static void begin_serving(struct session *session, void *context)
{
	const struct debugging *debugging = context;

	trm_error_destroy(gdb_serve(session, &debugging->place));
}

static void print_help(poptContext context)
{
	poptSetOtherOptionHelp(context, "[OPTION...] [--] PROGRAM [ARGUMENT...]");
	poptPrintHelp(context, stdout, 0);
	measuring_print_help();
}

static int debug_program(struct debugging *debugging)
{
	char *message = debugging->place.message;
	int port, status;
	struct trm_error *error =
		listen_open(debugging->gdb, &debugging->place.listener, &port);

	if (error) {
		trm_error_print(error);
		return EXIT_USAGE;
	}
	debugging->place.message_fd =
		fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (port)
		snprintf(message, sizeof(debugging->place.message),
			 "trammel: for gdb: target remote 127.0.0.1:%d", port);
	else
		snprintf(message, sizeof(debugging->place.message),
			 "trammel: for gdb: target remote %s", debugging->gdb + 5);
	debugging->given.options.server =
		(struct session_server){.begin = begin_serving, .context = debugging};
	status = running_measure(&debugging->given, NULL);
	listen_remove(debugging->gdb);
	return status;
}

static int debug_main(int argc, const char **argv)
{
	struct debugging debugging = {0};
	struct measuring *given = &debugging.given;
	struct poptOption table[] = {
		MEASURING_OPTIONS(debugging.given),
		{"gdb", 0, POPT_ARG_STRING, &debugging.gdb, 0,
		 "serve a gdb at unix:PATH or tcp:127.0.0.1:PORT", "ADDRESS"},
		MEASURING_TOOLS,
		MEASURING_LAST_OPTIONS(debugging.given),
		POPT_TABLEEND,
	};
	const char **named = memory_allocate((size_t)(argc + 1) * sizeof(*named));

	memcpy(named, argv, (size_t)(argc + 1) * sizeof(*named));
	named[0] = "trammel debug"; /* for the usage line */
	poptContext context = poptGetContext("trammel debug", argc, named, table,
					     POPT_CONTEXT_POSIXMEHARDER);
	int status = measuring_parse(context, given, "debug", print_help) - 1;

	given->options.arguments = status < 0 ? poptGetArgs(context) : NULL;
	if (status < 0 && !given->options.arguments)
		status = EXIT_USAGE;
	if (status < 0)
		status = measuring_complete(given, given->options.arguments[0])
				 ? debug_program(&debugging)
				 : EXIT_USAGE;
	measuring_deinit(given);
	free(debugging.gdb);
	poptFreeContext(context);
	free(named);
	return status;
}

const struct command cmd_debug = {
	.name = "debug",
	.summary = "debug a program while it is measured",
	.main = debug_main,
};
