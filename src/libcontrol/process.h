/* Measured programs as the library has them. */
#ifndef TRAMMEL_LIBCONTROL_PROCESS_H
#define TRAMMEL_LIBCONTROL_PROCESS_H

#include "libcontrol/engine.h"

#include <stdbool.h>

enum { PROCESS_STREAMS = 3 };

/* A value of a knob, or a variable. */
struct process_pair {
	char *name, *value; /* value NULL: the variable is unset */
};

/* `struct trm_process` is its ticket. */
struct control_process {
	struct control_engine *engine;
	struct trm_process *ticket;
	uint64_t number; /* the agent's; 0: it was not run */
	struct VECTOR(char *) words;
	int attached_pid; /* 0: a program that is started */
	struct VECTOR(struct process_pair) knobs, environment;
	char *directory, *output, *files[PROCESS_STREAMS];
	enum trm_redirection redirections[PROCESS_STREAMS];
	bool paused;
	bool stacks, json; /* its stacks are wanted, and no measurement */
	bool debugged, on_crash;
	char *there;      /* path of the profile on the engine's host; NULL: not known */
	bool kept;        /* it stays there */
	uint64_t save_ns; /* between profiles while it is measured; 0: none */
	/* Asked before the program begins. */
	bool watched, stopped, regions;
	enum trm_process_state state;
	int pid, status, refused;
	uint64_t interval; /* of the profile that counts go to; 0: no reset was made */
	char *failure;     /* of the measurement; NULL: none */
	int failure_code, failure_errno;
};

/* Finds a process, and locks its engine; engine_leave(process->engine) unlocks it. */
struct trm_error *process_enter(struct trm_process *ticket, struct control_process **ret);

/* Notes what an event says of a process. True: the event is used up. */
bool process_note(struct control_engine *engine, const Trm__Event *event);

/* The ticket of the process that the agent knows by a number; NULL: there is none. */
struct trm_process *process_ticket(const struct control_engine *engine, uint64_t number);

/* Asks the agent about a process. The caller frees the answer; `ret_answer` NULL: it is
 * not wanted. */
struct trm_error *process_ask(struct control_process *process, Trm__Request *request,
			      Trm__Message **ret_answer);

/* Frees a process of an engine that is locked. */
void process_destroy(struct control_process *process);

/* An error if it was not run yet. */
struct trm_error *process_check_run(const struct control_process *process);

#endif
