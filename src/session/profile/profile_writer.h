/* Counts of images become a profile: see docs/profile.md. */
#ifndef TRAMMEL_SESSION_PROFILE_PROFILE_WRITER_H
#define TRAMMEL_SESSION_PROFILE_PROFILE_WRITER_H

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
struct profile_writer_function {
	char *name;       /* as profiles have it */
	record_node node; /* 0: not made yet */
};

struct profile_writer {
	struct session *session;
	struct record_model *model;
	struct trm_writer *writer;
	struct names names;
	record_node *module_nodes; /* of each file; 0: not made yet */
	struct table known;        /* numbers of `functions`, by struct plan_function */
	struct VECTOR(struct profile_writer_function) functions;
	uint32_t interval, thread; /* whose counts are being saved */
	struct table entering; /* of the image that is being saved: see call_sites_save */
	struct callgraph_cost graph_cost;
};

/* Writes a record of the interval and the thread that are being saved, if those are told
 * apart: `pairs` has room for PROFILE_WRITER_MORE more. */
enum { PROFILE_WRITER_MORE = 2 };

/* What one module of an image counted. */
struct profile_writer_tally {
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

record_node profile_writer_module_node(struct profile_writer *writer,
				       const struct module_file *file);

/* The node of a function, below that of its module. */
record_node profile_writer_function_node(struct profile_writer *writer,
					 const struct module_file *file,
					 const struct plan_function *function);

/* What profile_writer_function_name gives; the caller frees. */
char *profile_writer_make_name(const struct module_file *file,
			       const struct plan_function *function);

/* The name of a function as profiles have it, until profile_writer_forget_names. */
const char *profile_writer_function_name(struct profile_writer *writer,
					 const struct module_file *file,
					 const struct plan_function *function);

void profile_writer_forget_names(struct profile_writer *writer);

/* The words of a command line as a shell would need them; the caller frees. */
char *profile_writer_command(const char *const *words);

/* "0", "3", "SIGKILL": a status of waitpid. */
void profile_writer_describe_exit(int status, char *text, size_t size);

/* Writes a global of the profile. */
struct trm_error *profile_writer_global(struct profile_writer *writer, const char *name,
					struct record_value value);

void profile_writer_write(struct profile_writer *writer, record_node node,
			  struct record_pair *pairs, size_t count);

/* Writes the profile of what was counted until now, whole or not at all. */
struct trm_error *profile_writer_save(struct session *session, const char *path);

/* Whether a profile has counts of a function's blocks. Those of a cold part are written
 * in the same way as those of the rest of its function, or not at all. */
bool profile_writer_is_told(const struct plan *plan,
			    const struct plan_function *function);

/* A number that a measurement has of a function, by the name of its attribute. */
struct profile_writer_number {
	const char *name;
	uint64_t number;
};
enum { PROFILE_WRITER_NUMBERS_MAX = 8 };

/* Writes a record with those of the first `count` numbers of a function (not of a part of
 * one) that are not 0. Readers add up the records of one function. */
void profile_writer_numbers(struct profile_writer *writer,
			    const struct module_counts *from,
			    const struct plan_function *function,
			    const struct profile_writer_number *numbers, size_t count);

#endif
