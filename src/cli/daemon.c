/* `trammel daemon`: see man/trammel-daemon.1.md. */
#include "cli/commands.h"
#include "cli/saving.h"
#include "cli/showing.h"
#include "daemon/control.h"
#include "daemon/daemon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_MB = 24, MEMORY_MB_MAX = 4096, FREQUENCY_MAX = 100000 };

#define FLUSH_SECONDS 60

static struct daemon_given {
	struct showing shown;
	char *db, *event, *frequency, *period, *flush, *memory, *epoch, *label, *log;
	char *new_epoch, *new_label, *mapped;
	int callpath, own, no_kernel, no_gc, foreground, status, now, stop;
} given;

#define DAEMON_WORD(name, variable, text, value)                                         \
	SHOWING_OPTION(name, 0, POPT_ARG_STRING, given.variable, text, value)
#define DAEMON_FLAG(name, variable, text)                                                \
	SHOWING_OPTION(name, 0, POPT_ARG_NONE, given.variable, text, NULL)

static const struct poptOption option_table[] = {
	DAEMON_WORD("db", db, "the database (default: $TRAMMEL_DB)", "FILE"),
	DAEMON_WORD("event", event, "what samples are taken by (default cpu-clock)",
		    "LIST"),
	DAEMON_WORD("frequency", frequency,
		    "samples per second and processor (default 1000)", "HZ"),
	DAEMON_WORD("period", period, "one sample every N events, instead", "N"),
	DAEMON_FLAG("callpath", callpath, "with the calls that led there"),
	DAEMON_WORD("flush", flush, "write so often (default 60)", "SECONDS"),
	DAEMON_WORD(
		"memory", memory,
		"MB for what is not written yet (default 24); what is more is dropped",
		"MB"),
	DAEMON_WORD("epoch", epoch, "runs belong to this epoch, not to their day",
		    "NAME"),
	DAEMON_WORD("label", label, "runs have this label", "NAME"),
	DAEMON_FLAG("own", own, "only processes of this user"),
	DAEMON_FLAG("no-kernel", no_kernel, "not what the kernel does"),
	DAEMON_FLAG("no-gc", no_gc, "do not make old data smaller"),
	DAEMON_WORD("log", log, "where lines go, at the end (default: standard error)",
		    "FILE"),
	DAEMON_FLAG("foreground", foreground, "stay where it was begun (the default)"),
	DAEMON_FLAG("status", status, "ask the daemon how it does"),
	DAEMON_FLAG("flush-now", now, "have the daemon write now"),
	DAEMON_WORD("new-epoch", new_epoch,
		    "have it begin an epoch; an empty name: that of the moment", "NAME"),
	DAEMON_WORD("new-label", new_label, "have it label what comes; empty: no more",
		    "NAME"),
	DAEMON_WORD("register", mapped,
		    "tell it that a process has code of a file at an address", "MAPPING"),
	DAEMON_FLAG("stop", stop, "have it write and end"),
	SHOWING_HELP(given.shown),
	POPT_TABLEEND};

static struct trm_error *read_seconds(const char *text, uint64_t *ret_ns)
{
	char *end;
	const double seconds = text ? strtod(text, &end) : FLUSH_SECONDS;

	if (text && (end == text || *end || !(seconds >= 0.01) || seconds > 86400))
		return trm_error_create(TRM_ERROR_USAGE,
					"--flush '%s' is not a number of seconds, from "
					"0.01 to 86400",
					text);
	*ret_ns = (uint64_t)(seconds * 1e9);
	return NULL;
}

static struct trm_error *read_numbers(struct daemon_options *options)
{
	uint64_t frequency, memory;

	TRM_TRY(arguments_number("frequency", given.frequency, 1, &frequency));
	TRM_TRY(arguments_number("period", given.period, 1, &options->rate.period));
	TRM_TRY(arguments_number("memory", given.memory, 1, &memory));
	TRM_TRY(read_seconds(given.flush, &options->flush_ns));
	if (frequency > FREQUENCY_MAX || memory > MEMORY_MB_MAX)
		return trm_error_create(TRM_ERROR_USAGE,
					"--frequency is at most %d, --memory %d",
					FREQUENCY_MAX, MEMORY_MB_MAX);
	options->rate.frequency = frequency ? frequency : SAMPLE_FREQUENCY;
	options->memory = (memory ? memory : MEMORY_MB) << 20;
	return NULL;
}

/* What a daemon that runs is to be asked, as lines for it. */
static struct trm_error *ask_all(const char *database, size_t *ret_asked)
{
	const struct {
		const char *name, *argument;
		bool wanted;
	} lines[] = {
		{"register ", given.mapped, given.mapped != NULL},
		{"label ", given.new_label, given.new_label != NULL},
		{"epoch ", given.new_epoch, given.new_epoch != NULL},
		{"flush", "", given.now},
		{"status", "", given.status},
		{"stop", "", given.stop},
	};

	*ret_asked = 0;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct text line = {0}, answer = {0};

		if (!lines[i].wanted)
			continue;
		++*ret_asked;
		text_format(&line, "%s%s", lines[i].name, lines[i].argument);
		struct trm_error *error = control_ask(database, line.data, &answer);

		text_deinit(&line);
		TRM_TRY(error);
		if (answer.data)
			fputs(answer.data, stdout);
		text_deinit(&answer);
	}
	return NULL;
}

static struct trm_error *run_daemon(int *ret_status)
{
	const char *database = saving_database(given.db);
	struct daemon_options options = {
		.events = given.event ? given.event : "cpu-clock",
		.rate.callpath = given.callpath,
		.epoch = given.epoch,
		.label = given.label,
		.log = given.log,
		.own_processes = given.own,
		.no_kernel = given.no_kernel,
		.no_gc = given.no_gc,
	};
	size_t asked;

	(void)ret_status;
	if (given.shown.words.count)
		return trm_error_create(TRM_ERROR_USAGE, "unexpected argument '%s'",
					given.shown.words.items[0]);
	if (!database)
		return trm_error_create(TRM_ERROR_USAGE,
					"no database: give --db FILE, or set TRAMMEL_DB");
	TRM_TRY(ask_all(database, &asked));
	if (asked)
		return NULL;
	TRM_TRY(read_numbers(&options));
	options.database = database;
	return daemon_run(&options);
}

const struct command cmd_daemon = {
	.name = "daemon",
	.summary = "sample all processes, always, into a database",
	.usage = "Usage: trammel daemon --db FILE [OPTION]...\n"
		 "Samples all processes, or those of this user, into a database.\n",
	.options = option_table,
	.given = &given.shown,
	.run = run_daemon,
};
