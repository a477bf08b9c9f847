#include "debug/gdb/queries.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "control/remote.h"
#include "debug/gdb/packet.h"
#include "debug/gdb/registers.h"
#include "debug/gdb/signals.h"
#include "session/debug/access.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void answer_supported(struct gdb *gdb, char *rest)
{
	struct text text = {0};

	gdb->knows_swbreak = strstr(rest, "swbreak+") != NULL;
	gdb->knows_exec = strstr(rest, "exec-events+") != NULL;
	gdb->knows_processes = strstr(rest, "multiprocess+") != NULL;
	text_format(&text,
		    "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;"
		    "qXfer:auxv:read+;qXfer:siginfo:read+;qXfer:threads:read+;"
		    "qXfer:exec-file:read+;QPassSignals+;QProgramSignals+;"
		    "vContSupported+",
		    GDB_PACKET);
	if (gdb->knows_swbreak)
		text_add(&text, ";swbreak+");
	if (gdb->knows_processes)
		text_add(&text, ";multiprocess+");
	if (gdb->knows_exec)
		text_add(&text, ";exec-events+");
	gdb_send(gdb, text.data);
	text_deinit(&text);
}

static void answer_no_acknowledging(struct gdb *gdb, char *rest)
{
	(void)rest;
	gdb_send(gdb, "OK");
	gdb->acknowledges = false;
}

static void answer_current(struct gdb *gdb, char *rest)
{
	struct text text = {0};

	(void)rest;
	text_add(&text, "QC");
	gdb_add_thread(gdb, &text, gdb->pid, gdb->general);
	gdb_send(gdb, text.data);
	text_deinit(&text);
}

/* It was there before the debugger, and goes on without it. */
static void answer_attached(struct gdb *gdb, char *rest)
{
	(void)rest;
	gdb_send(gdb, "1");
}

static void answer_ok(struct gdb *gdb, char *rest)
{
	(void)rest;
	gdb_send(gdb, "OK");
}

static void answer_more_threads(struct gdb *gdb, char *rest)
{
	struct text text = {0};

	(void)rest;
	while (gdb->listed.count && text.length < GDB_PACKET / 2) {
		text_add(&text, text.length ? "," : "m");
		gdb_add_thread(gdb, &text, gdb->pid,
			       gdb->listed.items[--gdb->listed.count]);
	}
	gdb_send(gdb, text.data ? text.data : "l");
	text_deinit(&text);
}

static void answer_threads(struct gdb *gdb, char *rest)
{
	gdb->listed.count = 0;
	vector_for_each (&gdb->session->all_threads, thread)
		if ((*thread)->process && (*thread)->process->pid == gdb->pid)
			vector_push(&gdb->listed, (*thread)->tid);
	answer_more_threads(gdb, rest);
}

static void read_name(pid_t tid, char name[32])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	scoped_file FILE *file = fopen(path, "re");

	*name = '\0';
	if (file && fgets(name, 32, file))
		name[strcspn(name, "\n")] = '\0';
}

static void answer_extra(struct gdb *gdb, char *rest)
{
	const char *number = rest;
	struct text text = {0};
	char name[32];

	read_name(gdb_read_thread(&number), name);
	gdb_add_hex(&text, name, strlen(name));
	gdb_send(gdb, text.data ? text.data : "");
	text_deinit(&text);
}

/* Signals that need not be told, a list of GDB's numbers. */
static void answer_pass_signals(struct gdb *gdb, char *rest)
{
	const char *at = rest;

	for (int signal = 1; signal < 65; signal++)
		*debug_signal_policy(gdb->session, signal) =
			(struct debug_signal_policy){true, true};
	while (*at) {
		const int signal = gdb_signal_here((int)gdb_read_number(&at));

		if (signal)
			debug_signal_policy(gdb->session, signal)->stops = false;
		at += strcspn(at, ";");
		at += *at == ';';
	}
	gdb_send(gdb, "OK");
}

