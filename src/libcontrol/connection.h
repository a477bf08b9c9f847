/*
 * The way to an engine: its start, and the messages to and from it. Not for several
 * threads at once: who uses it has a lock.
 */
#ifndef TRAMMEL_LIBCONTROL_CONNECTION_H
#define TRAMMEL_LIBCONTROL_CONNECTION_H

#include "base/error.h"
#include "base/vector.h"
#include "protocol/frame.h"
#include "protocol/protocol.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How an engine is reached; texts are owned. */
struct connection_way {
	char *host, *command, *program, *name; /* NULL: none, see trm_engine_options */
	uint32_t on_loss, linger_seconds;
};

struct connection {
	struct connection_way way;
	pid_t child;      /* ssh, or the agent itself; 0: there is none */
	int fd;           /* to it; -1: cut */
	int said_fd;      /* what the way to a far one said on standard error; -1: none */
	off_t said_shown; /* of it */
	uint64_t reached; /* how often it was: descriptors come again */
	struct frame_reader reader;
	char *host, *build, *session; /* of the agent */
	uint64_t asked;               /* id of the last request */
	uint64_t seen;                /* number of the last event */
	uint64_t acknowledged;
	struct VECTOR(Trm__Message *) events; /* that came */
	bool is_far;
	bool lost; /* for good */
};

/* Starts the agent, and greets it. What `way` owns goes over to the connection. */
struct trm_error *connection_open(struct connection *connection,
				  const struct connection_way *way);
void connection_close(struct connection *connection);

/* Sends a request, whose id it gives, and waits for the answer, which the caller frees. A
 * fault of the answer is the error, with the answer if `ret_fault_answer` is not NULL. */
struct trm_error *connection_ask(struct connection *connection, Trm__Request *request,
				 Trm__Message **ret_answer,
				 Trm__Message **ret_fault_answer);

/* Takes in what has come, without waiting: connection->events may have more then. */
struct trm_error *connection_take(struct connection *connection);

/* Tells the agent that the event was taken: it may send others. The caller frees the
 * message. NULL: there is none. */
Trm__Message *connection_event(struct connection *connection);

/* Tells the agent that events up to a number were taken. */
void connection_acknowledge(struct connection *connection, uint64_t number);

#endif
