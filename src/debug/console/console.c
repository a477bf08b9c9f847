#include "debug/console/console.h"

#include "control/remote.h"
#include "debug/console/breaks.h"
#include "debug/console/commands.h"
#include "debug/console/names.h"
#include "debug/console/show.h"
#include "debug/console/steps.h"
#include "debug/frames.h"
#include "debug/listen.h"
#include "session/debug/halt.h"
#include "session/debug/watch.h"
#include "session/state/descriptors.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROMPT "(trammel) "

static void leave_prompt(struct console *console)
{
	if (console->fd < 0)
		return;
	session_unwatch(console->session, console->fd);
	close(console->fd);
	console->fd = -1;
	console->input.length = 0;
	console->ready = false;
	if (!console->known) /* it had nothing to say */
		return;
	/* Nobody is there to let it go on. */
	steps_end(console);
	breaks_delete_all(console);
	if (console->place->listener < 0) {
		debug_end(console->session);
		return;
	}
	debug_set_alone(console->session, !console->place->on_crash);
	debug_go(console->session);
}

static void send_frame(struct console *console, enum frame_kind kind, const char *bytes,
		       size_t size)
{
	if (console->fd >= 0 && !frames_send(console->fd, kind, bytes, size))
		shutdown(console->fd, SHUT_RDWR);
}

/* What was said, and the prompt if a line may come. */
static void send_answer(struct console *console)
{
	if (console->output.length)
		send_frame(console, FRAME_TEXT, console->output.data,
			   console->output.length);
	console->output.length = 0;
	if (console->ended) {
		send_frame(console, FRAME_END, "", 0);
		return;
	}
	if (console->waits || console->ready || !console->known)
		return;
	console->ready = true;
	send_frame(console, FRAME_PROMPT, PROMPT, strlen(PROMPT));
}

static void describe_watch(struct console *console, uint32_t number)
{
	const struct debug_watch *watch =
		debug_watch_find(console->session, console->stop.breakpoint);

	text_format(&console->output, "Watchpoint %u", number);
	if (watch && watch->was != watch->now)
		text_format(&console->output, ": 0x%lx, then 0x%lx",
			    (unsigned long)watch->was, (unsigned long)watch->now);
	else if (watch)
		text_format(&console->output, ": 0x%lx", (unsigned long)watch->now);
	text_add(&console->output, ", ");
}

static void describe_stop(struct console *console)
{
	const struct debug_event *stop = &console->stop;
	struct text *out = &console->output;
	uint32_t number;

	if (stop->reason == DEBUG_REASON_BREAKPOINT &&
	    breaks_met(console, stop->breakpoint, &number))
		text_format(out, "Breakpoint %u, ", number);
	else if (stop->reason == DEBUG_REASON_WATCH &&
		 breaks_met(console, stop->breakpoint, &number))
		describe_watch(console, number);
	else if (stop->reason == DEBUG_REASON_SIGNAL)
		text_format(out, "Signal SIG%s, ",
			    sigabbrev_np(stop->signal) ? sigabbrev_np(stop->signal)
						       : "?");
	else if (stop->reason == DEBUG_REASON_ASKED)
		text_add(out, "Stopped, ");
	text_format(out, "thread %d: ", stop->tid);
	show_place(console);
}

/* The program stands; on the tracer's loop, outside of events. */
static void serve_stop(struct session *session, int fd, void *context)
{
	struct console *console = context;
	uint64_t count;

	(void)session;
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		return;
	if (console->changed) {
		console->changed = false;
		names_forget(console);
		breaks_resolve(console, false);
	}
	if (console->stopped) {
		console->stopped = false;
		if (console->fd < 0 || steps_go_on(console, &console->stop))
			return;
		console->waits = false;
		describe_stop(console);
	}
	send_answer(console);
}

static void wake_console(struct console *console)
{
	const uint64_t one = 1;

	if (write(console->wake_fd, &one, sizeof(one)) < 0)
		return;
}

static void describe_end(struct console *console, const struct debug_event *event)
{
	if (console->place->quiet)
		(void)0;
	else if (WIFSIGNALED(event->status))
		text_format(&console->output, "Process %d was killed by SIG%s.\n",
			    event->pid, sigabbrev_np(WTERMSIG(event->status)));
	else
		text_format(&console->output, "Process %d exited with %d.\n", event->pid,
			    WEXITSTATUS(event->status));
	if (event->pid != console->session->first) {
		console->pid = console->tid = console->session->first;
		return;
	}
	console->ended = true;
	console->waits = false;
}

static void start_listening(struct console *console);

static void see_event(struct session *session, const struct debug_event *event,
		      void *context)
{
	struct console *console = context;

	(void)session;
	switch (event->kind) {
	case DEBUG_EVENT_STOPPED:
		console->stop = *event;
		console->stopped = true;
		console->pid = event->pid;
		console->tid = event->tid;
		start_listening(console);
		break;
	case DEBUG_EVENT_EXEC:
		console->pid = event->pid;
		console->tid = event->tid;
		names_forget(console);
		breaks_resolve(console, true);
		return;
	case DEBUG_EVENT_MODULES:
		console->pid = event->pid;
		names_forget(console);
		breaks_resolve(console, false);
		return;
	case DEBUG_EVENT_PROCESS:
		breaks_fork(console, event->parent, event->pid);
		text_format(&console->output, "Process %d was forked by %d.\n",
			    event->pid, event->parent);
		break;
	case DEBUG_EVENT_PROCESS_ENDED:
		breaks_end(console, event->pid);
		describe_end(console, event);
		break;
	case DEBUG_EVENT_PROCESS_LEFT:
		text_format(&console->output, "Process %d is not traced any more.\n",
			    event->pid);
		break;
	case DEBUG_EVENT_SESSION_ENDED:
		console->ended = true;
		break;
	default:
		return;
	}
	/* At the end the loop may not come round again. */
	if (console->ended)
		send_answer(console);
	else
		wake_console(console);
}

