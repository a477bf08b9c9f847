/*
 * Writing a profile: what fold.c, fold_arcs.c and fold_skips.c have in common.
 */
#ifndef TRAMMEL_SESSION_PROFILE_SAVING_H
#define TRAMMEL_SESSION_PROFILE_SAVING_H

#include "base/table.h"
#include "code/count/edges.h"
#include "record/record.h"
#include "record/trm.h"
#include "session/state/session.h"

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

/* Writes a record of the interval and the thread that are being saved, if those are told
 * apart: `pairs` has room for SAVING_MORE more. */
enum { SAVING_MORE = 2 };

/* What one module of an image counted. */
struct saving_tally {
	const struct image_run *image;
	struct module_file *file;
	uint64_t *counters;               /* by slot */
	const struct image_count *counts; /* those that are not 0 */
	const struct image_arc *arcs;     /* that have no counter */
	size_t count_count, arc_count;
};

/* The counts of one module of an image, as they are saved. */
struct module_counts {
	const struct image_run *image;
	const struct module_file *file;
	const uint64_t *counters;
	struct edges_residues residues;
};

/* Sets a pair to a number. Member by member, for records of which there are many:
 * compilers make other pairs elsewhere and copy them in larger pieces, for which
 * processors wait. */
static inline void saving_set_number(struct record_pair *pair, record_attribute attribute,
				     enum record_type type, uint64_t number)
{
	pair->attribute = attribute;
	pair->value.type = type;
	pair->value.size = 0;
	pair->value.u = number;
}

#endif