static void add_threads(const struct gdb *gdb, struct text *text)
{
	char name[32];

	text_add(text, "<?xml version=\"1.0\"?><threads>");
	vector_for_each (&gdb->session->all_threads, thread) {
		if (!(*thread)->process || (*thread)->process->pid != gdb->pid)
			continue;
		read_name((*thread)->tid, name);
		for (char *c = name; *c; c++)
			if (strchr("<>&\"", *c) || *c < ' ')
				*c = '?';
		text_add(text, "<thread id=\"");
		gdb_add_thread(gdb, text, gdb->pid, (*thread)->tid);
		text_format(text, "\" name=\"%s\"/>", name);
	}
	text_add(text, "</threads>");
}

static void add_auxv(const struct gdb *gdb, struct text *text)
{
	char bytes[4096];
	ssize_t n = 0;
	int fd = -1;

	if (remote_failed(remote_open(gdb->pid, "auxv", O_RDONLY, &fd)))
		return;
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		text_add_bytes(text, bytes, (size_t)n);
	close(fd);
}

static void add_siginfo(const struct gdb *gdb, struct text *text)
{
	siginfo_t info;
	struct thread *thread;

	if (remote_failed(debug_find(gdb->session, gdb->general, &thread)))
		return;
	info = thread->debug.resent;
	if (info.si_signo || !remote_failed(remote_get_signal(gdb->general, &info)))
		text_add_bytes(text, (const char *)&info, sizeof(info));
}

static void add_program(const struct gdb *gdb, struct text *text)
{
	char program[PATH_MAX];

	remote_read_program(gdb->pid, program, sizeof(program));
	text_add(text, program);
}

static void add_target(const struct gdb *gdb, struct text *text)
{
	(void)gdb;
	text_add(text, gdb_target());
}

/* OBJECT:read:ANNEX:OFFSET,LENGTH */
static void answer_object(struct gdb *gdb, char *rest)
{
	static const struct {
		const char *name;
		void (*add)(const struct gdb *gdb, struct text *text);
	} objects[] = {
		{"features:read:", add_target},   {"auxv:read:", add_auxv},
		{"siginfo:read:", add_siginfo},   {"threads:read:", add_threads},
		{"exec-file:read:", add_program},
	};
	const char *range = strrchr(rest, ':');
	struct text text = {0};
	size_t i = 0;

	while (i < array_count(objects) &&
	       strncmp(rest, objects[i].name, strlen(objects[i].name)))
		i++;
	if (i == array_count(objects) || !range) {
		gdb_send(gdb, "");
		return;
	}
	range++;
	const uint64_t offset = gdb_read_number(&range);
	uint64_t length = (range += *range == ',', gdb_read_number(&range));

	objects[i].add(gdb, &text);
	struct text answer = {0};
	const uint64_t left = offset < text.length ? text.length - offset : 0;

	length = length < GDB_PACKET / 2 ? length : GDB_PACKET / 2;
	text_add(&answer, left > length ? "m" : "l");
	if (left)
		text_add_bytes(&answer, text.data + offset,
			       left < length ? left : length);
	gdb_send_bytes(gdb, answer.data, answer.length);
	text_deinit(&answer);
	text_deinit(&text);
}

static const struct {
	const char *begin;
	void (*answer)(struct gdb *gdb, char *rest);
} queries[] = {
	{"qSupported", answer_supported},    {"QStartNoAckMode", answer_no_acknowledging},
	{"qAttached", answer_attached},      {"qSymbol", answer_ok},
	{"QProgramSignals:", answer_ok},     {"QPassSignals:", answer_pass_signals},
	{"qfThreadInfo", answer_threads},    {"qsThreadInfo", answer_more_threads},
	{"qThreadExtraInfo,", answer_extra}, {"qXfer:", answer_object},
};

void gdb_answer_query(struct gdb *gdb, char *packet)
{
	if (!strcmp(packet, "qC")) {
		answer_current(gdb, packet);
		return;
	}
	for (size_t i = 0; i < array_count(queries); i++) {
		const size_t length = strlen(queries[i].begin);

		if (strncmp(packet, queries[i].begin, length))
			continue;
		queries[i].answer(gdb, packet + length);
		return;
	}
	gdb_send(gdb, "");
}
