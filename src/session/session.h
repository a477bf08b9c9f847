/*
 * A session: one run measured from its first process to its last. This header holds the
 * nouns that the files of this folder share; session_run() in launch.h is the way in.
 *
 * All but the doorbell's and the planners' work is done by one thread, which is the
 * tracer.
 */
#ifndef TRAMMEL_SESSION_SESSION_H
#define TRAMMEL_SESSION_SESSION_H

#include "base/table.h"
#include "base/vector.h"
#include "code/edges.h"
#include "collect/collect.h"
#include "context/parts.h"
#include "control/arena.h"
#include "control/event.h"
#include "control/inject.h"
#include "control/remote.h"
#include "session/cache.h"
#include "session/copies.h"
#include "session/guardian.h"
#include "session/memory.h"
#include "session/options.h"
#include "session/planner.h"
#include "session/window.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* The modules of an arena and their counters: shared by all that forked from one image.
 */
struct family_module {
	struct module_file *file;
	uint32_t first_slot;
};
struct family {
	struct arena *arena; /* its reference count is the family's */
	struct VECTOR(struct family_module) modules; /* sorted by first_slot */
	struct VECTOR(struct family_copy *) shared_code;
	uint32_t heard;     /* value of the doorbell that was answered */
	struct bank *aside; /* see thread_set_aside; NULL: none yet */
	bool spreads;       /* counters lie where cache files have them, with gaps */
	uint64_t copies;    /* bytes of addresses given out for copies: see swap.c */
	uint64_t throws; /* throws_key, where it is to be known how much they throw; 0 */
};

/* A module mapped in an address space, with its trampolines. */
struct module {
	struct module_file *file;
	uint64_t bias;                 /* run-time minus link-time addresses */
	uint64_t text_start, text_end; /* the executable mapping that is patched */
	uint64_t code_address;         /* of the trampolines; 0: none */
	uint64_t code_size;            /* bytes, whole pages */
	uint64_t ways_at, ways_size;   /* see session/ways.h; address and bytes */
	/* The part of the trampolines that lies in the arena: all, or their end, if the
	 * rest is mapped from the cache file. */
	uint64_t shared_offset, shared_size;
	struct family_copy *copy; /* that this is; NULL: there is none */
	uint32_t first_slot;
	bool readable;     /* the text may be read, as nearly all */
	bool there;        /* while texts are restored: it is mapped still */
	bool restored;     /* the original text is there again, for good */
	bool broken;       /* could not be instrumented: left alone */
	bool refused;      /* for want of memory alone: see session/memory.h */
	bool caches_calls; /* some of its inline caches are filled */
	bool stays;        /* the program started with it: it is never unloaded */

	/* Where processes are attached to and left again: see swap.c. */
	uint64_t staged; /* address of the patched text, ready; 0: none */
	uint64_t kept;   /* address of the original text, to be put back; 0: none */
	bool swapped;    /* the patched text is in place */
	bool unfinished; /* to be gone on with */
};

/* When the tracer looks at what the program did: see session/looks.h. Times are
 * session_now(). */
struct looks {
	uint64_t begin, next;
	uint64_t spent; /* on all looks, in ns */
};

/* A module that was unmapped. */
struct gone_module {
	const struct module_file *file;
	uint64_t bias, text_start, text_end;
	uint64_t code_address, code_size; /* of its trampolines */
};

/* Bits of things of files, by the files' indices in session.files; NULL: none. */
struct file_bits VECTOR(uint64_t *);

/* A function of a file's plan. */
struct fired_function {
	uint32_t file;             /* index in session.files */
	uint32_t function;         /* in its plan */
	uint32_t slot, slot_count; /* of its flags */
	uint32_t ran; /* so often it had run when it was asked, up to FIRED_RAN_MAX */
};
#define FIRED_RAN_MAX 63
struct fired_functions VECTOR(struct fired_function);

/* Addresses of probes, sorted. */
struct space_probes VECTOR(uint64_t);

/* A probe in relocated code that became a jump to a block at home, and its bytes. */
struct space_way {
	uint64_t address;
	uint8_t probe[9];
};

/* A function at home. */
struct space_home {
	uint64_t code_address; /* of its module */
	uint32_t function;     /* index in its plan */
	uint64_t *open;        /* which of its blocks run there; NULL: see home_close */
	uint64_t early;        /* the order of its pages: see home_turn_of */
	uint8_t *closed; /* its text by home_close, once a process forked; or NULL */
};
struct space_homes VECTOR(struct space_home);

