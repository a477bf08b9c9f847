/* A profile as reports show it; docs/profile.md describes the contents of the file.
 * Loading sums records by function and process image; selecting sums the part that a
 * report covers. */
#ifndef TRAMMEL_REPORT_PROFILE_H
#define TRAMMEL_REPORT_PROFILE_H

#include "base/error.h"
#include "base/table.h"
#include "base/vector.h"
#include "record/record.h"

#include <stdbool.h>
#include <stdint.h>

enum { REPORT_NONE = UINT32_MAX };

struct report_global {
	const char *name;
	struct record_value value;
};

/* One run of a program. A merged or concatenated profile has several. */
struct report_run {
	struct VECTOR(struct report_global) globals;
};

/* A process from its start or exec on, up to its next exec or end. */
struct report_image {
	uint32_t run;        /* index in profile.runs */
	uint64_t number;     /* as in the file */
	bool described;      /* there was a process record */
	uint64_t process;    /* pid */
	uint64_t parent;     /* pid; 0: not known */
	uint64_t threads;    /* 0: not known */
	const char *program; /* path; "" if not known, as the next two */
	const char *state;
	const char *reason; /* why it was not, or not wholly, measured */
	/* Set by selecting: */
	bool selected;
	uint64_t functions, calls, instructions;
};

struct report_module {
	const char *name, *path, *build_id; /* build_id: "" if unknown */
	bool ambiguous; /* modules with other paths have the same name */
	/* Set by selecting: */
	bool selected, loaded;         /* loaded by a selected image */
	uint64_t known, instrumented;  /* functions; the most that an image had */
	uint64_t functions, calls;     /* functions executed */
	uint64_t blocks, instructions; /* executed blocks, and instructions in them */
	const char *reason; /* why nothing was counted in some of the images, or NULL */
	size_t unmeasured;  /* images with a reason */
};

struct report_function {
	uint32_t module;
	uint64_t offset;                   /* link-time address */
	const char *name;                  /* demangled */
	uint32_t first_block, block_count; /* in profile.blocks */
	uint32_t first_edge, edge_count;   /* in profile.edges */
	/* Set by selecting: */
	bool executed;
	uint64_t calls;
	/* With profile.exits: number of returns, and of jumps to another function. */
	uint64_t returned, tail_calls;
	uint64_t blocks;       /* executed; 0: they were not counted */
	uint64_t instructions; /* executed in them */
	/* In profiles of call graphs: time in the function alone, and with its callees
	 * (recursion counted once). */
	bool timed; /* else its time is its callers' */
	uint64_t ns, inclusive_ns;
};

/* Computes the number of calls of a function that neither returned nor jumped to
 * another function: left by an exception or longjmp, or still running. */
static inline uint64_t report_left_otherwise(const struct report_function *function)
{
	const uint64_t left = function->returned + function->tail_calls;

	return function->calls > left ? function->calls - left : 0;
}

/* A function in one image. */
struct report_count {
	uint32_t function, image;
	uint64_t calls, returned, tail_calls;
};

/* A basic block in one image, or in all that are selected. */
struct report_block {
	uint32_t function, image;
	uint32_t size, instructions; /* bytes, instructions */
	uint64_t address;            /* of its first instruction */
	uint64_t count;
	int64_t stayed; /* how often it was entered less how often it was left, where that
			   was measured */
};

/* A way from one block to another, in one image, or in all that are selected. */
struct report_edge {
	uint32_t function, image;
	uint64_t from, to; /* addresses of the blocks; `to` 0: out of the function */
	uint64_t address;  /* of the instruction that it leaves */
	const char *kind;  /* "jump", "next", "switch", "leave"; others are as good */
	bool open; /* its count is unknown: it cannot be told from a branch that is not an
		      edge */
	uint64_t count;
};

/* A function in one image whose counters contradict each other. */
struct report_fault {
	uint32_t function, image;
	uint64_t address; /* address of the block where the contradiction was found */
};

/* Calls of a function from one place, in one image or in all that are selected. */
enum { REPORT_UNKNOWN = UINT32_MAX };
struct report_arc {
	uint32_t function, image;
	uint32_t caller;        /* index in profile.functions, or REPORT_UNKNOWN */
	uint32_t caller_module; /* REPORT_UNKNOWN: not known, as all of the place is */
	uint64_t site;          /* address of the instruction; 0: not known */
	const char *kind;       /* see docs/profile.md */
	uint64_t count;
};

/* A region that the program named, inside of its outer regions; or a call of a
 * function, inside of the calls that led to it. */
enum { REPORT_REGION_DEPTH = 1024 }; /* paths are cut there */
struct report_region {
	uint32_t parent; /* index of the outer region, smaller than its own; REPORT_NONE:
			    none */
	uint32_t depth;
	const char *attribute, *label;
	uint32_t function; /* of a call, in profile.functions; REPORT_NONE */
	bool timed;        /* a record said how long it took */
	/* Set by selecting: */
	uint64_t count, ns, inclusive_ns; /* `ns`: in it and in no other inside */
};

