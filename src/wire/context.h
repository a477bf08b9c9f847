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

/*
 * An event is a sequence of 32-bit cells. Most are short, one cell: bit 0 is 1; bit 1 is
 * 1 for an END, 0 for a BEGIN; 10 bits of `what`; 20 bits of ticks since the last event.
 * All others are long: a cell with bit 0 = 0, 3 bits of the kind, 28 of `what`; a cell of
 * ticks; two of the value, if there is one. If the ticks do not fit, and at the beginning
 * of blocks, a CONTEXT_EVENT_TIME comes first: a cell, and two of the time. The first
 * cell is written last: an event whose first cell is 0 does not count yet.
 */
enum context_event_kind {
	CONTEXT_EVENT_BEGIN = 1, /* what: number of the node that began */
	CONTEXT_EVENT_END,       /* what: number of the node that ended */
	CONTEXT_EVENT_MOVE,      /* what: number of the node that is now current */
	CONTEXT_EVENT_SET,       /* what: an attribute; with its value */
	CONTEXT_EVENT_CHANGE,    /* what: number of the node that replaced another */
	CONTEXT_EVENT_TIME,
};

enum context_event_cells {
	CONTEXT_CELLS_SHORT = 1,
	CONTEXT_CELLS_LONG = 2,
	CONTEXT_CELLS_TIME = 3,
	CONTEXT_CELLS_SET = 4,
	CONTEXT_CELLS_MOST = CONTEXT_CELLS_TIME + CONTEXT_CELLS_SET,
};

/* Properties of a channel's metrics. */
enum context_metric_flags {
	CONTEXT_METRIC_AT_END = 1, /* measured only for regions that end */
	CONTEXT_METRIC_KEY = 2,    /* part of the key of contexts: has no sums */
	CONTEXT_METRIC_TICKS = 4,  /* becomes nanoseconds */
	CONTEXT_METRIC_TRACED = 8, /* in each snapshot */
};

enum context_channel_says {
	CONTEXT_SAYS_NO_EVENTS = 1, /* trace records lack the event */
	CONTEXT_SAYS_MAIN = 2,      /* records say whether it was the main thread */
	CONTEXT_SAYS_SLOTS =
		4, /* sums: records have the order of first appearance of contexts */
	CONTEXT_SAYS_SNAPSHOTS = 8, /* sums: `count` counts snapshots, not ends */
	CONTEXT_SAYS_PTHREAD = 16,  /* records have the pthread id */
	CONTEXT_SAYS_HAPPENS = 32,  /* sums: records say what began, ended or was set */
};

/* In a trace, for a metric with CONTEXT_METRIC_KEY: no value. */
#define CONTEXT_NO_KEY UINT64_MAX

enum { CONTEXT_METRICS_MAX = 48, CONTEXT_CHANNEL_NAME = 64 };

struct context_channel {
	struct context_block head;
	struct context_moment begin;
	char name[CONTEXT_CHANNEL_NAME];
	uint32_t row_words; /* of SUMS */
	uint32_t row_shift; /* a block of SUMS has 1 << this rows */
	uint32_t metric_count;
	uint32_t flushed; /* 1: the process has written it itself */
	/* The attribute of call paths, which are below contexts; 0: none. */
	uint32_t path_attribute;
	uint32_t lookups; /* enum context_look_up: for its addresses, in profiles */
	uint32_t active;  /* the program has it active */
	uint32_t stopped; /* stopped from outside, which overrides `active` */
	/* The value of `stopped` that another process wants, and since when. The process
	 * applies it at its next event. */
	uint32_t wanted;
	uint32_t says; /* enum context_channel_says: contents of its records */
	uint64_t wanted_ticks;
	struct context_channel_metric {
		char name[CONTEXT_CHANNEL_NAME];
		uint32_t type;  /* enum trm_type */
		uint32_t flags; /* enum context_metric_flags */
	} metrics[CONTEXT_METRICS_MAX];
};

/* The words of a row of SUMS. A metric set by the program has a node of its own, with its
 * sums in place of the channel's first metric. */
enum context_sums {
	CONTEXT_SUMS_SNAPSHOTS, /* number of snapshots there */
	CONTEXT_SUMS_ENDS,      /* number of ends of the node */
	CONTEXT_SUMS_METRICS,   /* sum, smallest and largest of each */
	CONTEXT_SUMS_WORDS_MIN = CONTEXT_SUMS_METRICS + 3,
};

