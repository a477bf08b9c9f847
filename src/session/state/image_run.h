/* Program images, and the counts of each. */
#ifndef TRAMMEL_SESSION_STATE_IMAGE_RUN_H
#define TRAMMEL_SESSION_STATE_IMAGE_RUN_H

#include "base/table.h"
#include "base/vector.h"
#include "code/count/edges.h"
#include "session/state/tool_rows.h"
#include "session/state/value_tables.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Count of one slot. A program image is a process from exec (or fork) to exec or exit;
 * the profile has the counts of each. */
struct image_count {
	uint32_t interval; /* index in window.intervals */
	uint32_t thread;   /* tid; 0: threads are not told apart */
	uint32_t phase;    /* enum arena_phase; 0: phases are not told apart */
	uint32_t file;     /* index in session.files */
	uint32_t slot;     /* in plan: of the function */
	uint64_t count;
};
struct image_counts VECTOR(struct image_count);
/* Number of calls of a function from one place without a counter of its own. */
struct image_arc {
	uint32_t interval, thread, phase; /* as of counts */
	uint32_t file;                    /* index in session.files */
	uint32_t function;                /* in its plan */
	uint32_t from;                    /* file of the place; UINT32_MAX: not known */
	/* Link-time return address of the call; 0: not known. In a mark, as banks have
	 * it: the run-time address. */
	uint64_t site;
	uint64_t count;
};
struct image_arcs VECTOR(struct image_arc);
/* Call path of a function: the path of its caller, and the function. The first context
 * of an image is the root. */
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
	uint32_t calls; /* row of image_graph.calls with all calls of the function */
	/* Contents of the image's banks at the last look, and all that was ever found
	 * there, including times when counting was off. */
	struct image_context_sums mark, all;
};
/* Sums of a context that go into the profile. */
struct image_context_count {
	uint32_t interval; /* as in struct image_count */
	uint32_t context;
	struct image_context_sums sums;
};
/* Copy of the fields of a struct wire_graph_node of one bank. A copied bank has its
 * nodes from number 1 on, and its leaves behind them. */
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
	struct image_arcs calls; /* calls of each function by each thread, over all
				    contexts */
	struct table by_function;
};
/* What probes keep in tables: see collect/probes/tables.h. */
enum {
	IMAGE_PROBE_ALL = UINT32_MAX,         /* row: all of the keys */
	IMAGE_PROBE_LOSSES = UINT32_MAX - 1,  /* of no keys: what is missing */
	IMAGE_PROBE_EXTREME = UINT32_MAX - 2, /* likewise: the least or largest value */
};
enum { IMAGE_PROBE_KEYS = 4, IMAGE_PROBE_VALUES = 6 };
struct image_probe_total {
	uint64_t hits, value; /* LOSSES: without room, and unreadable */
};
struct image_probe_sum {
	uint32_t thread; /* 0: threads are not told apart */
	uint32_t action; /* its number in the program of probes */
	uint32_t row;    /* of a histogram; IMAGE_PROBE_ALL: all of these keys;
			    IMAGE_PROBE_LOSSES: of no keys */
	uint32_t texts;  /* bits: keys that are numbers in image_probes.texts */
	uint32_t phase;  /* as in struct image_count */
	uint64_t keys[IMAGE_PROBE_KEYS];
	struct image_probe_total mark; /* at the last look */
};
struct image_probe_count {
	uint32_t interval; /* as in struct image_count */
	uint32_t sum;
	struct image_probe_total total;
};
struct image_probe_record {
	uint32_t interval, thread, phase, action, texts;
	uint64_t ns; /* since the run began */
	uint64_t values[IMAGE_PROBE_VALUES];
};
/* Copy of the tables of one bank, arrays as in struct wire_probes. */
struct image_probes_copy {
	uint32_t thread, tid;
	const struct bank *bank;
	uint64_t entry_count, row_count, text_size, record_count;
	void *entries, *rows, *texts, *records, *losses;
};
struct image_probes {
	struct string_table texts;
	struct VECTOR(struct image_probe_sum) sums;
	struct table by_key;
	struct VECTOR(struct image_probe_count) counts;
	struct VECTOR(struct image_probe_record) records;
	struct VECTOR(struct image_probes_copy) copies;
};
/* Cost of the probes of call graphs, in ticks for each call: of a timed call between
 * the two readings of the clock, and before and after; of an untimed call; and of a
 * call whose return is not seen. */
struct callgraph_cost {
	double inside, outside, untimed, leaf;
};
/* See session/position/residues.h. */
struct image_residue {
	uint32_t interval, thread, phase; /* as in struct image_count */
	uint32_t file;                    /* index in session.files */
	struct edges_residue residue;
};
struct image_run {
	uint32_t number; /* from 1 on */
	pid_t pid, parent;
	char *program;     /* path */
	char *name;        /* name by which it was executed, or its beginning; NULL:
			      not known */
	uint64_t start_ns; /* clock_now_ns() when it began */
	uint32_t threads;  /* threads that ever existed */
	char state[32];    /* "exited 0", ...: see docs/profile.md */
	char *reason;      /* reason why it was not measured, or not to the end; NULL:
			      it was */
	bool started; /* the exec was seen: it is the program, not trammel's own code */
	bool ended;
	bool hidden;    /* belongs to a process that was not to be followed */
	uint32_t slice; /* part of the run that is counted now: 1 + the interval's
			   index; 0: nothing is counted */
	struct image_counts counts; /* counts for the profile */
	struct image_arcs arcs;     /* calls by call site for the profile */
	struct image_counts mark;   /* contents of its banks at the last look */
	struct image_arcs arc_mark; /* calls by call site at the last look */
	struct image_graph graph;
	struct image_probes probes;
	struct tool_rows tool_rows;
	struct value_tables values;
	struct VECTOR(struct image_residue) residues;
	struct VECTOR(uint32_t) files;   /* indices in session.files of modules that it
					    had */
	struct VECTOR(uint32_t) refused; /* indices of modules for which memory was
					    short */
};

/* Key of the group to which a row of any kind belongs. */
struct group_key {
	uint32_t interval, thread, phase, file; /* as in struct image_count */
};

#define GROUP_KEY_OF(row)                                                                \
	((struct group_key){(row)->interval, (row)->thread, (row)->phase, (row)->file})

/* Compares keys in the order in which groups are saved; returns as for qsort. */
static inline int group_compare(struct group_key a, struct group_key b)
{
	if (a.interval != b.interval)
		return a.interval < b.interval ? -1 : 1;
	if (a.thread != b.thread)
		return a.thread < b.thread ? -1 : 1;
	if (a.phase != b.phase)
		return a.phase < b.phase ? -1 : 1;
	return a.file < b.file ? -1 : a.file > b.file;
}

#endif
