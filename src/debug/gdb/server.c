#include "debug/gdb/server.h"

#include "debug/gdb/answers.h"
#include "debug/gdb/files.h"
#include "debug/gdb/gdb.h"
#include "debug/gdb/going.h"
#include "debug/gdb/packet.h"
#include "debug/listen.h"
#include "session/debug/halt.h"
#include "session/state/descriptors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The program runs on, and waits for the next gdb in what it does. */
static void leave_client(struct gdb *gdb)
{
	if (gdb->fd < 0)
		return;
	session_unwatch(gdb->session, gdb->fd);
	close(gdb->fd);
	gdb->fd = -1;
	gdb->input.length = 0;
	gdb_close_files(gdb);
	gdb_clear_breakpoints(gdb);
	gdb->runs = false;
	debug_set_alone(gdb->session, true);
	debug_go(gdb->session);
}

/* Takes what is at the front of the input. Returns its size; 0: it is not whole. */
static size_t take_one(struct gdb *gdb)
{
	char *input = gdb->input.data;
	const char *end;

	if (*input == 3) {
		gdb->runs = true;
		debug_halt(gdb->session);
		return 1;
	}
	if (*input != '$')
		return 1; /* acknowledgements */
	end = memchr(input, '#', gdb->input.length);
	if (!end || (size_t)(end - input) + 3 > gdb->input.length)
		return 0;
	const size_t size = (size_t)(end - input) - 1;
	const bool sound = gdb_is_sound(input + 1, size);

	if (gdb->acknowledges)
		gdb_send_raw(gdb, sound ? "+" : "-", 1);
	if (sound && gdb->fd >= 0) {
		char *packet = memory_allocate(size + 1);

		memcpy(packet, input + 1, size);
		gdb_answer(gdb, packet, gdb_unescape(packet, size));
		free(packet);
	}
	return size + 4;
}

static void take_input(struct gdb *gdb)
{
	size_t size;

	while (gdb->fd >= 0 && gdb->input.length && (size = take_one(gdb))) {
		if (gdb->fd < 0)
			return;
		memmove(gdb->input.data, gdb->input.data + size,
			gdb->input.length - size + 1);
		gdb->input.length -= size;
	}
	/* No packet of a gdb's is as long. */
	if (gdb->input.length > 2 * GDB_PACKET + 16)
		leave_client(gdb);
}

static void serve_client(struct session *session, int fd, void *context)
{
	struct gdb *gdb = context;
	char bytes[4096];
	ssize_t n;

	(void)session;
	while (gdb->fd == fd && (n = recv(fd, bytes, sizeof(bytes), 0)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0)
			break;
		text_add_bytes(&gdb->input, bytes, (size_t)n);
		take_input(gdb);
	}
	if (gdb->fd == fd)
		leave_client(gdb);
}

static void serve_listener(struct session *session, int listener, void *context)
{
	struct gdb *gdb = context;
	const int fd = listen_accept(listener);

	if (fd < 0)
		return;
	if (gdb->fd >= 0) { /* one at a time */
		close(fd);
		return;
	}
	gdb->fd = fd;
	debug_set_alone(session, false);
	gdb->acknowledges = true;
	gdb->knows_exec = gdb->knows_swbreak = gdb->executed = false;
	session_watch(session, fd, serve_client, gdb);
	if (!debug_is_halted(session))
		debug_halt(session);
}

/* Not before there is something to show: a gdb that connects waits for two seconds. */
static void start_listening(struct gdb *gdb)
{
	gdb->listens = true;
	listen_start(gdb->place->listener, gdb->place->message_fd, gdb->place->message);
	session_watch(gdb->session, gdb->place->listener, serve_listener, gdb);
}

static void see_event(struct session *session, const struct debug_event *event,
		      void *context)
{
	struct gdb *gdb = context;

	(void)session;
	switch (event->kind) {
	case DEBUG_EVENT_STOPPED:
		if (!gdb->listens)
			start_listening(gdb);
		gdb->stop = *event;
		gdb->stopped = true;
		gdb->pid = event->pid;
		break;
	case DEBUG_EVENT_EXEC:
		gdb_clear_breakpoints(gdb);
		if (gdb->pid && gdb->knows_exec) {
			gdb->executed = true;
			debug_halt(session);
		}
		gdb->pid = event->pid;
		return;
	case DEBUG_EVENT_PROCESS_ENDED:
		if (event->pid != gdb->pid)
			return;
		gdb->ended = true;
		gdb->stop = *event;
		break;
	case DEBUG_EVENT_PROCESS_LEFT:
		if (event->pid != gdb->pid)
			return;
		gdb->ended = true;
		gdb->stop = (struct debug_event){.pid = event->pid};
		break;
	default:
		return;
	}
	if (gdb->runs && gdb->fd >= 0)
		gdb_tell_stop(gdb);
}

/* Nobody can tell any more who should connect: a program that stands would do so for
 * ever.
 */
static void see_front_end(struct session *session, int fd, void *context)
{
	const struct gdb *gdb = context;

	session_unwatch(session, fd);
	close(fd);
	if (gdb->fd < 0)
		debug_end(session);
}

struct trm_error *gdb_serve(struct session *session, const struct gdb_place *place)
{
	struct gdb *gdb = memory_allocate_zeroed(1, sizeof(*gdb));
	struct trm_error *error;

	*gdb = (struct gdb){.session = session, .place = place, .fd = -1};
	error = debug_begin(session, see_event, gdb, !session->attached);
	if (error) {
		free(gdb);
		return error;
	}
	if (session->attached) {
		debug_set_alone(session, true);
		start_listening(gdb);
	}
	const int front = session->attached ? -1 : listen_parent();

	if (front >= 0)
		session_watch(session, front, see_front_end, gdb);
	return NULL;
}