/* Which flags are set in a space, and what became of their probes: see session/fired.h
 * and session/homes.h. */
struct space_fired {
	struct file_bits seen;          /* slots: they are set */
	struct file_bits waits;         /* functions: they are waiting */
	struct fired_functions waiting; /* that have some that were not seen before */
	bool afresh;                /* what was seen is forgotten: see arena_mark_flags */
	struct fired_functions hot; /* that wait no more */
	struct space_probes probes; /* that do nothing any more */
	struct space_homes homes;   /* sorted */
	struct VECTOR(struct space_way) ways; /* sorted by address */
	uint64_t copied; /* functions at home that forks copied, and gave back */
};

/* Room for the trampolines of a module that is being planned. */
struct space_promise {
	uint64_t text; /* address of the mapping */
	uint64_t start, end;
};

/* An address space. vfork and clone(CLONE_VM) make processes that share one. */
struct space {
	unsigned int references;
	struct family *family;
	int memory_fd;  /* /proc/PID/mem, opened when the space was new */
	bool unplanned; /* while starting: files of modules are being planned */
	bool starting;  /* before the program's own code: ld.so loads it */
	bool traced;    /* while starting: system calls are traced, since ld.so does not
			   tell when it has loaded all; see loading.h */
	bool loaded;    /* it has told */
	unsigned int link_map_calls; /* while starting: announcements of ld.so so far */
	uint64_t filters;   /* system call filters that the image started under */
	bool bare;          /* followed, but not measured: only hooks are there */
	bool copies_calls;  /* they are made in relocated code: see returns.c */
	bool own_calls;     /* it may make system calls by instructions of its own: it is
			       static, or Go's */
	bool leak_checked;  /* has LeakSanitizer: see WIRE_HOOK_EXIT */
	unsigned int halts; /* attached: tries to stop all threads that failed */
	bool holding;       /* attached: texts are the original ones now */
	bool out;           /* attached: no thread is in code of ours any more */
	bool cleared;       /* attached: nothing of ours is mapped any more */
	bool abandoned;     /* attached: all of it stays, and what is in use of banks */
	bool left;          /* somebody that is not followed may have it mapped */
	struct VECTOR(struct module) modules;
	struct VECTOR(struct space_promise) promises; /* see places_reserve */
	struct VECTOR(struct gone_module) gone; /* whose calls may be in the banks */
	struct space_fired fired;
	struct VECTOR(struct arena_chunk *) chunks; /* mapped here; the last has the
						       widest banks */
};

static inline bool space_is_traced(const struct space *space)
{
	return space->starting && space->traced;
}

/* A program image of a process, from exec (or fork) to exec or exit: what the profile
 * tells. */
struct image_count {
	uint32_t interval; /* index in window.intervals */
	uint32_t thread;   /* tid; 0: threads are not told apart */
	uint32_t file;     /* index in session.files */
	uint32_t slot;     /* in plan: of the function */
	uint64_t count;
};
struct image_counts VECTOR(struct image_count);
/* How often a function was called from one place, if that has no counter of its own. */
struct image_arc {
	uint32_t interval, thread; /* as of counts */
	uint32_t file;             /* index in session.files */
	uint32_t function;         /* in its plan */
	uint32_t from;             /* file of the place; UINT32_MAX: not known */
	/* Link-time address that the call returns to; 0: not known. In a mark, as banks
	 * have it: the address itself. */
	uint64_t site;
	uint64_t count;
};
struct image_arcs VECTOR(struct image_arc);
/* A way on which a function was called: the one of its caller, and the function. The
 * first one of an image is the root. */
enum image_context_kind {
	IMAGE_CONTEXT_ROOT,
	IMAGE_CONTEXT_THREAD,   /* `function` is its tid: where threads are told apart */
	IMAGE_CONTEXT_FUNCTION, /* `function` is its number in the file's plan */
};
struct image_context_sums {
	uint64_t calls;
	uint64_t timed; /* calls whose time is known */
	uint64_t ticks; /* in it and in nothing that it called */
};
struct image_context {
	uint32_t parent; /* its number, less than its own */
	uint32_t kind;   /* enum image_context_kind */
	uint32_t file;   /* index in session.files */
	uint32_t function;
	bool leaf; /* returns of the function are not seen: its time is its caller's */
	uint32_t calls; /* image_graph.calls that has all those of the function */
	/* What the image's banks had when that was last looked at, and all that was ever
	 * found there, also while nothing was counted. */
	struct image_context_sums mark, all;
};
/* What is to be told of a context. */
struct image_context_count {
	uint32_t interval; /* as in struct image_count */
	uint32_t context;
	struct image_context_sums sums;
};
/* What struct wire_graph_node's of one bank, from 1 on, had when that was looked at, and
 * its leaves behind them. */
