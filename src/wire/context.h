/*
 * The spool: the file in which a process records its own context. It is mapped and
 * shared, so that what was recorded is there however the process ends. The process writes
 * it (runtime/), and the maker of a profile reads it (context/).
 *
 * A spool is a sequence of blocks of CONTEXT_BLOCK bytes, each with a head of 64 bytes:
 *
 *     0           struct context_spool, a run of CONTEXT_HEAD_BLOCKS
 *     STRINGS     strings, each a struct context_string at a multiple of 8 bytes; a long
 *                 one has a run of blocks for itself, `run` of them, one head in front
 *     ATTRIBUTES  an array of struct context_attribute, numbered from 1
 *     THREAD      struct context_thread, CONTEXT_THREAD_SLOTS words of the process's own,
 *                 CONTEXT_THREAD_NODES nodes, and the first events
 *     NODES       an array of struct context_node, of the thread `owner`
 *     EVENTS      cells of events (enum context_event_kind), of the thread `owner`: what
 *                 has no place beside its record; `run` blocks with ascending `order`
 *     ROWS        an array of struct context_row: what threads left when they ended
 *     CHANNEL     struct context_channel: a measurement that the program makes of itself
 *     SUMS        rows of words, of a thread in a channel, one a node; `order` is the
 *                 number of the first one's node
 *     SNAPSHOTS   what a thread's trace in a channel has; `run` blocks with ascending
 *                 `order`
 *     GLOBALS     an array of struct context_global: what holds of the whole run
 *     MODULES     an array of struct context_module: where code is that call paths met
 *     FREE        nothing
 *
 * An item counts once `used` (or `node_count`) covers it, which is written after it.
 * Values of string attributes are offsets of strings in the file.
 */
#ifndef TRAMMEL_WIRE_CONTEXT_H
#define TRAMMEL_WIRE_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#define CONTEXT_MAGIC "TRMCTX\r\n"

enum context_sizes {
	CONTEXT_VERSION = 14,
	CONTEXT_BLOCK = 4 << 10, /* a page: a thread's first event pays for it */
	CONTEXT_HEAD_BLOCKS = 2,
	CONTEXT_FAULTS_MAX = 16,
	CONTEXT_PROGRAM_MAX = 4096,
	CONTEXT_THREAD_SLOTS = 64,
	CONTEXT_THREAD_NODES = 32,
};

enum context_block_kind {
	CONTEXT_FREE,
	CONTEXT_HEAD,
	CONTEXT_STRINGS,
	CONTEXT_ATTRIBUTES,
	CONTEXT_THREAD,
	CONTEXT_NODES,
	CONTEXT_EVENTS,
	CONTEXT_ROWS,
	CONTEXT_CHANNEL,
	CONTEXT_SUMS,
	CONTEXT_SNAPSHOTS,
	CONTEXT_GLOBALS,
	CONTEXT_MODULES,
	CONTEXT_KINDS
};

/* Properties of attributes beside the program's own: belongs to calls of MPI; describes
 * the region around it, and is not in channels; values are ticks, converted to
 * nanoseconds by readers; a configuration's property of the run. */
enum {
	CONTEXT_OF_MPI = 1 << 24,
	CONTEXT_DETAIL = 1 << 25,
	CONTEXT_OF_TICKS = 1 << 26,
	CONTEXT_OF_RUN = 1 << 27,
	CONTEXT_OF_LIBRARY =
		CONTEXT_OF_MPI | CONTEXT_DETAIL | CONTEXT_OF_TICKS | CONTEXT_OF_RUN,
};

struct context_block {
	uint32_t kind;
	uint32_t run; /* number of consecutive blocks that belong together; at least 1 */
	uint32_t owner; /* number of a thread, from 1; 0: the tree of ended threads */
	uint32_t used;  /* bytes of items behind the head */
	uint64_t order; /* among blocks of this kind and owner; of a FREE block: the next
			   one */
	uint64_t address; /* in the process's address space */
	uint64_t number;  /* in the file */
	uint64_t link;    /* the process's own */
	/* CHANNEL, SUMS, SNAPSHOTS: the channel; blocks with lower `clearing` are from
	 * before it was cleared. */
	uint32_t channel, clearing;
	uint64_t unused;
};

