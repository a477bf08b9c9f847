/* Processes and their threads. */
#ifndef TRAMMEL_SESSION_STATE_THREAD_H
#define TRAMMEL_SESSION_STATE_THREAD_H

#include "base/vector.h"
#include "control/arena.h"
#include "control/remote.h"
#include "session/state/thread_debug.h"
#include "session/state/tool_state.h"
#include "session/state/values_state.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct space;
struct image_run;

/* What a program does with a signal of a fault. */
struct fault_action {
	uint64_t handler; /* SIG_DFL, SIG_IGN, or an address */
	bool once;        /* it is gone once it has been called */
};

struct process {
	pid_t pid;
	struct space *space; /* NULL: not measured */
	struct image_run *image;
	unsigned int threads; /* alive and traced */
	bool first_image;     /* runs the program that the user named */
	uint64_t value_ns;    /* of its time, for which values were not sampled yet */
	uint64_t cpu_ns;      /* its time at the last look */
	bool debugged;        /* see session/debug/ */
	bool guarded;         /* see session/debug/guard.h */
	bool ignores_trap;    /* and it ignores SIGTRAP */
	bool ignored_trap;    /* it did so when it executed a program */
	bool watched;         /* let go, but its counters still count: until it is gone */
	uint64_t clock_ns; /* processor time at the last look, where samples are looks */
	struct fault_action on_segv, on_bus; /* position/fault_actions.h */
};

enum thread_state {
	THREAD_NEW,     /* its first stop is awaited */
	THREAD_WAITING, /* stopped for the first time; its parent's event is awaited */
	THREAD_RUNNING,
	THREAD_EXEC, /* had its exec event; the exit of execve is awaited */
};

/* A thread's registers as a signal handler saw them. */
struct signal_frame {
	uint64_t rip, rsp;
	uint64_t way;     /* place in trammel's code where the thread continues, behind
			     the part that it has counted; 0: at rip */
	uint64_t address; /* link-time, in the module of this file */
	uint32_t file;    /* index in session.files */
	uint64_t path;    /* see struct wire_shown */
	uint32_t phase;   /* what the thread counted then: enum arena_phase */
	uint32_t counted; /* where the block was counted: as a rule the same */
	bool inherited;   /* shown to the thread's parent, which forked then */
	bool searched;    /* `frame` was searched for */
	uint64_t frame;   /* address where the kernel put the signal's frame, if the
			     resident leads back from it; 0: it does not, or that is
			     not known yet */
};

#define TIMER_SIGNALS 4 /* number of signals that tell how fast a timer is */

/* State of timers that are faster than stops: see session/thread/fast_timers.h. */
struct timer_signals {
	uint64_t rsp, ns; /* at the last signal: the stack pointer, clock_now_ns() */
	uint64_t ran;     /* and how long the thread had run, nanoseconds */
	uint64_t ran_before, ran_now; /* nanoseconds it had run at its last two stops;
					 0: not known */
	uint64_t stop_ns;             /* of the last stop, clock_now_ns() */
	uint32_t again;               /* signals in a row at which the thread had made
					 no progress */
	siginfo_t late;               /* signal put off; si_signo 0: none */
	uint64_t since;               /* clock_now_ns() when it came first */
	uint64_t until;               /* clock_now_ns(); 0: it is on its way */
	uint64_t run;                 /* nanoseconds that the thread had run at `since` */
	uint32_t row;   /* later signals in a row that found it had run nothing */
	uint32_t stood; /* later signals in a row that found it at the place of its
			   last stop: */
	uint64_t at_rip, at_rsp;
	uint32_t signals;             /* number of all signals of timers */
	uint64_t came[TIMER_SIGNALS]; /* clock_now_ns() of the last signals, at their
					 numbers modulo TIMER_SIGNALS */
	uint64_t fast_ns; /* when signals last came as fast as stops; 0: never */
	bool masked;      /* the signal is blocked meanwhile, in addition to `mask` */
	uint64_t mask;
};

/* Call that a thread is in: see struct wire_graph_frame. */
struct thread_call {
	uint64_t place;    /* of the return address on the stack */
	uint32_t function; /* as nodes have it; 0: its context is not known */
};
struct thread_calls VECTOR(struct thread_call);

/* Samples by looks at the thread, where perf events are forbidden: see
 * session/count/peeks.h. */
struct thread_peeks {
	uint64_t seen_ns;  /* it had run when it was last looked whether it runs */
	uint64_t taken_ns; /* that it ran user code, for which samples stand */
	uint64_t event_ns; /* it had run at its last stop for something else */
	uint64_t asked_ns; /* clock_now_ns() when it was asked to stop; 0: it was not */
	struct remote_times times; /* then */
	bool known;                /* `taken_ns` is */
	bool runs;                 /* it ran when it was last looked */
};

struct thread {
	pid_t tid;
	struct process *process; /* NULL while THREAD_WAITING */
	pid_t parent; /* parent of its process, if it was not announced; 0: not read
			 yet */
	enum thread_state state;
	bool stopped;            /* in a ptrace-stop known to the tracer */
	uint32_t quiet, untimed; /* as its parent's, for its bank */
	uint64_t stack_end;      /* copied from its parent; see struct wire_bank */
	bool event_pending; /* its stop has an event that the main loop is to act on */
	bool leaving; /* its process was released while it could not be stopped: it is let
			 go at its next stop */
	struct bank *bank;       /* NULL: not measured */
	uint32_t phase;          /* what its parent counted when it forked; of threads, 0:
				    enum arena_phase */
	uint64_t deferred_since; /* stopped, or in a hook, until plans are done:
				    nanoseconds of clock_now_ns(); 0: not */
	struct VECTOR(struct bank *) old_banks; /* banks it had before; a hook may
						   still use one */
	uint64_t fault_rip; /* original address at which an instruction of a trampoline
			       faulted, while its handler may run; 0: none */
	uint64_t fault_rsp; /* its stack pointer then */
	/* The child of a vfork(2) in a program without hooks: until it executes another
	 * program its system calls are looked at. */
	bool before_exec;
	/* Places where the thread appeared, in functions relocated as a whole, to
	 * signal handlers that may still run; the innermost last. */
	struct VECTOR(struct signal_frame) signal_frames;
	/* Stack pointers where signals came whose handlers may still run, and from which
	 * on the stack was shown: see return_addresses_show. */
	struct VECTOR(uint64_t) handled;
	uint64_t held_ticks;       /* when it stopped, or asked; 0: it runs; see held.h */
	struct thread_calls calls; /* where call graphs are measured: calls that its
				      parent was in when it forked */
	struct timer_signals timer;
	uint64_t resumed_ns; /* clock_now_ns() */
	bool cut_short;      /* a stop may have made its system call end early: see
				session/position/interrupted_calls.h */
	uint64_t rest_until; /* end of its wait, if it makes the rest of a call:
				nanoseconds of clock_now_ns(); UINT64_MAX: for ever */
	struct tool_thread tool;
	struct tool_pending tool_pending;
	bool emulated;       /* it was resumed by REMOTE_EMULATE */
	uint64_t tool_since; /* clock_now_ns() since which it is in one call of a routine
				of a tool; 0: it was not looked at */
	struct thread_values values; /* see session/position/stretches.h */
	siginfo_t held; /* signal to put right when it comes again; si_signo 0: none */
	struct thread_peeks peeks;
	struct thread_debug debug;
};

#endif