struct image_graph_node {
	uint32_t function, parent, timed;
	uint64_t calls, ticks;
};
struct image_graph_copy {
	uint32_t thread; /* 0: threads are not told apart */
	uint32_t count, leaf_count;
	struct image_graph_node *nodes;
};
struct image_graph {
	struct VECTOR(struct image_context) contexts;
	struct table by_key; /* of callgraph.c */
	struct VECTOR(struct image_context_count) counts;
	struct VECTOR(struct image_graph_copy) copies; /* see callgraph_copy */
	struct image_arcs calls; /* of each function by each thread, on all ways */
	struct table by_function;
};
/* What probes of call graphs take themselves, in ticks a call: of a timed call between
 * the two looks at the clock, and before and after; of one that is not timed; and of one
 * whose return is not seen. */
struct callgraph_cost {
	double inside, outside, untimed, leaf;
};
/* See session/residues.h. */
struct image_residue {
	uint32_t interval, thread; /* as in struct image_count */
	uint32_t file;             /* index in session.files */
	struct edges_residue residue;
};
struct image_run {
	uint32_t number; /* from 1 on */
	pid_t pid, parent;
	char *program;     /* path */
	char *name;        /* that it was executed by, or its start; NULL: not known */
	uint64_t start_ns; /* session_now() when it began */
	uint32_t threads;  /* that ever were */
	char state[32];    /* "exited 0", ...: see docs/profile.md */
	char *reason;      /* why it was not measured, or not to the end; NULL */
	bool started; /* the exec was seen: it is the program, not trammel's own code */
	bool ended;
	bool hidden;   /* of a process that was not to be followed */
	uint32_t part; /* that is counted now: 1 and the interval's index; 0: nothing */
	struct image_counts counts; /* what is to be told */
	struct image_arcs arcs;     /* the same */
	struct image_counts mark;   /* what its banks had when that was last looked at */
	struct image_arcs arc_mark; /* the same */
	struct image_graph graph;
	struct VECTOR(struct image_residue) residues;
	struct VECTOR(uint32_t) files;   /* indices in session.files of modules it had */
	struct VECTOR(uint32_t) refused; /* the same of modules for which there was no
					    memory */
};

struct process {
	pid_t pid;
	struct space *space; /* NULL: not measured */
	struct image_run *image;
	unsigned int threads; /* alive and traced */
	bool first_image;     /* runs the program that the user named */
	bool watched;         /* let go, but its counters still count: until it is gone */
};

enum thread_state {
	THREAD_NEW,     /* its first stop is awaited */
	THREAD_WAITING, /* stopped for the first time; its parent's event is awaited */
	THREAD_RUNNING,
	THREAD_EXEC, /* had its exec event; the exit of execve is awaited */
};

/* A thread's registers as a signal handler saw them. */
struct shown {
	uint64_t rip, rsp;
	uint64_t way;     /* where in our code it goes on from there, behind what it has
			     counted; 0: there */
	uint64_t address; /* link-time, in the module of this file */
	uint32_t file;    /* index in session.files */
	bool inherited;   /* the thread's parent was shown, and forked then */
	bool searched;    /* for its frame: */
	uint64_t frame;   /* where the kernel put the signal's, if the resident leads back
			     from it; 0: it does not, or that is not known yet */
};

#define TIMER_SIGNALS 4 /* that tell how fast a timer is */

/* Of timers that are faster than stops: see session/timers.h. */
struct timer_signals {
	uint64_t rsp, ns; /* of the last one: the stack pointer, session_now() */
	uint64_t ran;     /* and for how long the thread had run, nanoseconds */
	uint64_t ran_before, ran_now; /* the same at its last two stops; 0: not known */
	uint64_t stop_ns;             /* of the last stop, session_now() */
	uint32_t again;               /* so many in a row found the thread where it was */
	siginfo_t late;               /* put off; si_signo 0: none */
	uint64_t since;               /* session_now() when it came first */
	uint64_t until;               /* session_now(); 0: it is on its way */
	uint64_t run;                 /* what the thread had run for then, nanoseconds */
	uint32_t row;   /* since then, in a row, that found it ran nothing */
	uint32_t stood; /* the same, that found it where its last stop was: */
	uint64_t at_rip, at_rsp;
	uint32_t signals;             /* of timers, all */
	uint64_t came[TIMER_SIGNALS]; /* session_now() of the last, at its number modulo
					 that */
	uint64_t fast_ns; /* when they were last as close as stops; 0: never */
	bool masked;      /* and blocked meanwhile, beside these: */
	uint64_t mask;
};

