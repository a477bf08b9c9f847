#include "libcontrol/engine.h"

#include "base/array.h"
#include "base/clock.h"
#include "libcontrol/event.h"
#include "libcontrol/objects.h"
#include "libcontrol/process.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { QUEUE_MAX = 1 << 16 };

#define EXPORT __attribute__((visibility("default")))

EXPORT int trm_control_version(void)
{
	return TRM_CONTROL_VERSION;
}

static bool make_descriptors(struct control_engine *engine)
{
	struct epoll_event readable = {.events = EPOLLIN};

	engine->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	engine->events_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	engine->interrupt_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return engine->poll_fd >= 0 && engine->events_fd >= 0 &&
	       engine->interrupt_fd >= 0 &&
	       !epoll_ctl(engine->poll_fd, EPOLL_CTL_ADD, engine->events_fd, &readable);
}

static void set_eventfd(int fd, bool on)
{
	uint64_t number = 1;
	ssize_t done = on ? write(fd, &number, sizeof(number))
			  : read(fd, &number, sizeof(number));

	(void)done;
}

/* The descriptor for others says what there is. */
static void update_descriptor(struct control_engine *engine)
{
	struct epoll_event readable = {.events = EPOLLIN};
	int fd = engine->connection.fd;

	/* Those that were closed are out of it. */
	if (fd >= 0 && engine->polled != engine->connection.reached) {
		engine->polled = engine->connection.reached;
		epoll_ctl(engine->poll_fd, EPOLL_CTL_ADD, fd, &readable);
	}
	set_eventfd(engine->events_fd,
		    engine->connection.events.count || engine->connection.lost);
	if (!engine->connection.events.count && !engine->connection.lost)
		set_eventfd(engine->events_fd, false);
}

static void destroy_engine(struct control_engine *engine)
{
	connection_close(&engine->connection);
	frame_free(engine->knobs);
	close(engine->poll_fd);
	close(engine->events_fd);
	close(engine->interrupt_fd);
	vector_deinit(&engine->processes);
	pthread_mutex_destroy(&engine->lock);
	free(engine);
}

/* Engines are counted while they are used, so that one that is released meanwhile stays
 * until then. */
static pthread_mutex_t use_lock = PTHREAD_MUTEX_INITIALIZER;

void engine_lock(struct control_engine *engine)
{
	pthread_mutex_lock(&engine->lock);
}

struct trm_error *engine_enter(struct trm_engine *ticket, struct control_engine **ret)
{
	void *object = NULL;

	pthread_mutex_lock(&use_lock);
	struct trm_error *error = object_find(ticket, OBJECT_ENGINE, &object);
	struct control_engine *engine = object;

	if (!error)
		engine->users++;
	pthread_mutex_unlock(&use_lock);
	if (error)
		return error;
	engine_lock(engine);
	*ret = engine;
	return NULL;
}

void engine_leave(struct control_engine *engine)
{
	update_descriptor(engine);
	pthread_mutex_unlock(&engine->lock);
	pthread_mutex_lock(&use_lock);
	bool last = !--engine->users && engine->released;

	pthread_mutex_unlock(&use_lock);
	if (last)
		destroy_engine(engine);
}

static char *copy_or_null(const char *text)
{
	return text ? memory_copy_string(text) : NULL;
}

static struct trm_error *read_options(const struct trm_engine_options *given,
				      struct connection_way *way)
{
	struct trm_engine_options options = {.size = sizeof(options)};

	/* Of an earlier header, it has fewer members. */
	if (given && given->size < sizeof(size_t) + sizeof(char *))
		return trm_error_create(TRM_ERROR_USAGE,
					"options.size is not set: it is sizeof(struct "
					"trm_engine_options)");
	if (given)
		memcpy(&options, given,
		       given->size < sizeof(options) ? given->size : sizeof(options));
	if (options.host && options.command)
		return trm_error_create(TRM_ERROR_USAGE,
					"a host and a command were given: the command "
					"alone says how the engine is reached");
	/* ssh would take it for an option. */
	if (options.host && (*options.host == '-' || !*options.host))
		return trm_error_create(TRM_ERROR_USAGE, "'%s' is not a host",
					options.host);
	if (options.on_loss > TRM_CONTROL_KILL)
		return trm_error_create(TRM_ERROR_USAGE,
					"options.on_loss is %d, and not one of enum "
					"trm_control_loss",
					(int)options.on_loss);
	*way = (struct connection_way){
		.host = copy_or_null(options.host),
		.command = copy_or_null(options.command),
		.program = copy_or_null(options.program),
		.name = copy_or_null(options.name ? options.name : options.host),
		.on_loss = options.on_loss,
		.linger_seconds = options.linger_seconds,
	};
	return NULL;
}

EXPORT struct trm_error *trm_engine_open(const struct trm_engine_options *options,
					 struct trm_engine **ret_engine)
{
	struct connection_way way;

