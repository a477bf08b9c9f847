/* An engine as the library has it. */
#ifndef TRAMMEL_LIBCONTROL_ENGINE_H
#define TRAMMEL_LIBCONTROL_ENGINE_H

#include "base/error.h"
#include "base/vector.h"
#include "libcontrol/connection.h"
#include "trammel/control.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct control_process;

struct engine_callback {
	void (*call)(void *context, const struct trm_event *event);
	void *context;
};

/* `struct trm_engine` is its ticket. */
struct control_engine {
	pthread_mutex_t lock;
	struct connection connection;
	size_t looked;    /* events of connection.events that were noted */
	uint64_t lost;    /* that were dropped here, since the last was told */
	int poll_fd;      /* an epoll of the next two */
	int events_fd;    /* an eventfd: there are events */
	uint64_t polled;  /* connection.reached of the descriptor in the epoll */
	int interrupt_fd; /* an eventfd: who waits is to look again */
	bool interrupted; /* and to return */
	struct trm_engine *ticket;
	Trm__Message *knobs; /* the answer to PROTOCOL_KNOBS; NULL: not asked yet */
	struct VECTOR(struct control_process *) processes;
	struct engine_callback callbacks[TRM_EVENT_COUNT];
	bool calling;     /* a callback runs, */
	pthread_t caller; /* in this thread */
	size_t users;     /* calls that use it */
	bool released;
};

/* Finds an engine and locks it; engine_leave unlocks it. */
struct trm_error *engine_enter(struct trm_engine *ticket, struct control_engine **ret);
void engine_lock(struct control_engine *engine);
void engine_leave(struct control_engine *engine);

/* Takes in what has come. The engine is locked. */
struct trm_error *engine_take(struct control_engine *engine);

/* Asks the agent; the engine is locked. As connection_ask. */
struct trm_error *engine_ask(struct control_engine *engine, Trm__Request *request,
			     Trm__Message **ret_answer);

/* Gives events that have callbacks to these, in order; unlocks the engine meanwhile. */
void engine_dispatch(struct control_engine *engine);

/* Waits for messages or an interruption, with the engine unlocked, until `deadline_ns` of
 * clock_now_ns. False: there was an interruption. */
bool engine_await(struct control_engine *engine, uint64_t deadline_ns);

/* The moment `timeout_ms` from now; UINT64_MAX for -1. */
uint64_t engine_deadline(int timeout_ms);

/* An error if a wait is called within a callback. */
struct trm_error *engine_check_wait(const struct control_engine *engine);

/* Lets the agent send more, though events have not been taken: unless output waits. */
void engine_acknowledge(struct control_engine *engine);

#endif
