/*
 * The library inside the program: what its files share.
 *
 * Nothing here may allocate from the program's heap, print, or change errno on the way of
 * an event. Locks are ours alone, and are held in slow ways only: the first time that an
 * attribute, a string, a node or a thread is seen.
 */
#ifndef TRAMMEL_RUNTIME_RUNTIME_H
#define TRAMMEL_RUNTIME_RUNTIME_H

#define TRM_IN_LIBRARY_
#include "trammel/annotate.h"
#include "wire/context.h"

#include <stdbool.h>
#include <sys/types.h>
#include <x86intrin.h>

#define likely(condition)   __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* Nothing is moved over this by the compiler: what a signal handler sees has order. */
#define in_order() __asm__ volatile("" ::: "memory")

/*
 * What every event looks at. It is in a page that a child of fork finds empty
 * (MADV_WIPEONFORK): one that was made by a raw system call must not write into its
 * parent's spool.
 */
struct runtime_state {
	uint32_t recording; /* events go into trees; 0 in a new child */
	uint32_t tracing;   /* and into the threads' event blocks */
	uint32_t tsc;       /* ticks are the processor's; else nanoseconds */
	uint32_t untimed;   /* nobody wants times: ticks are 0 (tsc is 0, too) */
	uint32_t watching;  /* enum runtime_watchers: who else sees events */
	uint32_t idle;      /* nobody counts, times or sees: only what is open is noted */
	uint32_t usual; /* recording, by the processor's ticks, and without channels */
};

enum runtime_watchers {
	RUNTIME_TRACES = 1,   /* the trace in the spool */
	RUNTIME_CHANNELS = 2, /* channels that measure */
	RUNTIME_KEEPS = 4,    /* values of the moment can be asked for */
};

extern struct runtime_state *runtime_state;

#define runtime_local _Thread_local __attribute__((tls_model("initial-exec")))

/* The thread's record, NULL before its first event; in a new child of fork the parent's.
 */
extern runtime_local struct context_thread *runtime_self;

/* The thread is inside the library. What a signal handler says then is lost: what it
 * interrupted has not been done. A child of fork has one of its own. */
extern runtime_local uint32_t runtime_busy;

/* Counts an event that is lost since the thread is busy. */
void runtime_lose(void);

extern struct context_spool *runtime_spool;

/* A filter of system calls was installed: none is made any more, since it could kill the
 * program. What memory there is must do. */
extern bool runtime_sealed;

uint64_t runtime_clock_ns(void);
/* Ticks that are not the processor's. */
uint64_t runtime_other_ticks(void);

static inline uint64_t runtime_ticks(void)
{
	return likely(runtime_state->tsc) ? __rdtsc() : runtime_other_ticks();
}

/* A lock that spins and then yields: it is held for short whiles, and a fork in its
 * middle only needs it set to 0. Its holder takes no signals: a handler that came back to
 * the library would wait for ever, and so would all if it left by longjmp. */
struct runtime_lock {
	uint32_t taken;
	bool masked;
	uint64_t signals; /* that the holder had blocked before */
};
void runtime_lock(struct runtime_lock *lock);
void runtime_unlock(struct runtime_lock *lock);

/* No more system calls, once those of the holders of locks are through. */
void runtime_seal(void);

/* Memory of our own, all 0; NULL if there is none. */
void *runtime_map(size_t size);
void runtime_unmap(void *memory, size_t size);

/* The spool of this process, made in the folder; NULL: in memory, for nobody else to
 * read. False: none can be made. */
bool spool_open(const char *folder);
/* Where it is. */
const char *spool_path(void);
/* In a child of fork: a spool of its own takes the place of the parent's in memory, with
 * the strings and attributes that are known. False: there is none, and the parent's may
 * not be touched. */
bool spool_copy(const char *folder);
/* In a child of fork: another thread may have held the lock. */
void spool_resume(void);
/* A block, `run` of them together, with its head filled in and all else 0; NULL if there
 * is no room. */
struct context_block *spool_block(enum context_block_kind kind, uint32_t owner,
				  uint32_t run);
enum {
	/* Bytes of the spool that are mapped at a time: a huge page, which the kernel may
	 * fill and map in one go. */
	RUNTIME_SEGMENT = 2 << 20,
	RUNTIME_SEGMENTS_MAX = 8192,
};
extern char *runtime_segments[RUNTIME_SEGMENTS_MAX];

/* The block of this number in the file, which was given out. */
static inline void *spool_at(uint64_t number)
{
	const uint64_t blocks = RUNTIME_SEGMENT / CONTEXT_BLOCK;

	return runtime_segments[number / blocks] + number % blocks * CONTEXT_BLOCK;
}

