#include "agent/agent.h"

#include "agent/resume.h"
#include "agent/runs.h"
#include "agent/verbs.h"
#include "base/clock.h"
#include "base/host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Places in what is polled; the runs' follow. */
enum { PLACE_IN, PLACE_OUT, PLACE_LISTENER, PLACE_RUNS };
enum { SENDING_MAX = 4 << 20 };

struct polls VECTOR(struct pollfd);

struct agent_run *agent_find(const struct agent *agent, uint64_t number)
{
	vector_for_each (&agent->runs, run)
		if ((*run)->number == number && !(*run)->forgotten)
			return *run;
	return NULL;
}

void agent_fault(const struct trm_error *error, Trm__Fault *ret_fault)
{
	trm__fault__init(ret_fault);
	ret_fault->code = error->code;
	ret_fault->system_code = error->system_code;
	ret_fault->message = error->message;
}

void agent_pass(struct agent *agent, const Trm__Message *message)
{
	struct text frame = {0};

	frame_add(&frame, message);
	if (agent->out >= 0)
		text_add_bytes(&agent->sending, frame.data, frame.length);
	if (message->answer->id > agent->answered)
		agent->answered = message->answer->id;
	text_deinit(&agent->answer);
	agent->answer = frame;
}

void agent_answer(struct agent *agent, uint64_t id, Trm__Answer *answer,
		  struct trm_error *error)
{
	Trm__Answer none = TRM__ANSWER__INIT;
	Trm__Message message = TRM__MESSAGE__INIT;
	Trm__Fault fault;

	if (!answer)
		answer = &none;
	answer->id = id;
	if (error) {
		agent_fault(error, &fault);
		answer->fault = &fault;
	}
	message.kind_case = TRM__MESSAGE__KIND_ANSWER;
	message.answer = answer;
	agent_pass(agent, &message);
	if (error)
		answer->fault = NULL;
	trm_error_destroy(error);
}

static void send_hello(struct agent *agent, struct trm_error *error)
{
	char host[HOST_NAME_SIZE], version[] = TRAMMEL_VERSION, none[] = "";
	Trm__Message message = TRM__MESSAGE__INIT;
	Trm__Hello hello = TRM__HELLO__INIT;
	Trm__Fault fault;

	host_name(host);
	hello.version = PROTOCOL_VERSION;
	hello.least = PROTOCOL_LEAST;
	hello.build = version;
	hello.host = host;
	hello.pid = (uint64_t)getpid();
	hello.session = agent->session ? agent->session : none;
	if (error) {
		agent_fault(error, &fault);
		hello.fault = &fault;
	}
	message.kind_case = TRM__MESSAGE__KIND_HELLO;
	message.hello = &hello;
	frame_add(&agent->sending, &message);
}

static struct trm_error *check_version(const Trm__Hello *hello)
{
	if (hello->version >= PROTOCOL_LEAST && hello->least <= PROTOCOL_VERSION)
		return NULL;
	return trm_error_create(TRM_ERROR_UNSUPPORTED,
				"this trammel (" TRAMMEL_VERSION ") speaks versions %d "
				"to %d of the protocol, the other side (%s) %u to %u: "
				"install the same trammel at both ends",
				PROTOCOL_LEAST, PROTOCOL_VERSION, hello->build,
				hello->least, hello->version);
}

/* A client that was here before gets what it missed. */
static void greet_again(struct agent *agent, const Trm__Hello *hello)
{
	/* All that was sent may have arrived, or not. */
	agent->events.sent = agent->events.kept.count;
	events_arrived(&agent->events, hello->seen);
	events_begin_again(&agent->events);
	if (hello->answered < agent->answered)
		text_add_bytes(&agent->sending, agent->answer.data, agent->answer.length);
}

static struct trm_error *greet_new(struct agent *agent, const Trm__Hello *hello)
{
	agent->session = resume_name();
	agent->on_loss = (enum protocol_loss)hello->on_loss;
	agent->linger_ns = (uint64_t)hello->linger_seconds * 1000000000;
	if (*hello->host)
		host_call(hello->host);
	return agent->linger_ns
		       ? resume_listen(agent->session, &agent->socket, &agent->listener)
		       : NULL;
}

/* Becomes the way to the agent of an earlier session, and ends. */
static struct trm_error *relay_client(struct agent *agent, const Trm__Message *greeting)
{
	struct text begun = {0};
	const struct frame_reader *reader = &agent->reader;