/* A call that a thread is in: see struct wire_graph_frame. */
struct thread_call {
	uint64_t place;    /* of the return address on the stack */
	uint32_t function; /* as nodes have it; 0: its context is not known */
};
struct thread_calls VECTOR(struct thread_call);

struct thread {
	pid_t tid;
	struct process *process; /* NULL while THREAD_WAITING */
	pid_t parent; /* of its process, if nobody told of it; 0: not read yet */
	enum thread_state state;
	bool stopped;            /* in a ptrace-stop that we know of */
	uint32_t quiet, untimed; /* as its parent's, for its bank */
	uint64_t stack_end;      /* the same; see struct wire_bank */
	bool event_pending; /* its stop has an event that the main loop is to act on */
	bool leaving; /* its process was released while it could not be stopped: it is let
			 go at its next stop */
	struct bank *bank;       /* NULL: not measured */
	uint64_t deferred_since; /* stopped, or in a hook, until plans are done:
				    nanoseconds of session_now(); 0: not */
	struct VECTOR(struct bank *) old_banks; /* had before; a hook may still use one */
	uint64_t fault_rip; /* original address at which an instruction of a trampoline
			       faulted, while its handler may run; 0: none */
	uint64_t fault_rsp; /* its stack pointer then */
	/* The child of a vfork(2) in a program without hooks: until it executes another
	 * program its system calls are looked at. */
	bool before_exec;
	/* Where the thread was shown, in functions relocated whole, to signal handlers
	 * that may still run; the innermost last. */
	struct VECTOR(struct shown) shown;
	/* Stack pointers where signals came whose handlers may still run, and from which
	 * on the stack was shown: see returns_show. */
	struct VECTOR(uint64_t) handled;
	uint64_t held_ticks;       /* when it stopped, or asked; 0: see callgraph_hold */
	struct thread_calls calls; /* where call graphs are measured: that its parent was
				      in when it forked */
	struct timer_signals timer;
	uint64_t resumed_ns; /* session_now() */
	bool cut_short;      /* a stop may have made its system call end early: see
				session/syscalls.h */
	uint64_t rest_until; /* how long it waits, if it makes the rest of one:
				nanoseconds of session_now(); UINT64_MAX: for ever */
	siginfo_t held; /* signal to put right when it comes again; si_signo 0: none */
};

/* A thread at its first stop, of which nobody has told yet. */
struct session_untold {
	pid_t tid;
	uint64_t since; /* session_now() */
};

struct session {
	const struct session_options *options;
	struct cache *cache;
	struct event_queue queue;
	struct table threads;      /* tid -> struct thread *; 0: gone */
	struct table processes;    /* pid -> struct process *; 0: gone */
	unsigned int thread_count; /* traced */
	struct VECTOR(struct thread *) all_threads;
	struct VECTOR(struct process *) all_processes;
	struct VECTOR(struct session_parent *) parents; /* gone: see session/orphans.h */
	struct VECTOR(struct session_untold) untold;    /* the same */
	bool never_lazy;     /* see plan_at_once in modules.c */
	bool can_wait_awake; /* there is more than one processor */
	uint64_t asked;      /* session_now() of the last WIRE_HOOK_LAZY; 0: none */
	uint64_t awaited; /* until then something is likely to come, and the tracer stays
			     awake for it: that takes less long than to wake up */
	struct VECTOR(struct family *) families;
	struct VECTOR(struct image_run *) images;
	struct VECTOR(struct module_file *) files;
	struct doorbell *doorbell;
	struct planner *planner;
	struct maps maps; /* scratch */
	struct window window;
	size_t late_signals; /* of threads, that were put off: see session/timers.h */
	struct looks fired_looks; /* see session/fired.h */
	struct guardian guardian;
	const char *incomplete;     /* what the profile lacks; NULL: nothing */
	struct memory_use memory;   /* that arenas take */
	uint64_t warm;              /* functions that went home and are not hot */
	bool forks_cost;            /* some space may be one of hot_costs_forks */
	struct looks calls_looks;   /* see session/inline_caches.h */
	struct context_parts parts; /* of what programs say themselves */
	pid_t first;                /* the process that run started */
	bool first_ended;
	bool saved_running;         /* the profile was saved while processes still ran */
	int first_status;           /* as waitpid has it */
	struct timespec start, end; /* of the first process; CLOCK_MONOTONIC */
	time_t start_time;
	uint64_t clock_ticks, clock_ns; /* of one moment: the time-stamp counter and
					   session_now(); 0: not needed yet */
	uint64_t instrument_ns;         /* in which a program was held up */
	char *refusal;                  /* why the first program was not run; NULL */
	bool attached;    /* to a process that ran before, and is to run on after us */
	uint64_t stop_ns; /* attached: the longest time that all its threads stood */
};

