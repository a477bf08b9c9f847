#include "agent/runs.h"

#include "agent/folder.h"
#include "agent/front.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "protocol/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Places in what is polled. */
enum { POLL_REPORT, POLL_CONTROL, POLL_INPUT, POLL_STREAMS };

/* What is in the fields of a request. */
static const char console_field[] = "console";

static struct agent_run *create_run(struct agent *agent)
{
	struct agent_run *run = memory_allocate_zeroed(1, sizeof(*run));

	run->number = ++agent->last_run;
	run->report_fd = run->control_fd = run->input_fd = run->program_fd = -1;
	run->reading_fd = -1;
	for (int i = 0; i < AGENT_STREAMS; i++)
		run->streams[i] = -1;
	return run;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void run_destroy(struct agent_run *run)
{
	if (run->own_profile && run->profile)
		unlink(run->profile);
	if (run->now)
		unlink(run->now);
	close_fd(&run->report_fd);
	close_fd(&run->control_fd);
	close_fd(&run->input_fd);
	close_fd(&run->program_fd);
	close_fd(&run->reading_fd);
	for (int i = 0; i < AGENT_STREAMS; i++)
		close_fd(&run->streams[i]);
	frame_reader_deinit(&run->report);
	frame_reader_deinit(&run->control);
	text_deinit(&run->input);
	text_deinit(&run->saying);
	text_deinit(&run->asking);
	vector_deinit(&run->pending);
	free(run->profile);
	free(run->now);
	free(run);
}

static void send_asking(struct agent_run *run)
{
	if (run->control_fd >= 0 && run->asking.length)
		trm_error_destroy(frame_send(&run->asking, run->control_fd));
}

/* The answer is an answer to nothing. */
void run_unwatch(struct agent_run *run)
{
	Trm__Message message = TRM__MESSAGE__INIT;
	Trm__Request request = TRM__REQUEST__INIT;

	if (run->over || run->control_fd < 0)
		return;
	request.verb = PROTOCOL_UNWATCH;
	message.kind_case = TRM__MESSAGE__KIND_REQUEST;
	message.request = &request;
	frame_add(&run->asking, &message);
	send_asking(run);
}

void run_forget(struct agent_run *run)
{
	run_unwatch(run);
	run->forgotten = true;
	run->input.length = 0;
	close_fd(&run->input_fd);
}

/* Where the profile goes: where the client said, or a file of the agent's. */
static struct trm_error *choose_paths(struct agent *agent, struct agent_run *run,
				      const Trm__Request *request)
{
	const char *output = front_field(request, "output");
	const char *directory = front_field(request, "directory");
	struct text path = {0}, now = {0};

	if (!agent->folder)
		TRM_TRY(folder_make(agent->session, &agent->folder, &agent->folder_fd));
	run->own_profile = !output;
	if (!output)
		text_format(&path, "%s/%llu.trm", agent->folder,
			    (unsigned long long)run->number);
	else
		text_format(&path, "%s%s%s", *output != '/' && directory ? directory : "",
			    *output != '/' && directory ? "/" : "", output);
	text_format(&now, "%s/%llu.now.trm", agent->folder,
		    (unsigned long long)run->number);
	run->profile = path.data;
	run->now = now.data;
	return NULL;
}

/* The far ends of what the front gets. */
struct ends {
	int report, control, console, stdio[3];
};

static struct trm_error *make_pair(int *ret_ours, int *ret_theirs)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return trm_error_system(errno, "cannot make a socket");
	*ret_ours = fds[0];
	*ret_theirs = fds[1];
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	return NULL;
}

static struct trm_error *make_pipe(int *ret_read, int *ret_write)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return trm_error_system(errno, "cannot make a pipe");
	*ret_read = fds[0];
	*ret_write = fds[1];
	return NULL;
}