	TRM_TRY(read_options(options, &way));
	struct control_engine *engine = memory_allocate_zeroed(1, sizeof(*engine));
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutex_init(&engine->lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
	struct trm_error *error = connection_open(&engine->connection, &way);

	if (!make_descriptors(engine) && !error)
		error = trm_error_system(errno, "cannot make descriptors");
	if (error) {
		destroy_engine(engine);
		return error;
	}
	update_descriptor(engine);
	*ret_engine = engine->ticket = object_add(OBJECT_ENGINE, engine);
	return NULL;
}

EXPORT void trm_engine_release(struct trm_engine *ticket)
{
	struct control_engine *engine;
	struct trm_error *error = engine_enter(ticket, &engine);

	if (error) {
		trm_error_destroy(error);
		return;
	}
	/* It is gone for others from here on; those that wait in it see that. */
	if (object_remove(ticket, OBJECT_ENGINE)) {
		while (engine->processes.count)
			process_destroy(engine->processes.items[0]);
		engine->released = true;
		set_eventfd(engine->interrupt_fd, true);
	}
	engine_leave(engine);
}

/* An answer's text that fits. */
static void write_text(char *to, size_t size, const char *text)
{
	if (size)
		snprintf(to, size, "%s", text);
}

EXPORT struct trm_error *trm_engine_host(struct trm_engine *ticket, char *ret_name,
					 size_t size)
{
	struct control_engine *engine;

	TRM_TRY(engine_enter(ticket, &engine));
	write_text(ret_name, size, engine->connection.host);
	engine_leave(engine);
	return NULL;
}

EXPORT struct trm_error *trm_engine_version(struct trm_engine *ticket, char *ret_version,
					    size_t size)
{
	struct control_engine *engine;

	TRM_TRY(engine_enter(ticket, &engine));
	write_text(ret_version, size, engine->connection.build);
	engine_leave(engine);
	return NULL;
}

EXPORT struct trm_error *trm_engine_descriptor(struct trm_engine *ticket, int *ret_fd)
{
	struct control_engine *engine;

	TRM_TRY(engine_enter(ticket, &engine));
	*ret_fd = engine->poll_fd;
	engine_leave(engine);
	return NULL;
}

/* Takes an event out of the queue. */
static Trm__Message *remove_event(struct control_engine *engine, size_t index)
{
	struct connection *connection = &engine->connection;
	Trm__Message *message = connection->events.items[index];

	if (!index) {
		message = connection_event(connection);
	} else {
		connection->events.count--;
		memmove(connection->events.items + index,
			connection->events.items + index + 1,
			(connection->events.count - index) *
				sizeof(*connection->events.items));
	}
	if (engine->looked > index)
		engine->looked--;
	return message;
}

static Trm__Message *make_event(enum trm_event_kind kind, int64_t value, const char *text)
{
	Trm__Message *message = memory_allocate(sizeof(*message));
	Trm__Event *event = memory_allocate(sizeof(*event));
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	trm__message__init(message);
	trm__event__init(event);
	event->kind = kind;
	event->value = value;
	event->text = memory_copy_string(text ? text : "");
	event->time_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	message->kind_case = TRM__MESSAGE__KIND_EVENT;
	message->event = event;
	return message;
}

/* Nobody takes events: the oldest go, and their number is told. */
static void limit_queue(struct control_engine *engine)
{
	struct connection *connection = &engine->connection;

	while (connection->events.count > QUEUE_MAX) {
		frame_free(remove_event(engine, 0));
		engine->lost++;
	}
}

struct trm_error *engine_take(struct control_engine *engine)
{
	struct connection *connection = &engine->connection;
	struct trm_error *error =
		engine->released
			? trm_error_create(TRM_ERROR_GONE, "the engine was released")
			: connection_take(connection);