/* threads.c: the tables of threads and processes, and their banks. */
struct thread *session_find_thread(const struct session *session, pid_t tid);
struct process *session_find_process(const struct session *session, pid_t pid);
struct thread *session_add_thread(struct session *session, pid_t tid);
void session_remove_thread(struct session *session, struct thread *thread);
struct process *session_add_process(struct session *session, pid_t pid, pid_t parent,
				    const char *program);
struct image_run *session_add_image(struct session *session, pid_t pid, pid_t parent,
				    const char *program);
void session_remove_process(struct session *session, struct process *process);
/* Gives a stopped thread a bank of its own; without one it goes on with its parent's. */
void thread_assign_bank(struct session *session, struct thread *thread, uint32_t quiet);
/* The same if there is one, and it has none: nothing is injected. */
void thread_take_free_bank(struct session *session, struct thread *thread);
/* A thread of a forked process that is let go gets a bank that nobody looks at, all of
 * them the same: its hooks ask nobody. */
void thread_set_aside(struct session *session, struct thread *thread);
/* A thread that is let go keeps its banks: it may be in a hook, or count on. */
void thread_leave_bank(struct thread *thread);
/* Bytes of a bank for so many counters. */
uint64_t bank_stride_for(uint64_t slots, uint32_t slot_size);
/* How many banks of so many bytes a chunk of a process has at least: usual programs need
 * no other. Large ones, as with call graphs, are made one at a time, and so are all where
 * RLIMIT_AS says how much memory the program may map. */
uint32_t bank_least(pid_t pid, uint64_t stride);
/* Makes all banks of the space hold at least `slots` counters. `thread` may be injected.
 */
struct trm_error *space_widen_banks(struct session *session, struct space *space,
				    struct thread *thread, uint32_t slots);
/* Of a stopped thread, rounded down to a word; 0: it is gone. */
uint64_t stack_pointer_of(const struct thread *thread);
void thread_resume(struct session *session, struct thread *thread, int signal);
/* Makes sure that so many banks of the widest kind are free. `thread` may be injected. */
struct trm_error *space_reserve_banks(struct session *session, struct space *space,
				      struct thread *thread, uint32_t count);
/* At a call's entry: it is not made now, but when the thread goes on behind it. Whether
 * that could be said. */
bool thread_put_off_call(const struct thread *thread, struct user_regs_struct *registers);
/* Stops a running thread at an instruction outside of a system call's middle; false if it
 * is gone. */
bool thread_interrupt(struct session *session, struct thread *thread);
/* The same in two steps, for many threads at a time. */
bool thread_ask_to_stop(const struct thread *thread);
bool thread_await_stop(struct session *session, struct thread *thread, int timeout_ms);

/* halt.c: threads of running programs are stopped, borrowed, and let go. */
/* Stops all threads of the space within some milliseconds; false if one does not stop.
 * Then and afterwards, space_go lets them go on. */
bool space_halt(struct session *session, struct space *space);
void space_go(struct session *session, const struct space *space);

/* Whether a stopped thread has an event to be acted on: any but signals, which can wait.
 */
bool thread_has_event(const struct session *session, const struct thread *thread);

/* A stopped thread that may make system calls for us, and what it was before. */
struct loan {
	struct thread *thread;
	struct user_regs_struct registers; /* to be set when the loan ends */
};
/* Takes a thread that space_halt stopped: registers and a system call that it is in are
 * put by. False if it cannot be used now. */
bool loan_begin(struct session *session, struct thread *thread, struct loan *ret_loan);
/* Any thread of the halted space. */
bool loan_find(struct session *session, const struct space *space, struct loan *ret_loan);
/* The thread stands as it did, with the registers of the loan; it is still stopped. */
bool loan_end(struct session *session, struct loan *loan);
/* Stops some thread of the space for the time of `work`, and lets it go on. */
struct trm_error *space_borrow(struct session *session, const struct space *space,
			       struct trm_error *(*work)(void *context,
							 struct thread *thread),
			       void *context);