static void take_line(struct console *console, const char *line)
{
	console->ready = false;
	commands_do(console, line);
	send_answer(console);
}

static void complete_line(struct console *console, const char *line)
{
	struct text words = {0};

	commands_complete(console, line, &words);
	send_frame(console, FRAME_COMPLETE, words.data ? words.data : "", words.length);
	text_deinit(&words);
}

/* Compares without telling by its time how much was right. */
static bool is_token(const char *token, const struct text *given)
{
	const size_t length = strlen(token);
	unsigned char differs = 0;

	if (given->length != length)
		return false;
	for (size_t i = 0; i < length; i++)
		differs |= (unsigned char)(token[i] ^ given->data[i]);
	return !differs;
}

static bool take_token(struct console *console, int kind, const struct text *bytes)
{
	static const char wrong[] = "the token is wrong";

	if (kind != FRAME_TOKEN || !is_token(console->place->token, bytes)) {
		send_frame(console, FRAME_REFUSED, wrong, strlen(wrong));
		return false;
	}
	console->known = true;
	debug_set_alone(console->session, false);
	if (debug_is_halted(console->session)) {
		console->waits = console->stopped = false;
		describe_stop(console);
	} else {
		debug_halt(console->session);
	}
	send_answer(console);
	return true;
}

/* False: the prompt is to be left. */
static bool take_message(struct console *console, int kind, const struct text *bytes)
{
	if (!console->known)
		return take_token(console, kind, bytes);
	switch (kind) {
	case FRAME_LINE:
		take_line(console, bytes->data);
		return true;
	case FRAME_INTERRUPT:
		debug_halt(console->session);
		return true;
	case FRAME_COMPLETE:
		complete_line(console, bytes->data);
		return true;
	case FRAME_TOKEN:
		return true;
	default:
		return false;
	}
}

static void serve_prompt(struct session *session, int fd, void *context)
{
	struct console *console = context;
	struct text bytes = {0};
	char buffer[4096];
	bool good = true;
	int kind;
	ssize_t n;

	(void)session;
	n = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	good = n > 0;
	if (good)
		text_add_bytes(&console->input, buffer, (size_t)n);
	while (good && console->fd >= 0 && (kind = frames_take(&console->input, &bytes)))
		good = take_message(console, kind, &bytes);
	text_deinit(&bytes);
	if (!good && console->fd == fd)
		leave_prompt(console);
}

static void take_prompt(struct console *console, int fd, bool known)
{
	console->fd = fd;
	console->known = known;
	session_watch(console->session, fd, serve_prompt, console);
}

static void serve_listener(struct session *session, int listener, void *context)
{
	struct console *console = context;
	const int fd = listen_accept(listener);

	(void)session;
	if (fd < 0)
		return;
	if (console->fd >= 0)
		close(fd); /* one at a time */
	else
		take_prompt(console, fd, !console->place->token);
}

static void start_listening(struct console *console)
{
	static bool listens;

	if (listens || console->place->listener < 0)
		return;
	listens = true;
	listen_start(console->place->listener, console->place->message_fd,
		     console->place->message);
	session_watch(console->session, console->place->listener, serve_listener,
		      console);
}

/* Only what would end the program stops it. */
static void stop_at_crashes(struct session *session)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE,
				      SIGABRT, SIGSYS, SIGTRAP};

	for (int signal = 1; signal < 65; signal++)
		debug_signal_policy(session, signal)->stops = false;
	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		debug_signal_policy(session, crashes[i])->stops = true;
}

/* Nobody can tell any more who should connect: a program that stands would do so for
 * ever.
 */
static void see_front_end(struct session *session, int fd, void *context)
{
	struct console *console = context;

	session_unwatch(session, fd);
	close(fd);
	console->front_fd = -1;
	if (console->fd < 0)
		debug_end(session);
}

struct trm_error *console_serve(struct session *session,
				const struct console_place *place)
{
	struct console *console = memory_allocate_zeroed(1, sizeof(*console));
	struct trm_error *error;

	*console = (struct console){.session = session,
				    .place = place,
				    .fd = -1,
				    .waits = true,
				    .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	error = debug_begin(session, see_event, console,
			    !place->on_crash && (!session->attached || place->fd >= 0));
	if (error) {
		free(console);
		return error;
	}
	if (place->on_crash)
		stop_at_crashes(session);
	session_watch(session, console->wake_fd, serve_stop, console);
	console->front_fd = session->attached ? -1 : listen_parent();
	if (console->front_fd >= 0)
		session_watch(session, console->front_fd, see_front_end, console);
	if (place->fd >= 0)
		take_prompt(console, place->fd, true);
	if (session->attached && place->fd < 0 && !place->on_crash)
		debug_set_alone(session, true);
	if (session->attached || place->on_crash)
		start_listening(console);
	return NULL;
}
