/* Channels in a spool (wire/context.h): metrics, sums and snapshots. */
#ifndef TRAMMEL_WIRE_CONTEXT_CHANNEL_H
#define TRAMMEL_WIRE_CONTEXT_CHANNEL_H

#include "wire/context.h"

#include <stddef.h>
#include <stdint.h>

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

/* Tells whether a snapshot of a kind has a value. */
static inline int context_snapshot_has_value(uint32_t kind)
{
	return (kind >= CONTEXT_SNAPSHOT_SET && kind <= CONTEXT_SNAPSHOT_ITERATION) ||
	       kind == CONTEXT_SNAPSHOT_RESUME || kind >= CONTEXT_SNAPSHOT_GIVEN;
}

/* Returns the prefix of an attribute's name that names its events. NULL: the kind has no
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

_Static_assert(sizeof(struct context_channel) <= CONTEXT_BLOCK, "it has a block");

#endif