/* space.c */
/* Owns `memory_fd`; `family` may come later. */
struct space *space_create(struct family *family, int memory_fd);
struct space *space_fork(const struct space *space, int memory_fd);
/* Forgets what is not mapped in a space that was just forked. */
void space_drop_unmapped(struct space *space, const struct maps *maps);
void space_release(struct session *session, struct space *space);
/* Whether functions of its modules are planned when they are called. */
bool family_has_latches(const struct family *family);
/* Drops a reference to the family's arena; with the last one both go. */
void family_release(struct session *session, struct family *family);
/* Runs a batch in a thread: through its mailbox if it waits in a hook, else by injection.
 * If it runs, some thread of its space is stopped for that. */
struct trm_error *space_run(struct session *session, struct thread *thread,
			    struct wire_batch *batch);
/* The bank through whose mailbox the thread waits for us; NULL if it does not. */
struct bank *thread_waiting_bank(const struct thread *thread);

/* trampolines.c: puts them into programs. */
/* Bytes of a module's trampolines, with a header and a page for signals.c behind them. */
uint64_t trampolines_size(const struct module_file *file);
/* Whether banks of the program may reach far: nobody limits its addresses or our files.
 */
bool trampolines_may_spread(const struct session *session, pid_t pid);
/* The first counter of a module in a family: given out once, whoever maps it. */
uint32_t trampolines_first_slot(struct family *family, struct module_file *file);
/* Whether they can be mapped from the cache file as they are. */
bool trampolines_are_cached(const struct family *family, const struct module *module);
/* A mapping of a batch, at an address. What follows is placed relative to its result, so
 * that nothing is mapped that leads to what could not be. */
struct trampolines_anchor {
	unsigned int call;
	uint64_t address;
};
enum { TRAMPOLINES_PIECES = 8 };
struct trampolines_calls {
	unsigned int opened;                        /* the cache file, to be closed */
	struct trampolines_anchor code, ways, last; /* `last` came last of all */
	/* Pieces of a mapping of the arena, each moved to its place. */
	unsigned int whole; /* the call that made the mapping */
	struct {
		unsigned int moved; /* the call */
		uint64_t offset, size;
	} pieces[TRAMPOLINES_PIECES];
	unsigned int piece_count;
};
/* Adds the calls that map them and the ways: from the cache file, or a copy. */
struct trm_error *trampolines_add(struct session *session, struct wire_batch *batch,
				  struct family *family, struct module *module,
				  bool cached, struct trampolines_calls *ret_calls);
/* Adds what unmaps that as far as it was mapped. */
void trampolines_remove(struct wire_batch *batch, const struct wire_batch *done,
			const struct module *module,
			const struct trampolines_calls *calls);
/* Opens the module's cache file. */
unsigned int trampolines_open(struct wire_batch *batch, const struct arena *arena,
			      const struct module *module);

/* modules.c: finds what is mapped and instruments it. */
/* False if files are still being planned: to be called again when session_planned()
 * comes. */
bool modules_update(struct session *session, struct thread *thread);
/* A module of the space that sets the GS base itself; NULL if there is none. */
const struct module *modules_using_gs(const struct space *space);
/* The number of system call filters (seccomp) of a thread. */
uint64_t thread_filters(pid_t tid);
static inline bool module_holds_text(const struct module *module, uint64_t address)
{
	return address >= module->text_start && address < module->text_end;
}
/* The instrumented module whose text holds this address; NULL if none. */
struct module *space_module_of_text(const struct space *space, uint64_t address);
/* The module whose trampolines hold this address; NULL if none. */
struct module *space_module_of_code(const struct space *space, uint64_t address);
/* What an address in a module's trampolines is. */
struct plan_place module_locate(const struct module *module, uint64_t address);
/* Where a call leads that such a place is in (CALL_DONE), run-time. False: the word that
 * tells cannot be read. */
bool module_callee(const struct space *space, const struct module *module,
		   const struct plan_place *place, unsigned long long *ret_address);
/* Writes the original bytes back over all patches of a space that `pid` has. False: they
 * are not all there, and it counts on. */
bool space_restore_text(struct session *session, struct space *space, pid_t pid);
/* Where the part of a module's text that patches change lies in the program. */
struct image_range module_part_of(const struct module *module);
/* originals.c: has the original texts of modules that are `there` show again, as far as a
 * thread can do that; they are `restored` then. */