/* Gives a block back that has a run of 1, or of SPOOL_RUN. */
void spool_free(struct context_block *block);
enum { SPOOL_RUN = 64 };
/* What a block has goes to the file and takes no memory of the process, until it is
 * looked at again; nothing where there is no file. */
void spool_release(struct context_block *block);

/* What is in memory goes to a file in the folder, where it stays however the process
 * ends, if no threads but so many have a record: nobody else may write meanwhile. False:
 * it stays in memory. */
bool spool_move(const char *folder, uint32_t threads);
/* All that was given out, in one piece of memory of runtime_map; NULL: there is none for
 * it. Other threads may go on. */
void *spool_gather(size_t *ret_size);

/* Where the string is if it is known, without a lock; 0 if it is not. */
uint64_t strings_find(const char *bytes, size_t size);
/* The string in the spool, kept once; its offset in the file. 0 if there is no room. */
uint64_t strings_intern(const char *bytes, size_t size);
static inline const struct context_string *strings_at(uint64_t offset)
{
	return (const void *)(runtime_segments[offset / RUNTIME_SEGMENT] +
			      offset % RUNTIME_SEGMENT);
}
/* In a child of fork: what the parent added since then is not this one's. `copied`: the
 * spool is, before that only the lock is let go. */
void strings_resume(bool copied);
/* Nothing is added meanwhile. */
void strings_hold(bool held);

/* The attribute if it is known, without a lock; 0 if it is not. */
uint32_t attributes_find(const char *name);
/* The attribute, made if it is new; 0 if there is no room. */
uint32_t attributes_create(const char *name, uint32_t type, uint32_t properties);
/* The same for the program itself, which from then on has said something. */
enum { ATTRIBUTES_MAX = 1 << 16 };
uint32_t attributes_tell(const char *text, uint32_t type, uint32_t properties);
bool attributes_told(void);
/* The same, as a program asks for it: what cannot be had is counted. */
trm_attribute attributes_make(const char *name, uint32_t type, uint32_t properties);
/* Whether a name is one that profiles can hold. */
bool attributes_can_be(const char *name);
/* NULL: no attribute of the process. */
const struct context_attribute *attributes_get(uint32_t attribute);
/* Whether its values are names of loops. */
bool attributes_is_loop(uint32_t attribute);
/* Whether its values are numbers of iterations: iteration#NAME. */
bool attributes_is_iteration(uint32_t attribute);
/* What is said of an attribute: that a key has a value for it. What was said first
 * counts. */
void attributes_say(uint32_t attribute, uint32_t key, uint64_t bits);
void attributes_each_said(void (*visit)(void *context, uint32_t attribute, uint32_t key,
					uint64_t bits),
			  void *context);
/* Whether one has the scope of a task. */
bool attributes_have_tasks(void);
void attributes_resume(bool copied);
void attributes_hold(bool held);

/* The child of a node, made if it is new; NULL if there is no room. */
struct context_node *tree_child(struct context_thread *thread, struct context_node *from,
				uint32_t attribute, uint64_t value);
/* The same; what is open in `from` need not be looked at. */
struct context_node *tree_key(struct context_thread *thread, struct context_node *from,
			      uint32_t attribute, uint64_t value);
/* The node that holds what was set of a metric in a context. */
struct context_node *tree_metric(struct context_thread *thread, struct context_node *from,
				 uint32_t attribute);
/* The nodes of a block, and of a thread's record. */
static inline struct context_node *tree_nodes_of(struct context_block *block)
{
	return (void *)((char *)block + context_nodes_at(block->kind));
}
/* All nodes of a thread, by number, in memory of runtime_map: at least `count` of them.
 * NULL: there is none. */
struct context_node **tree_nodes(const struct context_thread *thread, uint32_t count);
/* Room for the nodes of a new thread. */
bool tree_init(struct context_thread *thread);
/* Where the child of a node whose text lies at this place is noted: it may be another
 * one. NULL: no memory. */
struct context_node **tree_noted(struct context_thread *thread,
				 const struct context_node *from, const char *text);
/* The same where there is memory for it: thread->noted_mask is the table's slot_mask. */
static inline struct context_node **tree_noted_at(const struct context_thread *thread,
						  const struct context_node *from,
						  const char *text)
{
	uint64_t hash = (uintptr_t)text ^ (uint64_t)from->number << 32;

	hash = hash * 0x9e3779b97f4a7c15u >> 20;
	return &thread->noted[hash & thread->noted_mask];
}
/* The child of the current node that has this text, as far as it is at hand: the last
 * one, or where the thread has many nodes, the one that is noted for the text's place in
 * memory; NULL: it may be there all the same. */