/* "inherit", "pipe"; others are the front's. */
static struct trm_error *make_stream(struct agent_run *run, const Trm__Request *request,
				     int number, int *ret_theirs)
{
	static const char *const names[] = {"stdin", "stdout", "stderr"};
	const int inherited[] = {PROTOCOL_INPUT_FD, PROTOCOL_OUTPUT_FD, STDERR_FILENO};
	const char *how = front_field(request, names[number]);

	if (how && !strcmp(how, "inherit")) {
		*ret_theirs = fcntl(inherited[number], F_DUPFD_CLOEXEC, 10);
		if (*ret_theirs < 0)
			return trm_error_create(
				TRM_ERROR_USAGE,
				"the program cannot have the %s of a process on another "
				"host: let it be relayed",
				names[number]);
		return NULL;
	}
	if (!how || strcmp(how, "pipe") != 0)
		return NULL;
	int *ours = number ? &run->streams[number - 1] : &run->input_fd;

	if (number)
		TRM_TRY(make_pipe(ours, ret_theirs));
	else
		TRM_TRY(make_pipe(ret_theirs, ours));
	fcntl(*ours, F_SETFL, O_NONBLOCK);
	return NULL;
}

static struct trm_error *make_ends(struct agent_run *run, const Trm__Request *request,
				   struct ends *ends)
{
	TRM_TRY(make_pair(&run->report_fd, &ends->report));
	TRM_TRY(make_pair(&run->control_fd, &ends->control));
	if (front_field(request, console_field))
		TRM_TRY(make_pair(&run->streams[AGENT_CONSOLE], &ends->console));
	if (request->verb == PROTOCOL_ATTACH)
		return NULL;
	for (int i = 0; i < 3; i++)
		TRM_TRY(make_stream(run, request, i, &ends->stdio[i]));
	return NULL;
}

static struct trm_error *fork_front(const struct agent *agent,
				    const struct agent_run *run,
				    const Trm__Request *request, const struct ends *ends,
				    pid_t *ret_front)
{
	const struct front_start start = {
		.request = request,
		.run = run->number,
		.profile = run->profile,
		.now = run->now,
		.report_fd = ends->report,
		.control_fd = ends->control,
		.console_fd = ends->console,
		.folder_fd = agent->folder_fd,
		.stdio = {ends->stdio[0], ends->stdio[1], ends->stdio[2]},
	};

	fflush(NULL);
	*ret_front = fork();
	if (!*ret_front)
		front_become(&start);
	return *ret_front < 0 ? trm_error_system(errno, "cannot start a process") : NULL;
}

struct trm_error *run_begin(struct agent *agent, const Trm__Request *request)
{
	struct agent_run *run = create_run(agent);
	struct ends ends = {-1, -1, -1, {-1, -1, -1}};

	run->attached = request->verb != PROTOCOL_RUN;
	struct trm_error *error = choose_paths(agent, run, request);

	if (!error && !run->attached && !request->n_words)
		error = trm_error_create(TRM_ERROR_USAGE, "no program to run");
	if (!error)
		error = make_ends(run, request, &ends);
	if (!error)
		error = fork_front(agent, run, request, &ends, &run->front);
	close_fd(&ends.report);
	close_fd(&ends.control);
	close_fd(&ends.console);
	for (int i = 0; i < 3; i++)
		close_fd(&ends.stdio[i]);
	if (error) {
		run_destroy(run);
		return error;
	}
	run->starting = request->id;
	vector_push(&agent->runs, run);
	return NULL;
}

/* Whether a client is there, or may come back. */
static bool is_awaited(const struct agent *agent)
{
	return agent->in >= 0 || agent->linger_ns;
}

void run_poll(const struct agent *agent, const struct agent_run *run,
	      struct pollfd *polls)
{
	for (int i = 0; i < RUN_DESCRIPTORS; i++)
		polls[i] = (struct pollfd){.fd = -1};
	polls[POLL_REPORT] = (struct pollfd){.fd = run->report_fd, .events = POLLIN};
	polls[POLL_CONTROL] = (struct pollfd){
		.fd = run->control_fd,
		.events = (short)(POLLIN | (run->asking.length ? POLLOUT : 0))};
	if (run->input.length)
		polls[POLL_INPUT] =
			(struct pollfd){.fd = run->input_fd, .events = POLLOUT};
	/* Without room the program waits, unless nobody comes who makes any. */
	for (int i = 0; i < AGENT_STREAMS; i++)
		if (events_have_room(&agent->events) || !is_awaited(agent))
			polls[POLL_STREAMS + i] =
				(struct pollfd){.fd = run->streams[i], .events = POLLIN};
	if (run->saying.length) {
		polls[POLL_STREAMS + AGENT_CONSOLE].fd = run->streams[AGENT_CONSOLE];
		polls[POLL_STREAMS + AGENT_CONSOLE].events |= POLLOUT;
	}
}

