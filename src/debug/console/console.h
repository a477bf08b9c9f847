/* The tracer's side of `trammel debug`'s prompt: commands are lines, answers are text. */
#ifndef TRAMMEL_DEBUG_CONSOLE_CONSOLE_H
#define TRAMMEL_DEBUG_CONSOLE_CONSOLE_H

#include "base/text.h"
#include "base/vector.h"
#include "session/debug/debug.h"

struct symbols;

/* Where prompts come from. */
struct console_place {
	int fd;            /* a connected prompt; -1: none */
	int listener;      /* see listen_open(); -1: none connects */
	const char *token; /* what one that connects must know; NULL: nothing */
	int message_fd;    /* where it is said that one may connect; -1: nowhere */
	char message[256];
	bool quiet;    /* ends of processes are not told */
	bool on_crash; /* nothing stops but a signal that would end the program */
};

/* How the program goes on. */
enum console_going {
	GOING_NOT,
	GOING_ON,   /* to whatever stops it */
	GOING_STEP, /* instructions or lines, into calls */
	GOING_NEXT, /* likewise, over calls */
	GOING_OUT,  /* to a breakpoint of the prompt's own */
};

/* Where a breakpoint is in a process. */
struct console_own {
	pid_t pid;
	uint32_t number; /* debug_break's */
	uint64_t address;
};

/* A breakpoint as it was given. */
struct console_breakpoint {
	uint32_t number;                        /* as it is shown */
	struct VECTOR(struct console_own) owns; /* empty: its place is not known yet */
	uint64_t hits;                          /* in processes that have ended */
	char *place;                            /* as given */
	char *condition;                        /* NULL: none */
	uint32_t watch;  /* of a watchpoint: debug_watch_set's number; 0: of code */
	uint64_t ignore; /* until its place is known */
	bool once;       /* it goes when it is met */
	bool off;
	struct console *console;
};

/* A step that is being made. */
struct console_step {
	enum console_going going;
	bool lines;
	uint64_t left;       /* how many are to be made */
	uint64_t start, end; /* of the line's code */
	uint64_t from;       /* the last instruction */
	uint64_t rsp;        /* the stack when the line began */
	uint32_t back;       /* number of a breakpoint behind a call; 0: none */
	uint64_t back_rsp;   /* its stack pointer, at least */
	pid_t tid;
};

struct console {
	struct session *session;
	const struct console_place *place;
	int fd;       /* -1: none */
	bool known;   /* the token was right */
	int front_fd; /* tells that the front has ended; -1: there is none */
	int wake_fd;  /* an eventfd that tells that the program stopped */
	struct text input;
	struct text output; /* of the command */
	bool ready;         /* a line may come: the prompt was sent */
	bool waits;         /* for the program to stop */
	bool changed;       /* modules are other ones */
	bool ended;
	pid_t pid, tid; /* what commands are about */
	struct debug_event stop;
	bool stopped;   /* `stop` is not handled yet */
	uint64_t shown; /* address behind what `x` and `disassemble` showed */
	uint32_t numbers;
	struct VECTOR(struct console_breakpoint *) breakpoints;
	struct console_step step;
	struct symbols *symbols; /* NULL: not made yet */
	pid_t symbols_pid;
};

/* Serves prompts. The session's program stops in front of its first instruction. */
struct trm_error *console_serve(struct session *session,
				const struct console_place *place);

#endif