	while (engine->looked < connection->events.count) {
		const size_t index = engine->looked;

		if (process_note(engine, connection->events.items[index]->event))
			frame_free(remove_event(engine, index));
		else
			engine->looked++;
	}
	limit_queue(engine);
	return error;
}

struct trm_error *engine_ask(struct control_engine *engine, Trm__Request *request,
			     Trm__Message **ret_answer)
{
	return connection_ask(&engine->connection, request, ret_answer, NULL);
}

void engine_acknowledge(struct control_engine *engine)
{
	struct connection *connection = &engine->connection;

	vector_for_each (&connection->events, message)
		if ((*message)->event->kind == PROTOCOL_EVENT_OUTPUT)
			return;
	connection_acknowledge(connection, connection->seen);
}

uint64_t engine_deadline(int timeout_ms)
{
	return timeout_ms < 0 ? UINT64_MAX
			      : clock_now_ns() + (uint64_t)timeout_ms * 1000000;
}

struct trm_error *engine_check_wait(const struct control_engine *engine)
{
	return engine->calling && pthread_equal(engine->caller, pthread_self())
		       ? trm_error_create(TRM_ERROR_USAGE,
					  "a callback cannot wait for events: return, "
					  "and wait there")
		       : NULL;
}

bool engine_await(struct control_engine *engine, uint64_t deadline_ns)
{
	struct pollfd ends[] = {{.fd = engine->connection.fd, .events = POLLIN},
				{.fd = engine->interrupt_fd, .events = POLLIN}};
	uint64_t now = clock_now_ns();
	int ms = deadline_ns == UINT64_MAX ? -1
		 : deadline_ns <= now      ? 0
					   : (int)((deadline_ns - now) / 1000000 + 1);

	update_descriptor(engine);
	pthread_mutex_unlock(&engine->lock);
	/* Another thread may take what comes: it is looked again soon. */
	int found = poll(ends, array_count(ends), ms < 0 || ms > 500 ? 500 : ms);

	engine_lock(engine);
	if (found > 0 && ends[1].revents) {
		set_eventfd(engine->interrupt_fd, false);
		return !__atomic_exchange_n(&engine->interrupted, false,
					    __ATOMIC_ACQ_REL);
	}
	return true;
}

void engine_dispatch(struct control_engine *engine)
{
	for (size_t i = 0; i < engine->looked;) {
		const Trm__Event *event = engine->connection.events.items[i]->event;
		const struct engine_callback callback =
			event->kind < TRM_EVENT_COUNT ? engine->callbacks[event->kind]
						      : (struct engine_callback){0};

		if (!callback.call) {
			i++;
			continue;
		}
		struct trm_event *ticket = event_create(engine, remove_event(engine, i));

		engine->calling = true;
		engine->caller = pthread_self();
		update_descriptor(engine);
		pthread_mutex_unlock(&engine->lock);
		callback.call(callback.context, ticket);
		trm_event_release(ticket);
		engine_lock(engine);
		engine->calling = false;
		/* It may have taken others. */
		i = 0;
	}
}

/* The next event for who waits; false: there is none. */
static bool next_event(struct control_engine *engine, struct trm_event **ret_event)
{
	if (engine->lost) {
		*ret_event = event_create(
			engine, make_event(TRM_EVENT_LOST, (int64_t)engine->lost, NULL));
		engine->lost = 0;
		return true;
	}
	if (!engine->looked)
		return false;
	*ret_event = event_create(engine, remove_event(engine, 0));
	return true;
}

static struct trm_error *wait_for_event(struct control_engine *engine, int timeout_ms,
					struct trm_event **ret_event)
{
	const uint64_t deadline = engine_deadline(timeout_ms);

	TRM_TRY(engine_check_wait(engine));
	for (;;) {
		struct trm_error *error = engine_take(engine);

		engine_dispatch(engine);
		/* What came before the end is still there. */
		if (next_event(engine, ret_event)) {
			trm_error_destroy(error);
			return NULL;
		}
		if (error || clock_now_ns() >= deadline)
			return error;
		if (!engine_await(engine, deadline) && !engine->released)
			return NULL;
	}
}

EXPORT struct trm_error *trm_engine_wait(struct trm_engine *ticket, int timeout_ms,
					 struct trm_event **ret_event)
{
	struct control_engine *engine;

	TRM_TRY(engine_enter(ticket, &engine));
	*ret_event = NULL;
	struct trm_error *error = wait_for_event(engine, timeout_ms, ret_event);

	engine_leave(engine);
	return error;
}

EXPORT void trm_engine_interrupt(struct trm_engine *ticket)
{
	void *object;
	struct trm_error *error;

	pthread_mutex_lock(&use_lock);
	error = object_find(ticket, OBJECT_ENGINE, &object);
	if (!error) {
		struct control_engine *engine = object;

		__atomic_store_n(&engine->interrupted, true, __ATOMIC_RELEASE);
		set_eventfd(engine->interrupt_fd, true);
	}
	pthread_mutex_unlock(&use_lock);
	trm_error_destroy(error);
}

EXPORT struct trm_error *trm_engine_timer(struct trm_engine *ticket, uint64_t period_ns)
{
	struct control_engine *engine;
	Trm__Request request = TRM__REQUEST__INIT;
	Trm__Message *answer = NULL;

	TRM_TRY(engine_enter(ticket, &engine));
	request.verb = PROTOCOL_TIMER;
	request.size = period_ns;
	struct trm_error *error = engine_ask(engine, &request, &answer);

	frame_free(answer);
	engine_leave(engine);
	return error;
}

EXPORT struct trm_error *trm_engine_post(struct trm_engine *ticket, int64_t value,
					 const char *text)
{
	struct control_engine *engine;

	TRM_TRY(engine_enter(ticket, &engine));
	vector_push(&engine->connection.events, make_event(TRM_EVENT_USER, value, text));
	/* Who waits looks again. */
	set_eventfd(engine->interrupt_fd, true);
	engine_leave(engine);
	return NULL;
}

EXPORT struct trm_error *
trm_engine_on(struct trm_engine *ticket, enum trm_event_kind kind,
	      void (*callback)(void *context, const struct trm_event *event),
	      void *context)
{
	struct control_engine *engine;

	if ((int)kind <= TRM_EVENT_NONE || kind >= TRM_EVENT_COUNT)
		return trm_error_create(TRM_ERROR_USAGE, "%d is not a kind of events",
					(int)kind);
	TRM_TRY(engine_enter(ticket, &engine));
	engine->callbacks[kind] = (struct engine_callback){callback, context};
	engine_leave(engine);
	return NULL;
}