	frame_add(&begun, greeting);
	text_add_bytes(&begun, reader->bytes.data + reader->taken,
		       reader->bytes.length - reader->taken);
	fcntl(agent->in, F_SETFL, 0);
	fcntl(agent->out, F_SETFL, 0);
	struct trm_error *error =
		resume_relay(greeting->hello->session, &begun, agent->in, agent->out);

	text_deinit(&begun);
	if (!error)
		_exit(0);
	return error;
}

static struct trm_error *greet_client(struct agent *agent, const Trm__Message *message)
{
	const Trm__Hello *hello = message->hello;
	struct trm_error *error = check_version(hello);

	if (!error && *hello->session && !agent->session)
		error = relay_client(agent, message);
	else if (!error && *hello->session && strcmp(hello->session, agent->session) != 0)
		error = trm_error_create(TRM_ERROR_USAGE, "this is another session");
	else if (!error && !agent->session)
		error = greet_new(agent, hello);
	send_hello(agent, error);
	if (!error && *hello->session)
		greet_again(agent, hello);
	agent->greeted = !error;
	return error;
}

static struct trm_error *take_message(struct agent *agent, const Trm__Message *message)
{
	if (!agent->greeted)
		return message->kind_case == TRM__MESSAGE__KIND_HELLO
			       ? greet_client(agent, message)
			       : trm_error_create(TRM_ERROR_FORMAT,
						  "the first message is no greeting");
	switch (message->kind_case) {
	case TRM__MESSAGE__KIND_REQUEST:
		/* One that is sent again, since its answer was lost, was served. */
		if (message->request->id <= agent->received)
			return NULL;
		agent->received = message->request->id;
		verbs_serve(agent, message->request);
		return NULL;
	case TRM__MESSAGE__KIND_CREDIT:
		events_arrived(&agent->events, message->credit->seen);
		return NULL;
	default:
		return trm_error_create(TRM_ERROR_FORMAT,
					"a message came that agents do not take");
	}
}

static void close_client(struct agent *agent)
{
	if (agent->in >= 0)
		close(agent->in);
	if (agent->out >= 0 && agent->out != agent->in)
		close(agent->out);
	agent->in = agent->out = -1;
	agent->lost_ns = clock_now_ns();
	agent->greeted = false;
	agent->sending.length = 0;
	frame_reader_deinit(&agent->reader);
	events_begin_again(&agent->events);
}

/* What the client wanted for this case. */
static void act_on_loss(struct agent *agent)
{
	bool asked;
	Trm__Request request = TRM__REQUEST__INIT;

	request.verb = PROTOCOL_DETACH;
	vector_for_each (&agent->runs, run) {
		run_end_console(*run);
		run_unwatch(*run);
		if (agent->on_loss == PROTOCOL_LOSS_KILL)
			trm_error_destroy(run_signal(*run, SIGKILL));
		if (agent->on_loss == PROTOCOL_LOSS_DETACH)
			trm_error_destroy(run_detach(*run, &request, &asked));
	}
}

static void take_client(struct agent *agent)
{
	bool ended = false;
	struct trm_error *error = frame_receive(&agent->reader, agent->in, &ended);

	while (!error && agent->in >= 0) {
		scoped_message Trm__Message *message = NULL;

		error = frame_next(&agent->reader, &message);
		if (error || !message)
			break;
		error = take_message(agent, message);
	}
	/* It is told what is wrong, if it takes anything. */
	if (error && agent->out >= 0) {
		send_hello(agent, error);
		trm_error_destroy(frame_send(&agent->sending, agent->out));
	}
	if (!error && !ended)
		return;
	close_client(agent);
	if (!agent->linger_ns)
		act_on_loss(agent);
	trm_error_destroy(agent->error);
	agent->error = error;
}

static void send_client(struct agent *agent)
{
	if (agent->out < 0)
		return;
	if (agent->greeted && agent->sending.length < SENDING_MAX)
		events_send(&agent->events, &agent->sending);
	if (!agent->sending.length)
		return;
	struct trm_error *error = frame_send(&agent->sending, agent->out);

	/* Its end is seen when it is read from. */
	if (error)
		agent->sending.length = 0;
	trm_error_destroy(error);
}

static void take_other(struct agent *agent)
{
	int fd = resume_accept(agent->listener);

	if (fd < 0)
		return;
	/* The one before may be at the far end of a line that is cut. */
	if (agent->in >= 0)
		close_client(agent);
	agent->in = agent->out = fd;
}

