#include "libcontrol/connection.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "libcontrol/find.h"
#include "libcontrol/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PAUSE_MS = 200, PAUSE_MAX_MS = 5000, WAIT_MS = 5 };

/* How often it is looked whether what leads to the agent has ended. */
enum { ENDING_TIMES = 20, FAILING_TIMES = 400 };

/* The words of the command that leads to the agent. */
struct command_line {
	const char *words[8];
};

static struct command_line choose_command(const struct connection_way *way)
{
	/* Ctrl-C is for who measures, and goes to the program by a request. */
	if (way->command)
		return (struct command_line){{"/bin/sh", "-c",
					      "trap '' INT QUIT TSTP; eval \"$0\"",
					      way->command, NULL}};
	if (way->host)
		return (struct command_line){
			{"/bin/sh", "-c",
			 "trap '' INT QUIT TSTP; "
			 /* A way that is cut is noticed. */
			 "exec ssh -T -o ServerAliveInterval=5 -o ServerAliveCountMax=3 "
			 "-o ConnectTimeout=30 -- \"$0\" trammel agent --stdio",
			 way->host, NULL}};
	return (struct command_line){{way->program, "agent", "--stdio", NULL}};
}

/* A local agent gets what its programs inherit. */
static void add_descriptors(posix_spawn_file_actions_t *actions, int fd, int said_fd,
			    const int kept[2])
{
	posix_spawn_file_actions_adddup2(actions, fd, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(actions, fd, STDOUT_FILENO);
	if (said_fd >= 0) {
		posix_spawn_file_actions_adddup2(actions, said_fd, STDERR_FILENO);
		return;
	}
	if (kept[0] >= 0)
		posix_spawn_file_actions_adddup2(actions, kept[0], PROTOCOL_INPUT_FD);
	if (kept[1] >= 0)
		posix_spawn_file_actions_adddup2(actions, kept[1], PROTOCOL_OUTPUT_FD);
}

static void set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t all, none;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawnattr_init(attributes);
	posix_spawnattr_setsigdefault(attributes, &all);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setflags(attributes,
				 POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

static struct trm_error *start_child(struct connection *connection)
{
	struct command_line line = choose_command(&connection->way);
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return trm_error_system(errno, "cannot make a socket");
	/* Out of the way of those that they become. */
	scoped_fd int input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
	scoped_fd int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
	scoped_fd int theirs = fcntl(fds[1], F_DUPFD_CLOEXEC, 10);

	connection->said_fd = connection->is_far ? reach_open_said() : -1;
	connection->said_shown = 0;
	scoped_fd int said = fcntl(connection->said_fd, F_DUPFD_CLOEXEC, 10);

	close(fds[1]);
	posix_spawn_file_actions_init(&actions);
	add_descriptors(&actions, theirs, said, (const int[2]){input, output});
	set_attributes(&attributes);
	int why = posix_spawnp(&connection->child, line.words[0], &actions, &attributes,
			       (char *const *)(uintptr_t)line.words, environ);

	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (why) {
		close(fds[0]);
		connection->child = 0;
		return trm_error_system(why, "cannot start '%s'", line.words[0]);
	}
	connection->fd = fds[0];
	connection->reached++;
	return NULL;
}

/* Waits a moment for it to end by itself; its status; -1: it has not ended. */
static int await_child(struct connection *connection, int times)
{
	int status;

	for (int i = 0; i < times; i++) {
		const pid_t ended = waitpid(connection->child, &status, WNOHANG);

		if (ended) {
			connection->child = 0;
			return ended > 0 ? status : -1;
		}
		poll(NULL, 0, WAIT_MS);
	}
	return -1;
}

/* Ends what led to the agent. */
static void end_child(struct connection *connection)
{
	if (connection->fd >= 0)
		close(connection->fd);
	connection->fd = -1;
	frame_reader_deinit(&connection->reader);
	/* An agent stays as long as what it measures; ssh goes when nobody talks to it.
	 */
	if (connection->child > 0 && connection->is_far)
		kill(connection->child, SIGTERM);
	if (connection->child > 0)
		await_child(connection, ENDING_TIMES);
	connection->child = 0;
	if (connection->said_fd < 0)
		return;
	reach_show_said(connection);
	close(connection->said_fd);
	connection->said_fd = -1;
}

static struct trm_error *send_hello(const struct connection *connection)
{
	Trm__Message message = TRM__MESSAGE__INIT;
	Trm__Hello hello = TRM__HELLO__INIT;
	char version[] = TRAMMEL_VERSION, none[] = "";

	hello.version = PROTOCOL_VERSION;
	hello.least = PROTOCOL_LEAST;
	hello.build = version;
	hello.pid = (uint64_t)getpid();
	hello.host = connection->way.name ? connection->way.name : none;
	hello.on_loss = connection->way.on_loss;
	hello.linger_seconds = connection->way.linger_seconds;
	hello.session = connection->session ? connection->session : none;
	hello.seen = connection->seen;
	/* All but the last was answered. */
	hello.answered = connection->asked ? connection->asked - 1 : 0;
	message.kind_case = TRM__MESSAGE__KIND_HELLO;
	message.hello = &hello;
	return frame_send_whole(connection->fd, &message);
}

static struct trm_error *fault_error(const Trm__Fault *fault)
{
	struct trm_error *error = trm_error_create(
		fault->code <= TRM_ERROR_LIMIT ? (enum trm_error_code)fault->code
					       : TRM_ERROR_SYSTEM,
		"%s", fault->message);

	error->system_code = fault->system_code;
	return error;
}

static void keep_text(char **to, const char *text)
{
	free(*to);
	*to = memory_copy_string(text);
}

/* The agent is not there, and what was to lead to it may say why. */
static struct trm_error *explain_silence(struct connection *connection,
					 struct trm_error *error)
{
	int status = -1;

	if (connection->child > 0 && error->code == TRM_ERROR_GONE)
		status = await_child(connection, FAILING_TIMES);
	return reach_explain(connection, error, status);
}

static struct trm_error *take_hello(struct connection *connection)
{
	scoped_message Trm__Message *message = NULL;
	struct trm_error *error =
		frame_await(&connection->reader, connection->fd, &message);

	if (error)
		return explain_silence(connection, error);
	if (message->kind_case != TRM__MESSAGE__KIND_HELLO)
		return trm_error_create(TRM_ERROR_FORMAT,
					"what answers from '%s' is no agent of trammel's",
					reach_name(&connection->way));
	const Trm__Hello *hello = message->hello;

	if (hello->fault)
		return trm_error_prefix(fault_error(hello->fault), "'%s'",
					reach_name(&connection->way));
	if (hello->version < PROTOCOL_LEAST || hello->least > PROTOCOL_VERSION)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"the trammel of '%s' (%s) speaks versions %u to "
					"%u of the protocol, this library (%s) %d to "
					"%d: install the same trammel at both ends",
					reach_name(&connection->way), hello->build,
					hello->least, hello->version, TRAMMEL_VERSION,
					PROTOCOL_LEAST, PROTOCOL_VERSION);
	keep_text(&connection->host, hello->host);
	keep_text(&connection->build, hello->build);
	keep_text(&connection->session, hello->session);
	return NULL;
}

static struct trm_error *connect_now(struct connection *connection)
{
	TRM_TRY(start_child(connection));
	struct trm_error *error = send_hello(connection);

	/* It may have said why it does not listen. */
	if (error && error->code == TRM_ERROR_GONE) {
		trm_error_destroy(error);
		error = NULL;
	}
	if (!error)
		error = take_hello(connection);
	/* What was said is in the error. */
	if (!error) {
		reach_show_said(connection);
		return NULL;
	}
	reach_drop_said(connection);
	end_child(connection);
	return error;
}

struct trm_error *connection_open(struct connection *connection,
				  const struct connection_way *way)
{
	*connection = (struct connection){.way = *way, .fd = -1, .said_fd = -1};
	connection->is_far = way->host || way->command;
	if (!connection->is_far && !connection->way.program)
		TRM_TRY(find_program(&connection->way.program));
	TRM_TRY(reach_check(way));
	return connect_now(connection);
}

static struct trm_error *send_request(struct connection *connection,
				      Trm__Request *request)
{
	Trm__Message message = TRM__MESSAGE__INIT;

	message.kind_case = TRM__MESSAGE__KIND_REQUEST;
	message.request = request;
	return frame_send_whole(connection->fd, &message);
}

/* It is not waited for. */
static void send_leave(struct connection *connection)
{
	Trm__Request request = TRM__REQUEST__INIT;

	if (connection->lost || connection->fd < 0)
		return;
	request.verb = PROTOCOL_LEAVE;
	request.id = ++connection->asked;
	trm_error_destroy(send_request(connection, &request));
	/* Sent before ssh is ended; ssh ends when its input does. */
	shutdown(connection->fd, SHUT_WR);
}

void connection_close(struct connection *connection)
{
	send_leave(connection);
	end_child(connection);
	vector_for_each (&connection->events, message)
		frame_free(*message);
	vector_deinit(&connection->events);
	free(connection->way.host);
	free(connection->way.command);
	free(connection->way.program);
	free(connection->way.name);
	free(connection->host);
	free(connection->build);
	free(connection->session);
}

static struct trm_error *lose_engine(struct connection *connection,
				     struct trm_error *error)
{
	end_child(connection);
	connection->lost = true;
	trm_error_destroy(error);
	return trm_error_create(TRM_ERROR_GONE,
				"the engine%s%s is gone: what it measured runs on",
				connection->is_far ? " of " : "",
				connection->is_far ? reach_name(&connection->way) : "");
}

/* Reaches a far agent again after a cut; `error`, which is freed, is why. */
static struct trm_error *connect_again(struct connection *connection,
				       struct trm_error *error)
{
	const uint64_t until =
		clock_now_ns() + (uint64_t)connection->way.linger_seconds * 1000000000;
	int pause = PAUSE_MS;

	if (!connection->is_far || !connection->way.linger_seconds)
		return lose_engine(connection, error);
	trm_error_destroy(error);
	end_child(connection);
	for (;;) {
		error = connect_now(connection);
		if (!error)
			return NULL;
		/* Its agent has ended. */
		if (error->code == TRM_ERROR_GONE &&
		    strstr(error->message, "session is over"))
			return lose_engine(connection, error);
		if (clock_now_ns() >= until)
			return lose_engine(connection, error);
		trm_error_destroy(error);
		poll(NULL, 0, pause);
		pause = pause * 2 < PAUSE_MAX_MS ? pause * 2 : PAUSE_MAX_MS;
	}
}

static struct trm_error *send_credit(struct connection *connection)
{
	Trm__Message message = TRM__MESSAGE__INIT;
	Trm__Credit credit = TRM__CREDIT__INIT;

	if (connection->fd < 0)
		return NULL;
	credit.seen = connection->acknowledged;
	message.kind_case = TRM__MESSAGE__KIND_CREDIT;
	message.credit = &credit;
	return frame_send_whole(connection->fd, &message);
}

/* Keeps an event; takes an answer. */
static void keep_message(struct connection *connection, Trm__Message *message,
			 Trm__Message **ret_answer)
{
	if (message->kind_case == TRM__MESSAGE__KIND_EVENT) {
		/* One may come again after a cut. */
		if (message->event->number > connection->seen) {
			connection->seen = message->event->number;
			vector_push(&connection->events, message);
			return;
		}
	} else if (message->kind_case == TRM__MESSAGE__KIND_ANSWER && ret_answer &&
		   !*ret_answer && message->answer->id == connection->asked) {
		*ret_answer = message;
		return;
	}
	frame_free(message);
}

static struct trm_error *take_messages(struct connection *connection,
				       Trm__Message **ret_answer)
{
	for (;;) {
		Trm__Message *message;

		TRM_TRY(frame_next(&connection->reader, &message));
		if (!message)
			return NULL;
		keep_message(connection, message, ret_answer);
	}
}

/* Receives once, waiting for something to come if `waits`. */
static struct trm_error *receive_once(struct connection *connection, bool waits,
				      Trm__Message **ret_answer)
{
	struct pollfd ready = {.fd = connection->fd, .events = POLLIN};
	bool ended = false;

	/* Some came with the greeting, after a cut. */
	struct trm_error *error = take_messages(connection, ret_answer);

	if (!error &&
	    ((ret_answer && *ret_answer) || poll(&ready, 1, waits ? -1 : 0) <= 0))
		return NULL;
	if (!error)
		error = frame_receive(&connection->reader, connection->fd, &ended);
	if (!error)
		error = take_messages(connection, ret_answer);
	if (error &&
	    (error->code == TRM_ERROR_FORMAT || error->code == TRM_ERROR_LIMIT)) {
		/* What speaks so cannot be trusted to be reached again. */
		end_child(connection);
		connection->lost = true;
		return error;
	}
	if (!error && !ended)
		return NULL;
	return connect_again(connection, error);
}

static struct trm_error *check_lost(const struct connection *connection)
{
	return connection->lost || connection->fd < 0
		       ? trm_error_create(TRM_ERROR_GONE, "the engine is gone")
		       : NULL;
}

struct trm_error *connection_take(struct connection *connection)
{
	TRM_TRY(check_lost(connection));
	return receive_once(connection, false, NULL);
}

struct trm_error *connection_ask(struct connection *connection, Trm__Request *request,
				 Trm__Message **ret_answer,
				 Trm__Message **ret_fault_answer)
{
	Trm__Message *answer = NULL;
	struct trm_error *error;
	uint64_t reached = 0;

	TRM_TRY(check_lost(connection));
	request->id = ++connection->asked;
	while (!answer) {
		/* After a cut it is sent again: it may not have arrived. */
		if (reached != connection->reached) {
			reached = connection->reached;
			error = send_request(connection, request);
			if (error)
				TRM_TRY(connect_again(connection, error));
			continue;
		}
		TRM_TRY(receive_once(connection, true, &answer));
	}
	if (!answer->answer->fault) {
		*ret_answer = answer;
		return NULL;
	}
	error = fault_error(answer->answer->fault);
	if (ret_fault_answer)
		*ret_fault_answer = answer;
	else
		frame_free(answer);
	return error;
}

Trm__Message *connection_event(struct connection *connection)
{
	enum { OFTEN = 64 };

	if (!connection->events.count)
		return NULL;
	Trm__Message *message = connection->events.items[0];

	connection->events.count--;
	memmove(connection->events.items, connection->events.items + 1,
		connection->events.count * sizeof(*connection->events.items));
	uint64_t before = connection->acknowledged, number = message->event->number;

	/* Output fills the window soon; others need not be told one by one. */
	if (number > before && (message->event->data.len || !connection->events.count ||
				number / OFTEN != before / OFTEN))
		connection_acknowledge(connection, number);
	return message;
}

void connection_acknowledge(struct connection *connection, uint64_t number)
{
	if (number <= connection->acknowledged)
		return;
	connection->acknowledged = number;
	trm_error_destroy(send_credit(connection));
}
