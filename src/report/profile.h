/* A profile as reports show it; docs/profile.md describes the contents of the file.
 * Loading sums records by function and process image; selecting sums the part that a
 * report covers. */
#ifndef TRAMMEL_REPORT_PROFILE_H
#define TRAMMEL_REPORT_PROFILE_H

#include "base/error.h"
#include "base/table.h"
#include "base/vector.h"
#include "record/record.h"
#include "report/report_path.h"

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
	uint64_t functions, calls, instructions, samples;
};

struct report_module {
	const char *name, *path, *build_id; /* build_id: "" if unknown */
	bool ambiguous; /* modules with other paths have the same name */
	/* Set by selecting: */
	bool selected, loaded;         /* loaded by a selected image */
	uint64_t known, instrumented;  /* functions; the most that an image had */
	uint64_t functions, calls;     /* functions executed */
	uint64_t blocks, instructions; /* executed blocks, and instructions in them */
	uint64_t samples;              /* by the first event */
	const char *reason; /* why nothing was counted in some of the images, or NULL */
	size_t unmeasured;  /* images with a reason */
};

/* What code did with memory. */
struct report_memory {
	uint64_t loads, stores, bytes_loaded, bytes_stored;
};

struct report_function {
	uint32_t module;
	uint64_t offset;                   /* link-time address */
	const char *name;                  /* demangled */
	uint32_t first_block, block_count; /* in profile.blocks */
	uint32_t first_edge, edge_count;   /* in profile.edges */
	/* Set by selecting: */
	bool executed;
	bool valued; /* values of its instructions are known; not set by selecting */
	uint64_t calls;
	/* With profile.exits: number of returns, and of jumps to another function. */
	uint64_t returned, tail_calls;
	struct report_memory memory; /* with profile.memory */
	uint64_t blocks;             /* executed; 0: they were not counted */
	uint64_t instructions;       /* executed in them */
	uint64_t samples;            /* by the first event */
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
	struct report_memory memory;
};

/* Adds what was counted elsewhere. */
static inline void report_memory_add(struct report_memory *to,
				     const struct report_memory *from)
{
	to->loads += from->loads;
	to->stores += from->stores;
	to->bytes_loaded += from->bytes_loaded;
	to->bytes_stored += from->bytes_stored;
}

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
	uint32_t function;  /* of a call, in profile.functions; REPORT_NONE */
	const char *module; /* path of that of a sample's frame; else NULL */
	bool timed;         /* a record said how long it took */
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
	struct VECTOR(uint32_t) by_node; /* of nodes of the file: index + 2; 0: new */
	struct table by_frame; /* of samples: hashes of frames and their parents */
	/* Of samples, by label: index + 1 of the first node, which is not in by_frame. */
	struct VECTOR(uint32_t) by_label;
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
	uint64_t calls, instructions, samples;
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

struct report_event;
struct report_sample;
struct report_sampled;
struct report_probe;
struct report_probe_count;
struct report_probe_hit;
struct report_tool_table;
struct report_tool_row;
struct report_tool_cell;

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
	struct VECTOR(struct report_path) paths; /* in the order of the file */
	struct VECTOR(struct report_path_graph) path_graphs; /* some more than once */
	struct VECTOR(struct report_path_bar) path_bars;
	struct report_tree regions;
	struct report_tree graph;                  /* of calls in their contexts */
	struct VECTOR(struct report_event) events; /* see report/samples.h */
	struct VECTOR(struct report_sample) samples;
	struct report_tree stacks;                 /* of samples of the first event */
	bool with_callers;                         /* these have more than one frame */
	struct VECTOR(struct report_probe) probes; /* see report/probes.h */
	struct VECTOR(struct report_probe_count) probe_counts;
	struct VECTOR(struct report_probe_hit) probe_hits;
	struct VECTOR(struct report_tool_table) tool_tables; /* see report/tools.h */
	struct VECTOR(struct report_tool_row) tool_rows;
	struct VECTOR(struct report_tool_cell) tool_cells;
	struct VECTOR(struct report_interval) intervals; /* by number; usually empty */
	struct VECTOR(struct report_thread) threads;     /* usually empty */
	struct VECTOR(struct report_part) parts;
	struct VECTOR(struct report_load) loads;
	struct report_skips skips;
	struct report_skips cold_parts; /* without counts of blocks */
	struct string_table strings;    /* owns every string here */
	bool coverage;                  /* no run counted calls */
	bool exits;                     /* it is known how functions were left */
	bool memory;                    /* loads and stores of functions were counted */
	char *warning;                  /* about the file; NULL: none */
	/* Set by selecting: */
	struct report_sampled *sampled; /* by function and event; NULL: no samples */
	uint64_t calls;
	uint64_t instructions; /* executed in blocks */
	size_t executed;       /* functions */
	size_t counted;        /* executed functions with block counts */
	size_t executed_blocks, passed_edges;
	size_t faulty; /* rows of `faults` */
};

/* Returns a copy of a text that lives as long as the profile; of equal texts the same. */
const char *report_keep(struct report_profile *profile, const char *text);

/* Frees a profile; NULL is allowed. */
void report_profile_destroy(struct report_profile *profile);

/* Computes the number of instructions executed in a block. */
static inline uint64_t report_block_instructions(const struct report_block *block)
{
	return block->count * block->instructions;
}

#endif
