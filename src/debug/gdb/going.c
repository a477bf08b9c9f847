#include "debug/gdb/going.h"

#include "control/remote.h"
#include "debug/gdb/packet.h"
#include "debug/gdb/signals.h"
#include "session/debug/halt.h"
#include "session/debug/watch.h"
#include "session/state/tables.h"

#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static void tell_end(struct gdb *gdb)
{
	const int status = gdb->stop.status;
	struct text text = {0};

	if (WIFSIGNALED(status))
		text_format(&text, "X%02x", gdb_signal(WTERMSIG(status)));
	else
		text_format(&text, "W%02x", WEXITSTATUS(status));
	if (gdb->knows_processes)
		text_format(&text, ";process:%x", (unsigned int)gdb->pid);
	gdb_send(gdb, text.data);
	text_deinit(&text);
}

static int number_of(const struct debug_event *stop)
{
	if (stop->reason == DEBUG_REASON_SIGNAL)
		return gdb_signal(stop->signal);
	return gdb_signal(stop->reason == DEBUG_REASON_ASKED ? SIGINT : SIGTRAP);
}

/* Which data was written or read. */
static void add_watch(const struct gdb *gdb, struct text *text)
{
	const struct debug_watch *watch =
		debug_watch_find(gdb->session, gdb->stop.breakpoint);

	if (watch)
		text_format(text, "%s:%lx;", watch->reads ? "awatch" : "watch",
			    (unsigned long)watch->address);
}

void gdb_tell_stop(struct gdb *gdb)
{
	const struct debug_event *stop = &gdb->stop;
	char program[PATH_MAX];
	struct text text = {0};

	gdb->runs = false;
	if (gdb->ended) {
		tell_end(gdb);
		return;
	}
	gdb->general = stop->tid;
	text_format(&text, "T%02x",
		    gdb->executed ? gdb_signal(SIGTRAP) : number_of(stop));
	if (gdb->executed) {
		remote_read_program(stop->pid, program, sizeof(program));
		text_add(&text, "exec:");
		gdb_add_hex(&text, program, strlen(program));
		text_add(&text, ";");
	} else if (stop->reason == DEBUG_REASON_WATCH) {
		add_watch(gdb, &text);
	} else if (stop->reason == DEBUG_REASON_BREAKPOINT && gdb->knows_swbreak) {
		text_add(&text, "swbreak:;");
	}
	gdb->executed = false;
	text_add(&text, "thread:");
	gdb_add_thread(gdb, &text, stop->pid, stop->tid);
	text_add(&text, ";");
	gdb_send(gdb, text.data);
	text_deinit(&text);
}

/* What is asked of the threads. */
struct wishes {
	pid_t stepping; /* 0: none steps */
	bool others;    /* go on, too */
	int signal;     /* for the thread that stopped last; -1: nothing was said of it */
	bool stops;
};

static void add_wish(const struct gdb *gdb, struct wishes *wishes, char action,
		     int signal, pid_t tid)
{
	const bool last = !tid || tid == gdb->stop.tid;

	if (action == 't') {
		wishes->stops = true;
		return;
	}
	if ((action == 's' || action == 'S' || action == 'r') && !wishes->stepping)
		wishes->stepping = tid ? tid : gdb->stop.tid;
	else if (action == 'c' || action == 'C')
		wishes->others = true;
	if (last && wishes->signal < 0)
		wishes->signal = signal;
}

/* One action behind a `;`, or the packets c, s, C and S themselves. */
static void read_action(const struct gdb *gdb, const char **text, struct wishes *wishes)
{
	const char action = **text;
	int signal = 0;
	pid_t tid = 0;

	(*text)++;
	if (action == 'C' || action == 'S')
		signal = gdb_signal_here((int)gdb_read_number(text));
	else if (action == 'r')
		*text += strcspn(*text, ":;");
	if (**text == ':') {
		(*text)++;
		tid = gdb_read_thread(text);
		tid = tid < 0 ? 0 : tid;
	}
	add_wish(gdb, wishes, action, signal, tid);
	*text += strcspn(*text, ";");
}

static void let_go(struct gdb *gdb, const struct wishes *wishes)
{
	struct session *session = gdb->session;
	struct trm_error *error = NULL;

	gdb->runs = true;
	gdb->stopped = false;
	if (gdb->stop.reason == DEBUG_REASON_SIGNAL)
		trm_error_destroy(debug_set_signal(
			session, gdb->stop.tid, wishes->signal > 0 ? wishes->signal : 0));
	else if (wishes->signal > 0)
		trm_error_destroy(
			debug_set_signal(session, gdb->stop.tid, wishes->signal));
	gdb->stop.reason = DEBUG_REASON_ASKED;
	if (wishes->stepping)
		error = debug_step(session, wishes->stepping, wishes->others);
	else
		debug_go(session);
	if (error) {
		gdb->runs = false;
		gdb_send_result(gdb, error);
	}
}

void gdb_answer_going(struct gdb *gdb, const char *packet)
{
	struct wishes wishes = {.signal = -1};

	if (!strcmp(packet, "vCont?")) {
		gdb_send(gdb, "vCont;c;C;s;S;t");
		return;
	}
	if (gdb->ended) {
		tell_end(gdb);
		return;
	}
	if (*packet != 'v')
		read_action(gdb, &packet, &wishes);
	else
		packet += strlen("vCont");
	while (*packet == ';' && packet[1]) {
		packet++;
		read_action(gdb, &packet, &wishes);
	}
	if (wishes.stops) {
		gdb_send(gdb, "OK");
		debug_halt(gdb->session);
		return;
	}
	let_go(gdb, &wishes);
}