static void add_output(struct agent *agent, const struct agent_run *run, int stream,
		       const void *bytes, size_t count)
{
	Trm__Event event = TRM__EVENT__INIT;

	if (run->forgotten || !is_awaited(agent))
		return;
	event.kind = PROTOCOL_EVENT_OUTPUT;
	event.process = run->number;
	event.value = stream + 1;
	event.data.data = (uint8_t *)(uintptr_t)bytes;
	event.data.len = count;
	events_add(&agent->events, &event);
}

/* Passes on what the program wrote; false: there is no more for now. */
static bool pass_output(struct agent *agent, struct agent_run *run, int stream)
{
	static char buffer[PROTOCOL_PIECE];
	ssize_t count = read(run->streams[stream], buffer, sizeof(buffer));

	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	add_output(agent, run, stream, buffer, count > 0 ? (size_t)count : 0);
	if (count > 0)
		return true;
	close_fd(&run->streams[stream]);
	return false;
}

/* False: it is gone. */
static bool write_some(int fd, struct text *text)
{
	ssize_t count = write(fd, text->data, text->length);

	if (count < 0)
		return errno == EAGAIN || errno == EINTR;
	memmove(text->data, text->data + count, text->length - (size_t)count);
	text->length -= (size_t)count;
	return true;
}

void run_say(struct agent_run *run)
{
	const int fd = run->streams[AGENT_CONSOLE];

	if (fd < 0 || (run->saying.length && !write_some(fd, &run->saying)))
		run->saying.length = 0;
}

static void pass_input(struct agent_run *run)
{
	if (run->input_fd >= 0 && run->input.length &&
	    !write_some(run->input_fd, &run->input)) {
		/* The program reads no more. */
		run->input.length = 0;
		close_fd(&run->input_fd);
	}
	if (run->input_ends && !run->input.length)
		close_fd(&run->input_fd);
}

void run_end_console(const struct agent_run *run)
{
	if (run->streams[AGENT_CONSOLE] >= 0)
		shutdown(run->streams[AGENT_CONSOLE], SHUT_WR);
}

/* The program runs, or the measurement of it. */
static void begin_started(struct agent *agent, struct agent_run *run, Trm__Event *event)
{
	Trm__Answer answer = TRM__ANSWER__INIT;

	run->program = (pid_t)event->pid;
	run->program_fd = (int)syscall(SYS_pidfd_open, run->program, 0);
	answer.number = run->number;
	answer.pid = event->pid;
	answer.text = run->profile;
	if (run->starting)
		agent_answer(agent, run->starting, &answer, NULL);
	run->starting = 0;
	events_add(&agent->events, event);
}

/* What the program wrote before it ended comes before that. */
static void drain_streams(struct agent *agent, struct agent_run *run)
{
	for (int i = 0; i < AGENT_STREAMS; i++)
		while (run->streams[i] >= 0 && pass_output(agent, run, i))
			;
}

static void end_run(struct agent *agent, struct agent_run *run, Trm__Event *event)
{
	drain_streams(agent, run);
	run->over = true;
	close_fd(&run->program_fd);
	if (run->starting) {
		Trm__Answer answer = TRM__ANSWER__INIT;

		/* It never began, and why is the answer. */
		answer.number = run->number;
		answer.fault = event->fault;
		answer.text = event->text;
		agent_answer(agent, run->starting, &answer, NULL);
		run->starting = 0;
		return;
	}
	if (!run->forgotten)
		events_add(&agent->events, event);
}

/* The front is gone without a word. */
static void end_killed(struct agent *agent, struct agent_run *run)
{
	Trm__Event event = TRM__EVENT__INIT;
	Trm__Fault fault = TRM__FAULT__INIT;
	char none[] = "0", message[] = "the process that measures was killed: the "
				       "program runs on";

	fault.code = TRM_ERROR_GONE;
	fault.message = message;
	event.kind = PROTOCOL_EVENT_MEASURED;
	event.process = run->number;
	event.text = none;
	event.fault = &fault;
	end_run(agent, run, &event);
}