void originals_show(struct session *session, struct space *space);
/* The text of a module that an address of its space's lies in. */
const struct module_text *module_text_of(const struct module *module);

/* texts.c: the table of texts with patches in the control page. A row stays as long as
 * any space of the family has the text. */
/* False if there is no row that the module needs: it must not be patched. */
bool texts_add(const struct space *space, const struct module *module);
void texts_remove(const struct session *session, const struct space *space,
		  const struct module *module);
/* A module with patches in [start, start + size) of the space; NULL if there is none. */
const struct module *texts_find(const struct space *space, uint64_t start, uint64_t size);
/* Forgets modules of the thread's space that session.maps does not have. */
void modules_drop(struct session *session, struct thread *thread);

/* swap.c: patched texts that go into place, and out of it, at once. */
/* Adds calls that put the patched text of a module, which is in the cache file that the
 * call `opened` opens, in place, if what it leads to is mapped (`anchor`; NULL: it is).
 * Returns the index of the last one; -1: it cannot be done. */
int swap_add_text(const struct session *session, const struct space *space,
		  const struct module *module, unsigned int opened,
		  const struct trampolines_anchor *anchor, struct wire_batch *batch);
/* Whether they did, of which `moved` was the last; else nothing of theirs is left. */
bool swap_text_done(struct session *session, struct thread *thread,
		    const struct module *module, const struct wire_batch *batch,
		    int moved);
/* Maps the patched text of a module, ready to be put in place. */
struct trm_error *swap_prepare(struct session *session, struct thread *thread,
			       struct module *module);
/* Puts all texts that are ready in place; where that fails the original one stays. */
struct trm_error *swap_in(struct session *session, struct thread *thread,
			  struct space *space);
/* Puts the original ones back. */
struct trm_error *swap_out(struct session *session, struct thread *thread,
			   struct space *space);
/* Unmaps what a module that is gone had ready or put by. */
void swap_forget(struct session *session, struct thread *thread,
		 const struct module *module);

/* follow.c: processes come, change and go. */
void follow_event(struct session *session, const struct event *event);
void follow_first(struct session *session, pid_t pid, const char *program);
/* Makes the arena of a space in a thread of it that stands outside of a system call. */
struct trm_error *space_make_arena(struct session *session, struct thread *thread,
				   struct space *space);
bool process_shares_memory(pid_t a, pid_t b);
/* Counts of the process so far into its image, state "exited 0" or the like; the image
 * ends. */
void follow_end_image(struct session *session, struct process *process,
		      const char *state);
void follow_watched(struct session *session);
/* A thread made another, or a process, `tid`: it is followed from now on. The thread
 * stays stopped. */
void follow_child(struct session *session, struct thread *parent, pid_t tid);

/* signals.c */
/* Moves a stopped thread that is counting a call, and has not yet, to the entry of what
 * is called. */
void signals_leave_gate(const struct session *session, struct thread *thread);
/* A stopped thread on a jump of ours that has no original at its place takes it. */
void signals_leave_island(const struct thread *thread);
void signals_deliver(struct session *session, struct thread *thread, int signal);

/* returns.c: the frames of a stopped thread, the innermost first, as far as call-frame
 * information tells: where the return address of each one lies, and a place in its
 * function. */
typedef void returns_visitor(void *context, uint64_t place, uint64_t pc);
void returns_visit(struct thread *thread, const struct user_regs_struct *registers,
		   returns_visitor *visit, void *context);

/* Return addresses in relocated code, on the stack of a stopped thread, become
 * the original ones: somebody may look at them now. The second: of one that waits in the
 * hook at the entry of a function. */
void returns_show(struct thread *thread, const struct user_regs_struct *registers);
void returns_show_hooked(struct thread *thread, const struct wire_registers *registers);

/* hooks.c */
void hooks_serve(struct session *session, struct family *family);

/* A system call that a stopped thread is about to make itself, as a hook would hear of
 * it. False if the thread was let go: it is no more. */
bool hooks_see_call(struct session *session, struct thread *thread);

/* A child that a stopped thread has just made is known from now on, before its event is
 * acted on. False if the thread did not stop for one; else it is to be resumed. */
bool follow_made_child(struct session *session, struct thread *thread);

/* Threads that wait for plans go on, as far as theirs are done. */
void follow_planned(struct session *session);

/* release.c */
void release_process(struct session *session, struct process *process, bool restore,
		     const char *reason, ...) __attribute__((format(printf, 4, 5)));