struct context_node *tree_find_text(struct context_thread *thread, uint32_t attribute,
				    const char *bytes, uint32_t size);
/* The current node, which began in `from`, has the text. */
void tree_note_text(struct context_thread *thread, const struct context_node *from,
		    const char *bytes);
void tree_deinit(struct context_thread *thread);

/* The record of this thread, made at its first event; NULL if it cannot be had. The
 * thread is busy. */
struct context_thread *threads_self(void);
bool threads_init(void);
/* In a new process: the records of the parent's threads are not this one's. `own`: nor
 * is that of the thread that forked, which lies in the parent's spool. */
void threads_forget(bool own);
/* A new block for the thread's events; false: there is none, and the event is dropped. */
bool threads_more_events(struct context_thread *thread);

/* Values of the moment, of this thread; `now`: ticks. The thread is busy. */
struct moment {
	uint64_t bits;  /* as nodes have them */
	uint64_t began; /* ticks */
	bool set;
};
void values_keep(uint32_t attribute, uint64_t bits, uint64_t now);
void values_drop(uint32_t attribute);
/* NULL: it has none. Valid until the thread keeps another one. */
const struct moment *values_get(uint32_t attribute);
/* Numbers of attributes are less than this. */
uint32_t values_room(void);
void values_forget(void);
/* The same of the process; under a lock. */
void values_keep_process(uint32_t attribute, uint64_t bits);
void values_drop_process(uint32_t attribute);
bool values_get_process(uint32_t attribute, uint64_t *ret_bits);
/* Each that is set. */
void values_each_process(void (*visit)(void *context, uint32_t attribute, uint64_t bits),
			 void *context);
/* In a child of fork. `own_spool`: it has another one, for values_rewrite to write what
 * holds of the run to. */
void values_resume(bool own_spool);
void values_rewrite(void);

/* What channels see of an event. */
enum runtime_event_kind {
	RUNTIME_BEGIN = CONTEXT_SNAPSHOT_BEGIN,
	RUNTIME_END = CONTEXT_SNAPSHOT_END,
	RUNTIME_CHANGE = CONTEXT_SNAPSHOT_CHANGE,
	RUNTIME_SET = CONTEXT_SNAPSHOT_SET,
	RUNTIME_START = CONTEXT_SNAPSHOT_START,
	RUNTIME_UNSET = CONTEXT_SNAPSHOT_UNSET,
	RUNTIME_ITERATION = CONTEXT_SNAPSHOT_ITERATION,
	RUNTIME_PUSH = CONTEXT_SNAPSHOT_PUSH,
	RUNTIME_SAMPLE = CONTEXT_SNAPSHOT_SAMPLE,
	RUNTIME_RESUME = CONTEXT_SNAPSHOT_RESUME, /* in traces alone */
	RUNTIME_GIVEN = CONTEXT_SNAPSHOT_GIVEN,   /* in traces alone */
	RUNTIME_KEPT = CONTEXT_SNAPSHOT_KEPT,
	RUNTIME_DROPPED = CONTEXT_SNAPSHOT_DROPPED,
	RUNTIME_ADDED = CONTEXT_SNAPSHOT_ADDED,
	RUNTIME_BEGAN = CONTEXT_SNAPSHOT_KINDS, /* for those that tell the program */
};

struct runtime_event {
	enum runtime_event_kind kind;
	uint32_t attribute;          /* that the event is of; 0: of none */
	uint64_t value;              /* SET, UNSET: bits */
	struct context_node *before; /* current until now */
	struct context_node *node;   /* BEGIN, END, CHANGE: what began, or ended */
	uint64_t now;                /* ticks */
};
/* In the middle of an event of the thread. */
void channels_event(struct context_thread *thread, const struct runtime_event *event);
/* What the environment asks for; after the state is there. */
void channels_start(void);
/* A thread ends; `moved`: its nodes' last_child are those of the tree of ended threads,
 * which `ended` is. Returns whether its nodes must stay. */
bool channels_keep_nodes(const struct context_thread *thread);
void channels_end_thread(struct context_thread *thread, struct context_thread *ended);
/* In front of that, in any thread that ends: what services have for it is no longer
 * needed. */
void channels_leave_thread(void);
/* In a child of fork; behind that, when it records: others can see its channels. */
void channels_resume(void);
void channels_offer(void);
/* At the end of the process. */
void channels_finish(void);

/* Notes an end that does not fit what is open. */
void faults_note(const struct context_fault *fault);

