/*
 * Writing a profile: what fold.c, fold_arcs.c and fold_skips.c have in common.
 */
#ifndef TRAMMEL_SESSION_SAVING_H
#define TRAMMEL_SESSION_SAVING_H

#include "base/table.h"
#include "record/record.h"
#include "record/trm.h"
#include "session/session.h"

/* The attributes of function profiles. */
struct names {
	record_attribute process, parent, program, image, threads, state, reason;
	record_attribute module, path, build_id, known, instrumented;
	record_attribute function, offset, calls, skip_reason, part, part_reason;
	record_attribute block, block_size, block_instructions, count, stayed;
	record_attribute edge, edge_from, edge_to, edge_kind, flow_fault;
	record_attribute caller_path, caller, caller_offset;
	record_attribute arc_site, arc_kind, arc_count;
	record_attribute graph_path, graph_offset, graph_function;
	record_attribute graph_calls, graph_inclusive, graph_exclusive;
	record_attribute interval, interval_start, interval_end, thread;
};

/* What it takes a while to make, and many records have. */
struct saving_function {
	char *name;       /* as profiles have it */
	record_node node; /* 0: not made yet */
};

struct saving {
	struct session *session;
	struct record_model *model;
	struct trm_writer *writer;
	struct names names;
	record_node *module_nodes; /* of each file; 0: not made yet */
	struct table known;        /* numbers of `functions`, by struct plan_function */
	struct VECTOR(struct saving_function) functions;
	uint32_t interval, thread; /* whose counts are being saved */
	struct table entering;     /* of the image that is being saved: see saving_arcs */
	struct callgraph_cost graph_cost;
};

record_node saving_module_node(struct saving *saving, const struct module_file *file);

/* The node of a function, below that of its module. */
record_node saving_function_node(struct saving *saving, const struct module_file *file,
				 const struct plan_function *function);

/* What saving_function_name gives; the caller frees. */
char *saving_make_name(const struct module_file *file,
		       const struct plan_function *function);

/* The name of a function as profiles have it, until saving_forget_names. */
const char *saving_function_name(struct saving *saving, const struct module_file *file,
				 const struct plan_function *function);

void saving_forget_names(struct saving *saving);

/* The words of a command line as a shell would need them; the caller frees. */
char *saving_command(const char *const *words);

/* "0", "3", "SIGKILL": a status of waitpid. */
void saving_describe_exit(int status, char *text, size_t size);

/* Writes a global of the profile. */
struct trm_error *saving_global(struct saving *saving, const char *name,
				struct record_value value);

/* Writes a record of the interval and the thread that are being saved, if those are told
 * apart: `pairs` has room for SAVING_MORE more. */
enum { SAVING_MORE = 2 };
void saving_write(struct saving *saving, record_node node, struct record_pair *pairs,
		  size_t count);

/* What one module of an image counted. */
struct saving_tally {
	const struct image_run *image;
	struct module_file *file;
	uint64_t *counters;               /* by slot */
	const struct image_count *counts; /* those that are not 0 */
	const struct image_arc *arcs;     /* that have no counter */
	size_t count_count, arc_count;
};

/*
 * Writes records of all arcs. Where calls of functions have no counters, they become the
 * sums of these; where they have, the rest came from places that are not known. But a
 * thread that was between the two counters when an interval ended is of the call that an
 * earlier interval has: `saving.entering` says how many those are, for what is saved in
 * the order of intervals. Functions with arcs are marked in `seen`, one bit each.
 */
void saving_arcs(struct saving *saving, const struct saving_tally *tally, uint64_t *seen);

/* Writes records of functions that were not instrumented, and of cold parts without
 * counts of blocks. */
void saving_skips(struct saving *saving, const struct module_file *file);

#endif
