/*
 * The agent: a process that makes measurements for a client, which speaks the protocol
 * (src/protocol/) over its standard input and output, from this host or another one. See
 * docs/design/control.md.
 */
#ifndef TRAMMEL_AGENT_AGENT_H
#define TRAMMEL_AGENT_AGENT_H

#include "agent/events.h"
#include "base/error.h"
#include "base/vector.h"
#include "protocol/frame.h"
#include "protocol/protocol.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What comes of a program: its standard output and error, and the debugger's console. */
enum { AGENT_CONSOLE = 2, AGENT_STREAMS = 3 };

/* A request that waits for the answer of somebody else. */
struct agent_pending {
	uint64_t id;
};

/* A program or process that is measured. */
struct agent_run {
	uint64_t number; /* as the client knows it */
	pid_t front;     /* the process of ours that measures; 0: it has ended */
	int report_fd;   /* from the front */
	int control_fd;  /* to and from the tracer */
	int streams[AGENT_STREAMS]; /* -1: not relayed, or ended */
	int input_fd;               /* to the program's standard input; -1: not ours */
	struct text input;          /* not yet taken by it */
	bool input_ends;
	struct text saying; /* to the console */
	struct frame_reader report, control;
	struct text asking;                          /* to the tracer */
	struct VECTOR(struct agent_pending) pending; /* at the tracer */
	uint64_t starting; /* id of the request that started it; 0: it was answered */
	bool attached;
	bool controlled; /* there is a tracer that takes requests */
	bool over;       /* the measurement */
	bool forgotten;  /* by the client: it goes when it is over, and nothing is told */
	int program_fd;  /* pidfd of the first process; -1: not yet, or gone */
	pid_t program;
	int reading_fd;   /* a profile that the client reads in pieces; -1: none */
	char *profile;    /* path */
	char *now;        /* path of what SAVE writes */
	bool own_profile; /* it is the agent's, to be deleted */
};

struct agent {
	int in, out; /* the client; -1: gone */
	struct frame_reader reader;
	struct text sending;
	bool greeted;
	struct trm_error *error; /* of the connection */
	uint64_t received;       /* id of the last request */
	uint64_t answered;       /* id of the last request that was answered */
	struct text answer;      /* the last one, for who comes back */
	struct events events;
	struct VECTOR(struct agent_run *) runs;
	uint64_t last_run;
	char *session; /* what a client resumes by */
	char *folder;  /* of profiles; made when the first is */
	int folder_fd; /* says that it is in use */
	char *socket;  /* path, for who comes back; NULL: not wanted */
	int listener;
	int file_fd; /* a module that the client reads in pieces; 0, -1: none */
	enum protocol_loss on_loss;
	uint64_t linger_ns, lost_ns; /* how long nobody may be there, and since when */
	uint64_t timer_ns, timer_next;
};

/* Returns the run of a number; NULL: there is none. */
struct agent_run *agent_find(const struct agent *agent, uint64_t number);

/* Answers a request. `answer` may be NULL: there is nothing to say; `error`, which is
 * freed, may be NULL, too. */
void agent_answer(struct agent *agent, uint64_t id, Trm__Answer *answer,
		  struct trm_error *error);

/* Passes on an answer of a tracer. */
void agent_pass(struct agent *agent, const Trm__Message *message);

/* Serves the client until it is gone and nothing is left to do. */
struct trm_error *agent_serve(struct agent *agent);

/* The fault of an error, for a message; valid as long as the error. */
void agent_fault(const struct trm_error *error, Trm__Fault *ret_fault);

#endif