/* Lets all processes go that share memory with this one, with their text restored. */
void release_space(struct session *session, struct process *process, const char *reason,
		   ...) __attribute__((format(printf, 3, 4)));

/* Lets a process go if a module of it sets the GS base, or follows stacks on its own
 * while calls are made in relocated code. */
bool release_if_foreign(struct session *session, struct process *process);

/* Lets all go, as far as they can be stopped, with their text restored: the measurement
 * is over. */
void release_all(struct session *session);

/* arcs.c: where calls came from. */
/* Notes that a module is unmapped. */
void arcs_note_gone(struct space *space, const struct module *module);
/* Adds to an image what its banks have now more than in its mark, and finds the places;
 * both are merged. Counts go down as those of counters do, see window.c. */
void arcs_add_difference(const struct process *process, uint32_t interval,
			 struct image_arcs *now);
/* Sorts, and adds up what is the same. */
void arcs_merge(struct image_arcs *arcs);
/* What the instruction at a site is, and where it begins, by the address behind it. */
const char *arcs_kind(struct module_file *file, const struct image_arc *arc,
		      const struct module_file *callee, uint64_t *ret_address);

/* folding.c: counters become counts of images; fold.c: those become a profile. */
enum fold_banks {
	FOLD_AND_CLEAR,  /* the banks are free again */
	FOLD_AND_RETIRE, /* the process may still write to them: never used again */
};
void fold_process(struct session *session, struct process *process, enum fold_banks how);
/* What the banks of the process have: every counter that is not 0 of each bank; or
 * sorted, each counter once, with calls by their places. With `take`, flags are cleared
 * as they are read. */
typedef void fold_visitor(void *context, const struct module_file *file, uint32_t slot,
			  uint64_t count);
void fold_visit(const struct session *session, const struct process *process,
		fold_visitor *visit, void *context);

/* The same for flags, as arena_mark_flags has it. */
void fold_mark(const struct session *session, const struct process *process, bool all,
	       fold_visitor *visit, void *context);
/* The same for `count` flags of a file alone: whether any of them was set. */
bool fold_mark_some(const struct process *process, uint32_t file, uint32_t slot,
		    uint32_t count);
/* A thread ended: where threads are told apart, its counts go to its image, and its banks
 * are empty again. */
void fold_thread(struct session *session, const struct thread *thread);
void fold_read(const struct session *session, const struct process *process, bool take,
	       struct image_counts *ret_counts, struct image_arcs *ret_arcs);
/* Sorts the counts of an image, and adds up what is the same. */
void fold_merge(const struct session *session, struct image_run *image);

/* How long the first process ran, or has run when that was last looked at. */
uint64_t session_wall_ns(const struct session *session);

/* Writes the profile of what was counted until now, whole or not at all. */
struct trm_error *fold_save(struct session *session, const char *path);

/* doorbell.c: a thread that waits for doorbells and wakes the tracer with SIGUSR1. */
struct trm_error *doorbell_create(struct doorbell **ret_doorbell);
void doorbell_add(struct doorbell *doorbell, uint32_t *word);
void doorbell_remove(struct doorbell *doorbell, const uint32_t *word);
void doorbell_destroy(struct doorbell *doorbell);

/* Notes whether a thread has to wait for plans; what it waited counts as instrumenting.
 */
void thread_defer(struct session *session, struct thread *thread, bool wait);

/* loop.c: what the tracer does. All that can be done without waiting: */
void session_act(struct session *session);
/* Waits for more, at most `limit_ns`; the signal of `signals` that came, or 0. */
int session_wait(const struct session *session, const sigset_t *signals,
		 uint64_t limit_ns);

/* leave.c: processes that are attached to run on without us. True once all are left;
 * until then it is to be called again, after session_act. */
bool session_leave(struct session *session);

/* attach_check.c: why a process cannot be attached to, as far as can be seen from
 * outside; NULL: nothing forbids it. */
struct trm_error *attach_check(pid_t pid);
/* What PTRACE_SEIZE's errno means for this process. */
struct trm_error *attach_explain(pid_t pid, int why);
/* The state letter and the flags of a thread; 0 if it is gone. */
char attach_read_state(pid_t tid, unsigned int *ret_flags);
/* Whether a thread lives in the kernel alone: one of its own, or of io_uring. */
bool attach_is_kernel_thread(pid_t tid);

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t session_now(void);

/* One time in so many. */
bool session_by_chance(uint32_t times);

#endif
