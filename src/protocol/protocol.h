/*
 * The words of the protocol between who controls measurements and the agent that makes
 * them: trammel.proto has the messages, frame.h how they pass, docs/design/control.md
 * the whole.
 */
#ifndef TRAMMEL_PROTOCOL_PROTOCOL_H
#define TRAMMEL_PROTOCOL_PROTOCOL_H

enum {
	/* A change of meaning needs a new one. */
	PROTOCOL_VERSION = 1,
	PROTOCOL_LEAST = 1,
	/* Bytes of events that the agent sends before they are acknowledged. */
	PROTOCOL_WINDOW = 1 << 20,
	/* Most bytes of a file, of memory, or of output in one message. */
	PROTOCOL_PIECE = 1 << 18,
	PROTOCOL_FILE_PIECE = 1 << 20, /* of a module */
	/* Descriptors that a local agent gets from who starts it: standard input and
	 * output of programs. */
	PROTOCOL_INPUT_FD = 3,
	PROTOCOL_OUTPUT_FD = 4,
};

/* What becomes of programs when who controls them is gone. */
enum protocol_loss {
	PROTOCOL_LOSS_GO_ON,  /* they are measured to their end */
	PROTOCOL_LOSS_DETACH, /* the measurement ends, they run on */
	PROTOCOL_LOSS_KILL,
};

/* What happens at a place. */
enum protocol_point {
	PROTOCOL_POINT_BREAK,   /* the program stops, but for the first times */
	PROTOCOL_POINT_FIRST,   /* the first time is told, and nobody stops */
	PROTOCOL_POINT_COUNTER, /* it stops at the n-th time since it began */
	PROTOCOL_POINT_REGIONS, /* the place tells of regions: not for requests */
};

/* What a request asks for. Words, fields and numbers are those of struct Request. */
enum protocol_verb {
	PROTOCOL_NOTHING,      /* an answer alone */
	PROTOCOL_MEASUREMENTS, /* rows: name, summary */
	PROTOCOL_COMBINE,      /* words: measurements; a fault says why they cannot be */
	PROTOCOL_KNOBS,        /* rows: name, type, value, default, about */
	PROTOCOL_CHECK,        /* fields: options; a fault says what is wrong */
	PROTOCOL_RUN,          /* words: program and arguments; fields: options and how it
				  is started (enum protocol_start); number: the process;
				  text: path of its profile */
	PROTOCOL_ATTACH,       /* size: pid; fields: options; number: the process */
	PROTOCOL_SIGNAL,       /* size: signal, to the first process */
	PROTOCOL_KILL,         /* the first process */
	PROTOCOL_DETACH,       /* the measurement ends, the program runs on */
	PROTOCOL_INPUT,        /* data: for the program's standard input; none: its end */
	PROTOCOL_PAUSE,        /* counting */
	PROTOCOL_RESUME,
	PROTOCOL_RESET, /* counts from now on are an interval of their own; number */
	PROTOCOL_SAVE,  /* the profile of now; number: its size */
	PROTOCOL_READ,  /* size: of a piece; address: where it begins; text "now": of what
			   SAVE wrote; data; text: nanoseconds of when it was written */
	PROTOCOL_FORGET, /* the process and its profile; number 1: that stays */
	PROTOCOL_STOP,   /* all threads of the process stop */
	PROTOCOL_GO,
	PROTOCOL_READ_MEMORY,  /* address, size; data */
	PROTOCOL_WRITE_MEMORY, /* address, data */
	PROTOCOL_REGISTERS,    /* size: thread; rows: name, value */
	PROTOCOL_SET_REGISTER, /* size: thread; word: name; number: value */
	PROTOCOL_THREADS,      /* rows: tid, name, pc */
	PROTOCOL_MODULES,      /* rows: path, from, to, bias */
	PROTOCOL_BREAK,        /* word: place; number: enum protocol_point; size: times to
				  ignore, or the time that is meant; number: of the
				  breakpoint */
	PROTOCOL_UNBREAK,      /* size: number of the breakpoint */
	PROTOCOL_STEP,         /* size: thread */
	PROTOCOL_TIMER,        /* size: nanoseconds between events; 0: no more */
	PROTOCOL_WATCH,        /* events of processes, threads and libraries */
	PROTOCOL_LEAVE,        /* the client goes, and does not come back */
	PROTOCOL_STACKS,       /* size: pid; word "json": as JSON; what its threads do, as
				  output of a process that is measured; number: of that */
	PROTOCOL_SAY,          /* data: for the debugger's console of the process */
	PROTOCOL_FILE,         /* words: path, build id, "debug" for debug information;
				  address, size: of a piece; data; number: its size */
	PROTOCOL_UNWATCH,      /* from agents to tracers: places go, threads go on */
	PROTOCOL_VERB_COUNT
};

enum protocol_event {
	PROTOCOL_EVENT_NONE,
	PROTOCOL_EVENT_STARTED,  /* the first process executes its program */
	PROTOCOL_EVENT_ENDED,    /* a process ended; value: status as waitpid has it */
	PROTOCOL_EVENT_MEASURED, /* the measurement is over; fault; value: status of the
				    first process; text: how a shell would say it */
	PROTOCOL_EVENT_FORK,
	PROTOCOL_EVENT_EXEC,
	PROTOCOL_EVENT_THREAD,
	PROTOCOL_EVENT_THREAD_ENDED,
	PROTOCOL_EVENT_LOADED,
	PROTOCOL_EVENT_UNLOADED,
	PROTOCOL_EVENT_FUNCTION,
	PROTOCOL_EVENT_BREAKPOINT,
	PROTOCOL_EVENT_SIGNAL,
	PROTOCOL_EVENT_TIMER,
	PROTOCOL_EVENT_COUNTER,
	PROTOCOL_EVENT_ANNOTATION,
	PROTOCOL_EVENT_USER,
	PROTOCOL_EVENT_OUTPUT, /* value: 1, 2, or 3 of a console; data; none: its end */
	PROTOCOL_EVENT_STOPPED,
	PROTOCOL_EVENT_LOST, /* value: how many events or bytes are missing */
	PROTOCOL_EVENT_COUNT
};

#endif