/* A moment on two clocks. */
struct context_moment {
	uint64_t ticks; /* clock of events */
	uint64_t ns;    /* CLOCK_MONOTONIC */
};

/* Ends that do not match their beginnings: reported once, with a count. */
struct context_fault {
	uint32_t attribute;         /* of the end */
	uint32_t open_attribute;    /* of the open region; 0: none was open */
	uint64_t value, open_value; /* `value` is 0 if the end does not have it */
	uint64_t count;
	uint64_t repaired; /* of these, ends whose beginning was found further out */
};

struct context_spool {
	struct context_block head;
	char magic[8];
	uint32_t version;
	uint32_t pid;
	uint32_t parent;
	uint32_t finished;         /* 1: the process ended regularly */
	uint64_t blocks;           /* blocks allocated, this one included */
	uint64_t ticks_per_second; /* 0: computed from the two moments */
	struct context_moment begin, end;
	uint64_t realtime_ns; /* of `begin` */
	uint64_t threads;     /* threads that ever recorded */
	uint64_t live_rows;   /* threads with rows of their own; see CONTEXT_ROWS */
	/* Events that are not recorded, by reason. */
	uint64_t lost_in_handlers, lost_for_memory, lost_for_type, lost_for_name;
	uint64_t overflows;     /* of sums of a metric, beyond 64 bits */
	uint64_t lost_children; /* forked processes that could not have a spool */
	uint32_t fault_count;
	/* 1: another process asked for a change of channels (context_channel.wanted);
	 * checked at each event that channels see. */
	uint32_t asked;
	struct context_fault faults[CONTEXT_FAULTS_MAX];
	char program[CONTEXT_PROGRAM_MAX]; /* path */
};

struct context_string {
	uint32_t size; /* bytes, without the 0 behind them */
	uint32_t hash;
	char bytes[];
};

struct context_attribute {
	uint32_t type;       /* enum trm_type of trammel/annotate.h */
	uint32_t properties; /* enum trm_property */
	uint64_t name;       /* a string */
};

enum context_node_flags {
	CONTEXT_METRIC =
		1, /* of a metric: holds the values that were set in the parent */
};

/* A node in the context tree of a thread: its parent, and attribute = value. */
struct context_node {
	struct context_node *parent; /* address in the process */
	union {
		struct context_node *last_child; /* address in the process */
		uint64_t least;                  /* METRIC: smallest value */
	};
	uint64_t value;
	uint32_t attribute;
	uint32_t number; /* in the thread, from 0 (the root) */
	uint32_t parent_number;
	uint32_t flags;
	uint64_t count; /* number of beginnings, or of values set */
	union {
		uint64_t ticks; /* exclusive time */
		uint64_t sum;
	};
	union {
		uint64_t began; /* ticks; of the last beginning */
		uint64_t most;
	};
};

struct context_thread {
	struct context_block head;
	/* Fields that every event touches: */
	struct context_node *node; /* the current one; root when nothing is open */
	uint64_t last;             /* ticks of the last event */
	uint64_t too_deep;         /* beginnings without a node, for lack of memory */
	uint32_t *event_at, *event_end; /* NULL: no trace, or no memory */
	uint64_t event_ticks;           /* of the last event in this block; 0: none */
	struct context_node **slots;    /* its nodes, by hash; see runtime/store/tree.c */
	uint64_t slot_mask;