static void take_reports(struct agent *agent, struct agent_run *run)
{
	bool ended = false;
	struct trm_error *error = frame_receive(&run->report, run->report_fd, &ended);

	while (!error) {
		scoped_message Trm__Message *message = NULL;

		error = frame_next(&run->report, &message);
		if (error || !message)
			break;
		if (message->kind_case != TRM__MESSAGE__KIND_EVENT)
			continue;
		if (message->event->kind == PROTOCOL_EVENT_STARTED)
			begin_started(agent, run, message->event);
		else
			end_run(agent, run, message->event);
	}
	if (!ended && !error)
		return;
	trm_error_destroy(error);
	close_fd(&run->report_fd);
	if (run->front > 0)
		waitpid(run->front, NULL, 0);
	run->front = 0;
	if (!run->over)
		end_killed(agent, run);
}

static void forget_pending(struct agent_run *run, uint64_t id)
{
	for (size_t i = 0; i < run->pending.count; i++)
		if (run->pending.items[i].id == id) {
			vector_remove_swap(&run->pending, i);
			return;
		}
}

/* Nobody answers any more. */
static void end_control(struct agent *agent, struct agent_run *run)
{
	close_fd(&run->control_fd);
	run->controlled = false;
	vector_for_each (&run->pending, pending)
		agent_answer(agent, pending->id, NULL,
			     trm_error_create(TRM_ERROR_GONE, "the measurement ended"));
	run->pending.count = 0;
}

static void take_control(struct agent *agent, struct agent_run *run)
{
	bool ended = false;
	struct trm_error *error = frame_receive(&run->control, run->control_fd, &ended);

	while (!error) {
		scoped_message Trm__Message *message = NULL;

		error = frame_next(&run->control, &message);
		if (error || !message)
			break;
		if (message->kind_case == TRM__MESSAGE__KIND_EVENT) {
			message->event->process = run->number;
			if (!run->forgotten)
				events_add(&agent->events, message->event);
		} else if (message->kind_case == TRM__MESSAGE__KIND_ANSWER) {
			run->controlled = true;
			forget_pending(run, message->answer->id);
			if (message->answer->id)
				agent_pass(agent, message);
		}
	}
	if (ended || error)
		end_control(agent, run);
	trm_error_destroy(error);
}

void run_act(struct agent *agent, struct agent_run *run, const struct pollfd *polls)
{
	/* The tracer says first that it is there, then the front that the program runs.
	 */
	if (polls[POLL_CONTROL].revents || polls[POLL_REPORT].revents) {
		if (run->control_fd >= 0)
			take_control(agent, run);
		send_asking(run);
	}
	for (int i = 0; i < AGENT_STREAMS; i++)
		if (polls[POLL_STREAMS + i].revents && run->streams[i] >= 0)
			pass_output(agent, run, i);
	if (polls[POLL_INPUT].revents)
		pass_input(run);
	run_say(run);
	if (polls[POLL_REPORT].revents && run->report_fd >= 0)
		take_reports(agent, run);
}

struct trm_error *run_ask(struct agent_run *run, const Trm__Request *request)
{
	Trm__Message message = TRM__MESSAGE__INIT;

	if (run->over)
		return trm_error_create(TRM_ERROR_GONE, "the measurement is over");
	if (!run->controlled)
		return trm_error_create(
			TRM_ERROR_UNSUPPORTED,
			"this measurement is made without a tracer, and cannot be asked "
			"anything until it ends: choose one that counts");
	message.kind_case = TRM__MESSAGE__KIND_REQUEST;
	message.request = (Trm__Request *)(uintptr_t)request;
	frame_add(&run->asking, &message);
	vector_push(&run->pending, ((struct agent_pending){request->id}));
	send_asking(run);
	return NULL;
}

struct trm_error *run_signal(struct agent_run *run, int number)
{
	if (run->program_fd < 0)
		return trm_error_create(TRM_ERROR_GONE, "the program has ended");
	if (syscall(SYS_pidfd_send_signal, run->program_fd, number, NULL, 0))
		return trm_error_system(errno, "cannot send signal %d to process %d",
					number, (int)run->program);
	return NULL;
}

struct trm_error *run_detach(struct agent_run *run, const Trm__Request *request,
			     bool *ret_asked)
{
	*ret_asked = false;
	if (run->over)
		return trm_error_create(TRM_ERROR_GONE, "the measurement is over");
	if (run->attached) {
		kill(run->front, SIGTERM);
		return NULL;
	}
	*ret_asked = true;
	return run_ask(run, request);
}