enum context_snapshot_kind {
	CONTEXT_SNAPSHOT_BEGIN,
	CONTEXT_SNAPSHOT_END,
	CONTEXT_SNAPSHOT_CHANGE,    /* replaced another node, or moved */
	CONTEXT_SNAPSHOT_SET,       /* a value without a region changed */
	CONTEXT_SNAPSHOT_START,     /* such a value began */
	CONTEXT_SNAPSHOT_UNSET,     /* such a value ended */
	CONTEXT_SNAPSHOT_ITERATION, /* of a loop that was begun with it */
	CONTEXT_SNAPSHOT_PUSH,      /* asked for by the program */
	CONTEXT_SNAPSHOT_SAMPLE,    /* a timer expired; recorded at the next event */
	CONTEXT_SNAPSHOT_RESUME, /* a mark: the thread was not measured before; value: the
				    ticks when the channel was started */
	CONTEXT_SNAPSHOT_GIVEN,  /* a mark: a value of the next snapshot only */
	CONTEXT_SNAPSHOT_KEPT,   /* a mark: SET or START of an attribute without snapshots
				  */
	CONTEXT_SNAPSHOT_DROPPED, /* a mark: UNSET of such an attribute */
	CONTEXT_SNAPSHOT_ADDED,   /* a mark: a value of the snapshot before only */
	CONTEXT_SNAPSHOT_KINDS
};

/* A snapshot is a sequence of words: ticks; `what`; for kinds SET to ITERATION, and
 * marks, the bits of the value; each TRACED metric. `what` is the kind and two numbers of
 * CONTEXT_SNAPSHOT_BITS each: the node that was current before; and the node of the event
 * or, for SET to ITERATION and GIVEN to ADDED, the attribute. */
enum { CONTEXT_SNAPSHOT_WORDS = 2, CONTEXT_SNAPSHOT_BITS = 28 };

static inline int context_snapshot_has_value(uint32_t kind)
{
	return (kind >= CONTEXT_SNAPSHOT_SET && kind <= CONTEXT_SNAPSHOT_ITERATION) ||
	       kind == CONTEXT_SNAPSHOT_RESUME || kind >= CONTEXT_SNAPSHOT_GIVEN;
}

/* The prefix of an attribute's name that names its events. NULL: the kind has no
 * attribute. */
static inline const char *context_snapshot_prefix(uint32_t kind)
{
	switch (kind) {
	case CONTEXT_SNAPSHOT_BEGIN:
	case CONTEXT_SNAPSHOT_START:
	case CONTEXT_SNAPSHOT_ITERATION:
		return "event.begin#";
	case CONTEXT_SNAPSHOT_END:
	case CONTEXT_SNAPSHOT_UNSET:
		return "event.end#";
	case CONTEXT_SNAPSHOT_CHANGE:
	case CONTEXT_SNAPSHOT_SET:
		return "event.set#";
	default:
		return NULL;
	}
}

/* Whether a BEGIN or END fits a short event. */
static inline int context_event_is_short(uint32_t what, uint64_t ticks)
{
	return !(ticks >> 20 | what >> 10);
}

static inline uint32_t context_event_short(enum context_event_kind kind, uint32_t what,
					   uint64_t ticks)
{
	return (uint32_t)ticks << 12 | what << 2 | (kind == CONTEXT_EVENT_END) << 1 | 1;
}

static inline uint32_t context_event_long(enum context_event_kind kind, uint32_t what)
{
	return what << 4 | (uint32_t)kind << 1;
}

struct context_event_head {
	enum context_event_kind kind; /* 0: no event */
	uint32_t what;
	uint32_t ticks; /* of a short event */
	int is_short;
};

static inline struct context_event_head context_event_head(uint32_t cell)
{
	if (cell & 1)
		return (struct context_event_head){cell & 2 ? CONTEXT_EVENT_END
							    : CONTEXT_EVENT_BEGIN,
						   cell >> 2 & 0x3ff, cell >> 12, 1};
	return (struct context_event_head){(enum context_event_kind)(cell >> 1 & 7),
					   cell >> 4, 0, 0};
}

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
		       sizeof(struct context_channel) <= CONTEXT_BLOCK &&
		       sizeof(struct context_node) == 64,
	       "each has its blocks, and a node is a line of the cache");

#endif