	struct context_node *root, *node_at, *node_end;
	struct context_block *node_block;
	uint32_t number; /* from 1; 0: the tree of ended threads */
	uint32_t tid;
	uint32_t alive;
	uint32_t node_count;
	uint64_t order;   /* of its next block of events */
	uint64_t dropped; /* events lost for lack of memory */
	/* Nodes without a row at the end of the thread. As many nodes as it left rows,
	 * and these, are no longer needed. */
	uint64_t rowless;
	/* Nodes by the addresses of their texts: runtime/store/tree.c. */
	struct context_node **noted;
	uint64_t noted_mask;
	/* Ticks for which the tracer held the thread; the tracer adds to them: `last`,
	 * and `began` of open nodes, are moved as much. */
	uint64_t held;
} __attribute__((aligned(64))); /* so that a node fills a cache line */

/* A row of an ended thread for a node of the tree of ended threads. That tree's own
 * numbers are those of threads beyond the first CONTEXT_ROWS_MAX. */
struct context_row {
	uint32_t thread;
	uint32_t tid;
	uint64_t node;
	uint64_t count, ticks; /* METRIC: and sum */
	uint64_t least, most;  /* METRIC */
};

enum { CONTEXT_ROWS_MAX = 4096 }; /* threads */

/* The last value of an attribute with TRM_GLOBAL. */
struct context_global {
	uint32_t attribute;
	uint32_t set; /* 0: it was ended */
	uint64_t bits;
};

/* Look-ups of code addresses, by functions and debug information. */
enum context_look_up {
	CONTEXT_LOOK_FUNCTIONS = 1, /* source.function#NAME, a part of the path */
	CONTEXT_LOOK_PLACES = 2,    /* sourceloc#NAME, file:line */
	CONTEXT_LOOK_MODULES = 4,   /* module#NAME */
	CONTEXT_LOOK_INLINES = 8,   /* inlined functions, too */
	CONTEXT_LOOK_FILES = 16,    /* source.file#NAME */
	CONTEXT_LOOK_LINES = 32,    /* source.line#NAME */
	CONTEXT_LOOK_NAMES = 64,    /* callpath.regname: functions outside of the path */
	/* Look-ups that need the line tables of modules. */
	CONTEXT_LOOK_ROWS = CONTEXT_LOOK_PLACES | CONTEXT_LOOK_FILES | CONTEXT_LOOK_LINES,
};

struct context_module {
	uint64_t start, end; /* addresses in the process */
	uint64_t bias;       /* from these to those of the file */
	uint64_t path;       /* a string; 0: the program's own file */
};

/* Offset of the nodes in a THREAD or NODES block, in bytes. */
static inline uint64_t context_nodes_at(uint32_t kind)
{
	return kind == CONTEXT_NODES ? sizeof(struct context_block)
				     : sizeof(struct context_thread) +
					       CONTEXT_THREAD_SLOTS * sizeof(uint64_t);
}

/* Number of nodes for which such a block has room. */
static inline uint32_t context_nodes_room(uint32_t kind)
{
	return kind == CONTEXT_NODES ? (CONTEXT_BLOCK - sizeof(struct context_block)) /
					       sizeof(struct context_node)
				     : CONTEXT_THREAD_NODES;
}

/* Offset of the events in a THREAD or EVENTS block, in bytes. */
static inline uint64_t context_events_at(uint32_t kind)
{
	return kind == CONTEXT_EVENTS
		       ? sizeof(struct context_block)
		       : context_nodes_at(kind) +
				 CONTEXT_THREAD_NODES * sizeof(struct context_node);
}

/* Number of cells for which such a block has room. `run`: of an EVENTS block. */
static inline uint64_t context_events_room(uint32_t kind, uint64_t run)
{
	return ((kind == CONTEXT_EVENTS ? run : 1) * CONTEXT_BLOCK -
		context_events_at(kind)) /
	       sizeof(uint32_t);
}

_Static_assert(sizeof(struct context_spool) <= CONTEXT_HEAD_BLOCKS * CONTEXT_BLOCK &&
		       sizeof(struct context_node) == 64,
	       "each has its blocks, and a node is a line of the cache");

#endif