/* In a child of fork, whose state was found empty: begins a spool of its own, with what
 * is open in this thread. False: nothing is recorded. */
bool runtime_resume(void);
/* What annotated modules find: see trammel/annotate.h. */
void trm_runtime_link(struct trm_link *link);
void trm_runtime_unlink(struct trm_link *link);

/* In a child of fork: another thread may have held the lock. */
void start_resume(void);
/* Finds what the program's calls are passed on to. */
void seal_init(void);

/* See trm_task_create and those behind it. */
struct trm_task *tasks_create(void);
struct trm_task *tasks_switch(struct trm_task *task);
void tasks_destroy(struct trm_task *task);
void tasks_end_thread(void);
void tasks_resume(void);

/* Around a fork: what is open in the thread is noted for the child. */
/* pthread_atfork of any C library: what a program links with its name is glibc's alone.
 * False: there is no memory. */
bool fork_handle(void (*prepare)(void), void (*parent)(void), void (*child)(void));
void fork_prepare(void);
void fork_parent(void);
void fork_child(void);
/* What was noted; nothing where the fork was not seen (a system call in assembly). */
void fork_enter_path(struct context_thread *thread);
/* At the end of a thread. */
void fork_forget(void);

/* Makes a folder for spools; NULL: it cannot be made. */
const char *alone_folder(void);
/* The same for a profile of all that is in it; children by exec know of it. */
const char *alone_begin(void);
/* Removes the folder, at the end of the process that made it; at that of another one its
 * own spool in it (`kept`). */
void alone_remove(bool kept);
/* At the end of the process that made it: writes the profile, and removes the folder. */
void alone_end(bool tracing);
/* The profile is written by somebody else. */
void alone_disown(void);
/* The process is one of many that run the same program. */
void alone_rank(uint32_t rank);
/* The command line, as a shell would need it. */
void alone_command(char *text, size_t size);

/* Links see whether something measures. */
void links_activate(bool active);

/* The state of the program is to be there for whoever asks for it, though nothing may
 * measure: without a spool for others, it is in memory. False: it cannot be had. */
bool start_host(void);
struct context_moment start_moment(void);
/* Others read what is recorded. */
bool start_has_spool(void);
/* Nanoseconds a tick, as far as both clocks went since then. */
double start_tick_ns(const struct context_moment *begin);
/* Who sees events from now on (enum runtime_watchers), and whether they want times. */
void start_watch(uint32_t watchers, bool timed);

/* For a slow way that looks at the thread's tree or at all channels: what a handler says
 * meanwhile is lost. NULL: the thread is inside already, or has no record. */
struct context_thread *events_enter(void);
/* The same for an event: it is counted where it is lost. */
struct context_thread *events_enter_event(void);
void events_leave(void);
/* Begin and end of a text, by an attribute that exists; `text`: 0-terminated. */
void events_begin_text(uint32_t attribute, const char *text);
void events_end_text(uint32_t attribute, const char *text);
/* The same for who is inside, of what a call of a function is: a node is ended, or what
 * took its place, and nothing that began in it. */
void events_begin_node(struct context_thread *thread, uint32_t attribute,
		       const char *text);
void events_end_node(struct context_thread *thread, const struct context_node *node,
		     uint32_t attribute, uint64_t value);
/* The thread, which is inside, is in another context from a moment on, not before its
 * last event; `ends`: what it was in ended then. Nothing begins. */
void events_move(struct context_thread *thread, struct context_node *to, bool ends,
		 uint64_t now);
/* Begin and end at a site: what a program's macros call. */
void sites_enter(struct trm_site *site);
void sites_leave(struct trm_site *site);
/* The same in any case; the thread is busy, and no longer so behind it. */
void events_enter_site(struct trm_site *site);
void events_leave_site(struct trm_site *site);
/* Traces an event that trace_short does not, and ends with that. */
void events_trace_last(struct context_thread *thread, enum context_event_kind kind,
		       uint32_t what, uint64_t ticks);
struct trm_value events_value(const struct context_attribute *attribute, uint64_t bits);
/* The innermost value; false: there is none. */
bool events_get(uint32_t attribute, struct trm_value *ret_value);

/* A value as nodes hold it: bits, or where the string is. False: there is no room, or the
 * attribute's type cannot hold it. */
bool events_bits(const struct context_attribute *attribute, const struct trm_value *value,
		 uint64_t *ret_bits);
/* Something that is open found no memory. */
void events_lose_memory(void);
/* Another context is the current one of the thread, as of then. */
void events_trace_move(struct context_thread *thread, uint64_t ticks);

extern const struct trm_api events_api;

#endif
