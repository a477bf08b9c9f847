/* Writing of the counts of images as a profile: see docs/profile.md. */
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
	record_attribute path_in, path_number, path_total, path_blocks, path_end;
	record_attribute path_instructions, path_count, path_steps, path_reason;
	record_attribute caller_path, caller, caller_offset;
	record_attribute arc_site, arc_kind, arc_count;
	record_attribute graph_path, graph_offset, graph_function;
	record_attribute graph_calls, graph_inclusive, graph_exclusive;
	record_attribute interval, interval_start, interval_end, thread, region;
};

/* Values of a function that take long to make and are used by many records. */
struct profile_writer_function {
	char *name;       /* as profiles have it */
	record_node node; /* 0: not made yet */
};

struct code_places;

struct profile_writer {
	struct session *session;
	struct record_model *model;
	struct trm_writer *writer;
	struct names names;
	record_node *module_nodes; /* of each file; 0: not made yet */
	struct table known;        /* numbers of `functions`, by struct plan_function */
	struct VECTOR(struct profile_writer_function) functions;
	/* Interval, thread and phase whose counts are being saved. */
	uint32_t interval, thread, phase;
	struct table entering; /* calls of the current image: see call_sites_save */
	struct callgraph_cost graph_cost;
	struct code_places *code_places;
};

/* Writes a record of the interval and the thread that are being saved, if those are told
 * apart: `pairs` has room for PROFILE_WRITER_MORE more. */
enum { PROFILE_WRITER_MORE = 2 };

/* Counts of one module of an image. */
struct profile_writer_tally {
	const struct image_run *image;
	struct module_file *file;
	uint64_t *counters;               /* by slot */
	const struct image_count *counts; /* counters that are not 0 */
	const struct image_arc *arcs;     /* call sites without a counter */
	size_t count_count, arc_count;
};

/* Counts of one module of an image, as they are saved. */
struct module_counts {
	const struct image_run *image;
	const struct module_file *file;
	const uint64_t *counters;
	struct edges_residues residues;
};

/* Sets a pair to a number. Writes each member by itself, as many records need this:
 * compilers would otherwise make the pair elsewhere and copy it in larger pieces, for
 * which processors wait. */
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

/* Returns the node of a function, below that of its module. */
record_node profile_writer_function_node(struct profile_writer *writer,
					 const struct module_file *file,
					 const struct plan_function *function);

/* Returns the name that profile_writer_function_name gives; the caller frees it. */
char *profile_writer_make_name(const struct module_file *file,
			       const struct plan_function *function);

/* Returns the name of a function as profiles have it, valid as
 * long as the writer. */
const char *profile_writer_function_name(struct profile_writer *writer,
					 const struct module_file *file,
					 const struct plan_function *function);

/* Returns whether something was written of a function. */
bool profile_writer_knows(const struct profile_writer *writer,
			  const struct plan_function *function);

/* Returns the words of a command line quoted as a shell needs them; the caller frees
 * the text. */
char *profile_writer_command(const char *const *words);

/* How a process ended: "3" and "exited 3", or "SIGKILL" and "killed by SIGKILL". */
struct profile_end {
	char exit[32], state[48];
};

/* Writes a status of waitpid to *ret_end. */
void profile_writer_describe_end(int status, struct profile_end *ret_end);

/* Writes a status of waitpid as "0", "3" or "SIGKILL" to `text`, at most `size` bytes. */
void profile_writer_describe_exit(int status, char *text, size_t size);

/* Writes a global of the profile. */
struct trm_error *profile_writer_global(struct profile_writer *writer, const char *name,
					struct record_value value);

/* Returns a node below `node` for the phase whose counts are being saved, or `node` where
 * phases are not told apart. */
record_node profile_writer_in_phase(struct profile_writer *writer, record_node node);

void profile_writer_write(struct profile_writer *writer, record_node node,
			  struct record_pair *pairs, size_t count);

/* Writes the profile of all counts so far to `path`, whole or not at all. */
struct trm_error *profile_writer_save(struct session *session, const char *path);

/* Returns whether a profile has counts of a function's blocks. Blocks of a cold part
 * are written in the same way as the rest of its function, or not at all. */
bool profile_writer_is_told(const struct plan *plan,
			    const struct plan_function *function);

/* Number that a measurement found for a function, and the name of its attribute. */
struct profile_writer_number {
	const char *name;
	uint64_t number;
};
enum { PROFILE_WRITER_NUMBERS_MAX = 8 };

/* Writes a record with the nonzero ones among the first `count` numbers of a function
 * (not of a part of one). Readers add up the records of one function. */
void profile_writer_numbers(struct profile_writer *writer,
			    const struct module_counts *from,
			    const struct plan_function *function,
			    const struct profile_writer_number *numbers, size_t count);

#endif