struct report_region_count {
	uint32_t region, image;
	bool timed;
	uint64_t count, ns;
	uint64_t interval; /* number; 0: they are not told apart */
};

/* Parents stand before their children. */
struct report_tree {
	struct VECTOR(struct report_region) nodes;
	struct VECTOR(struct report_region_count) counts;
	struct table by_node; /* nodes of the file, while it is loaded */
	/* Set by selecting: */
	uint64_t ns; /* in all of it */
};

/* A part of the runs with separate counts; intervals of several runs with one number
 * are counted together. */
struct report_interval {
	uint64_t number;
	uint64_t start_ns, end_ns; /* since the run began */
	/* Set by selecting: */
	uint64_t calls, instructions;
	uint64_t regions; /* how often any began */
};

/* A thread of an image, where threads are told apart. */
struct report_thread {
	uint32_t image;
	uint64_t number; /* tid */
	/* Set by selecting: */
	bool selected;
	uint64_t calls, instructions;
};

/* Counts of one module in one image, in an interval or a thread. */
struct report_part {
	uint32_t interval, thread; /* indices; REPORT_NONE: not told apart */
	uint32_t image, module;
	uint64_t calls, instructions;
};

/* A module in one image. */
struct report_load {
	uint32_t module, image;
	uint64_t known, instrumented;
	const char *reason; /* why nothing, or not all, of it was counted; "" */
};

/* Code without counts: a function, or a part of one that the compiler has moved
 * elsewhere. */
struct report_skip {
	uint32_t function; /* for a part: the function that branches there, or the part
			      itself */
	uint64_t address;  /* of the function, or the part */
	const char *reason;
};
struct report_skips VECTOR(struct report_skip);

struct report_profile {
	struct VECTOR(struct report_run) runs; /* at least one */
	struct VECTOR(struct report_image) images;
	struct VECTOR(struct report_module) modules;
	struct VECTOR(struct report_function) functions;
	struct VECTOR(struct report_count) counts;
	struct VECTOR(struct report_block) blocks; /* by function, address, image */
	struct VECTOR(struct report_arc) arcs;     /* by function, place, image */
	/* By function, from, to, kind, image; edges of count 0 are branches that were
	 * never taken. */
	struct VECTOR(struct report_edge) edges;
	struct VECTOR(struct report_fault) faults;
	struct report_tree regions;
	struct report_tree graph;                        /* of calls in their contexts */
	struct VECTOR(struct report_interval) intervals; /* by number; usually empty */
	struct VECTOR(struct report_thread) threads;     /* usually empty */
	struct VECTOR(struct report_part) parts;
	struct VECTOR(struct report_load) loads;
	struct report_skips skips;
	struct report_skips cold_parts; /* without counts of blocks */
	struct string_table strings;    /* owns every string here */
	bool coverage;                  /* no run counted calls */
	bool exits;                     /* it is known how functions were left */
	char *warning;                  /* about the file; NULL: none */
	/* Set by selecting: */
	uint64_t calls;
	uint64_t instructions; /* executed in blocks */
	size_t executed;       /* functions */
	size_t counted;        /* executed functions with block counts */
	size_t executed_blocks, passed_edges;
	size_t faulty; /* rows of `faults` */
};

/* Loads a profile. Errors: those of trm_read, and TRM_ERROR_FORMAT if the file is
 * empty. The caller destroys the profile. */
struct trm_error *report_profile_load(const char *path,
				      struct report_profile **ret_profile);
/* Loads a profile with the counts of one interval only; an error (TRM_ERROR_USAGE) if
 * the profile does not have it. */
struct trm_error *report_profile_load_interval(const char *path, uint64_t number,
					       struct report_profile **ret_profile);
/* Loads a profile without arcs and edges, which may be most of its size. */
struct trm_error *report_profile_load_short(const char *path,
					    struct report_profile **ret_profile);
void report_profile_destroy(struct report_profile *profile);

/* The error for a file that has a head and nothing else. */
struct trm_error *report_error_empty(const char *path);

/* The part of a profile that a report covers. */
struct report_filter {
	bool one_process;
	uint64_t process;   /* pid, if one_process */
	uint64_t interval;  /* that is loaded; 0: all */
	const char *module; /* glob for the name or path; NULL: all */
};

/* Sums the counts that the filter lets through, into the fields marked "Set by
 * selecting". Error (TRM_ERROR_USAGE) if the process or module does not exist. */
struct trm_error *report_profile_select(struct report_profile *profile,
					const struct report_filter *filter);

/* Finds a run's global by name, NULL if absent; report_run_text returns its text, ""
 * if absent. */