static void tick_timer(struct agent *agent)
{
	Trm__Event event = TRM__EVENT__INIT;
	uint64_t now = clock_now_ns();

	if (!agent->timer_ns || now < agent->timer_next)
		return;
	agent->timer_next += agent->timer_ns;
	if (agent->timer_next < now)
		agent->timer_next = now + agent->timer_ns;
	event.kind = PROTOCOL_EVENT_TIMER;
	if (agent->in >= 0)
		events_add(&agent->events, &event);
}

static bool is_passing(const struct agent_run *run)
{
	for (int i = 0; i < AGENT_STREAMS; i++)
		if (run->streams[i] >= 0)
			return true;
	return !run->over;
}

static bool any_runs(const struct agent *agent)
{
	vector_for_each (&agent->runs, run)
		if (is_passing(*run))
			return true;
	return false;
}

/* Nobody is there, and nobody is waited for; what runs is still passed on. */
static bool is_done(struct agent *agent)
{
	uint64_t passed = clock_now_ns() - agent->lost_ns;

	if (agent->in >= 0)
		return false;
	if (agent->linger_ns && passed >= agent->linger_ns) {
		agent->linger_ns = 0;
		act_on_loss(agent);
	}
	return !agent->linger_ns && !any_runs(agent);
}

static int wait_ms(const struct agent *agent)
{
	uint64_t now = clock_now_ns(), until = UINT64_MAX;

	if (agent->timer_ns)
		until = agent->timer_next;
	if (agent->in < 0 && agent->linger_ns &&
	    agent->lost_ns + agent->linger_ns < until)
		until = agent->lost_ns + agent->linger_ns;
	if (until == UINT64_MAX)
		return -1;
	uint64_t ms = until <= now ? 0 : (until - now) / 1000000 + 1;

	return ms < 1000000 ? (int)ms : 1000000;
}

static void gather_polls(const struct agent *agent, struct polls *polls)
{
	polls->count = 0;
	vector_push(polls, ((struct pollfd){.fd = agent->in, .events = POLLIN}));
	vector_push(polls, ((struct pollfd){.fd = agent->sending.length ? agent->out : -1,
					    .events = POLLOUT}));
	vector_push(polls, ((struct pollfd){.fd = agent->listener, .events = POLLIN}));
	vector_for_each (&agent->runs, run) {
		vector_reserve(polls, polls->count + RUN_DESCRIPTORS);
		run_poll(agent, *run, polls->items + polls->count);
		polls->count += RUN_DESCRIPTORS;
	}
}

static void act_on_polls(struct agent *agent, const struct polls *polls)
{
	const size_t runs = (polls->count - PLACE_RUNS) / RUN_DESCRIPTORS;

	/* Those that a request adds come next time; none goes before the client is
	 * heard. */
	for (size_t i = 0; i < runs; i++)
		run_act(agent, agent->runs.items[i],
			polls->items + PLACE_RUNS + i * RUN_DESCRIPTORS);
	if (polls->items[PLACE_LISTENER].revents)
		take_other(agent);
	else if (polls->items[PLACE_IN].revents && agent->in >= 0)
		take_client(agent);
}

/* Those that nobody knows any more, and processes that have ended. */
static void drop_forgotten(struct agent *agent)
{
	for (size_t i = agent->runs.count; i-- > 0;) {
		struct agent_run *run = agent->runs.items[i];

		if (!run->forgotten || is_passing(run))
			continue;
		vector_remove_swap(&agent->runs, i);
		run_destroy(run);
	}
}

struct trm_error *agent_serve(struct agent *agent)
{
	struct polls polls = {0};

	/* What a terminal sends to all is for programs. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	fcntl(agent->in, F_SETFL, O_NONBLOCK);
	fcntl(agent->out, F_SETFL, O_NONBLOCK);
	while (!is_done(agent)) {
		send_client(agent);
		gather_polls(agent, &polls);
		if (poll(polls.items, polls.count, wait_ms(agent)) < 0 && errno != EINTR)
			break;
		act_on_polls(agent, &polls);
		drop_forgotten(agent);
		tick_timer(agent);
	}
	vector_for_each (&agent->runs, run) {
		/* Its profile is for who looks for it later. */
		(*run)->own_profile = false;
		run_destroy(*run);
	}
	if (agent->socket)
		unlink(agent->socket);
	if (agent->folder) {
		rmdir(agent->folder);
		close(agent->folder_fd);
	}
	vector_deinit(&agent->runs);
	vector_deinit(&polls);
	events_deinit(&agent->events);
	return agent->error;
}