const struct record_value *report_run_global(const struct report_run *run,
					     const char *name);
const char *report_run_text(const struct report_run *run, const char *name);
/* Tells whether the run only recorded which code ran, without counts. */
bool report_run_is_coverage(const struct report_run *run);

/* Tells whether the measurements (run.measure) count blocks; the second function,
 * whether those of any run of a profile do. If they do and there are no blocks, the
 * executed functions could not be relocated. */
bool report_measure_has_blocks(const char *measure);
bool report_has_measured_blocks(const struct report_profile *profile);
/* Tells whether any run had one of these measurements; `names` ends with NULL. */
bool report_has_measured(const struct report_profile *profile, const char *const *names);
/* Tells whether any run measured more than the program's own context. */
bool report_has_measured_code(const struct report_profile *profile);

/* Returns the error for a profile without block counts although its measurements count
 * blocks. */
struct trm_error *report_blocks_stayed(const char *path);

/* Rows of `skips`, of the profile, of selected modules, sorted by reason, module, name;
 * the caller frees. */
const struct report_skip **report_profile_skips(const struct report_profile *profile,
						const struct report_skips *skips,
						size_t *ret_count);

/* Blocks are sorted by counts where functions are by calls. */
enum report_sort {
	REPORT_SORT_CALLS,
	REPORT_SORT_NAME,
	REPORT_SORT_MODULE,
	REPORT_SORT_INSTRUCTIONS
};

/* The executed functions, or selected modules and images, sorted; the caller frees. Equal
 * ones are in the order of module, name, address. `ret_count` may be NULL for functions.
 */
const struct report_function **
report_profile_functions(const struct report_profile *profile, enum report_sort sort);
const struct report_module **report_profile_modules(const struct report_profile *profile,
						    enum report_sort sort,
						    size_t *ret_count);
const struct report_image **report_profile_images(const struct report_profile *profile,
						  size_t *ret_count);

/* Puts the intervals in order; parts name them by their place. */
void report_intervals_finish(struct report_profile *profile);
/* Tells whether the profile has an interval of this number, or the number is 0. */
bool report_has_interval(const struct report_profile *profile, uint64_t number);

/* Sorts the blocks and sums duplicates: the last step of loading. */
void report_blocks_finish(struct report_profile *profile);
/* Sums the blocks of the selection: a part of report_profile_select. */
void report_blocks_select(struct report_profile *profile);

/* Tells whether a block was executed in the selection. */
bool report_block_is_selected(const struct report_profile *profile,
			      const struct report_block *block);

/* Return the executed blocks of the selection, with the counts of all images summed
 * (their `image` is meaningless): all of them, or those of one function by address. The
 * caller frees the array. */
struct report_block *report_profile_blocks(const struct report_profile *profile,
					   enum report_sort sort);
struct report_block *report_function_blocks(const struct report_profile *profile,
					    const struct report_function *function,
					    size_t *ret_count);

/* Sorts the arcs and sums duplicates: the last step of loading. */
void report_arcs_finish(struct report_profile *profile);

/* Selects arcs by globs for the names of the callee and of the caller; NULL: all. */
struct report_arc_filter {
	const char *callers_of, *callees_of; /* globs */
};

/* Returns the arcs of the selection, with the counts of all images summed; their
 * `image` is meaningless. An arc is selected by the callee's module. Without `sites`,
 * all calls of one function by another are one arc. `sort`: by calls, by callee's
 * name, or by callee's module. The caller frees the array. */
struct report_arc *report_profile_arcs(const struct report_profile *profile,
				       const struct report_arc_filter *filter,
				       enum report_sort sort, bool sites,
				       size_t *ret_count);

/* Returns the name of an arc's caller, or the text that stands for an unknown one. */
const char *report_arc_caller(const struct report_profile *profile,
			      const struct report_arc *arc);

/* Functions for edges, like those for arcs. The edges of one function come by from, to
 * and kind, including edges that were never passed; those of a profile only if passed,
 * by count (REPORT_SORT_CALLS), or by name or module and then by count. */
void report_edges_finish(struct report_profile *profile);
void report_edges_select(struct report_profile *profile);
struct report_edge *report_function_edges(const struct report_profile *profile,
					  const struct report_function *function,
					  size_t *ret_count);
struct report_edge *report_profile_edges(const struct report_profile *profile,
					 enum report_sort sort);

/* Computes the number of instructions executed in a block. */
static inline uint64_t report_block_instructions(const struct report_block *block)
{
	return block->count * block->instructions;
}

/* Compares two modules: by name, then by path. */
int report_module_compare(const struct report_module *a, const struct report_module *b);

/* The name of a linked symbol as programmers write it (C++, Rust, D), else NULL; free()
 * it. */
char *report_demangle(const char *name);

#endif
