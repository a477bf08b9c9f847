/* Reads a spool (wire/context.h): the regions and values that a process recorded on
 * itself. The process may have been killed at any moment, or may still run; nothing in
 * the file is trusted. */
#ifndef TRAMMEL_CONTEXT_READER_H
#define TRAMMEL_CONTEXT_READER_H

#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"
#include "record/record.h"
#include "wire/context.h"

#include <stdbool.h>

/* A combined context; parents stand before their children. */
struct context_path {
	uint32_t parent;    /* index; the root, 0, is its own */
	uint32_t attribute; /* index; not of the root */
	struct record_value value;
	uint64_t bits; /* the value as the spool has it */
	bool metric;
	uint64_t count, ticks; /* METRIC: ticks is the sum */
	uint64_t least, most;  /* METRIC: bits of the attribute's type */
};

struct context_known_attribute {
	const char *name;
	enum record_type type;
	uint32_t properties; /* enum record_property */
};

struct context_known_thread {
	uint32_t number, tid;
	bool alive;
	uint32_t current; /* path in which it is, or was last */
	uint64_t last;    /* ticks of its last event */
	uint64_t dropped;
	uint64_t moved; /* paths that rows, or thread 0, have the numbers of */
	struct VECTOR(struct context_path) paths;
	struct VECTOR(const struct context_block *) events; /* in order */
};

struct context_known_module {
	uint64_t start, end, bias; /* addresses */
	char *path;
};

/* A process, or its part between two calls of exec. */
struct context_process {
	void *mapped; /* NULL: the bytes are the caller's */
	const uint8_t *bytes;
	size_t size;
	const struct context_spool *head;
	double ns_per_tick;
	struct VECTOR(struct context_known_attribute) attributes; /* [0] is unused */
	/* Live and traced threads; [0], if its paths are not empty, is the tree of
	 * ended threads, to which rows refer. */
	struct VECTOR(struct context_known_thread) threads;
	struct VECTOR(struct context_row) rows;
	struct VECTOR(struct context_global) globals; /* that are set */
	struct VECTOR(struct context_known_module) modules;
};

/* Reads a spool. Errors: the file cannot be read, or is not a spool of this version. */
struct trm_error *context_process_init(struct context_process *process, const char *path);
/* Reads only the data that threads' paths need: values are known only by `bits`,
 * events are left out, and nanoseconds are ticks. */
struct trm_error *context_process_init_trees(struct context_process *process,
					     const char *path);
/* Reads a spool already in memory, at a multiple of 8, which must stay until deinit;
 * with ticks for nanoseconds. `name` is used in messages. Call
 * context_process_deinit() also after an error. */
struct trm_error *context_process_init_memory(struct context_process *process,
					      const void *bytes, size_t size,
					      const char *name);
void context_process_deinit(struct context_process *process);
/* Tells whether a file of this name (or path) is a spool. */
bool context_is_spool(const char *name);

/* All complete blocks of a kind, in the file's order. */
struct context_blocks VECTOR(const struct context_block *);
struct context_blocks context_blocks_of(const struct context_process *process,
					enum context_block_kind kind);
/* Sorts blocks by owner; blocks of one owner stay in order. */
void context_blocks_sort(struct context_blocks *blocks);

/* Returns the valid events at the beginning of a thread's block. */
const uint32_t *context_block_events(const struct context_block *block,
				     const uint32_t **ret_end);

/* The path that a row is of, with the row's sums. `ended`: threads[0]. */
struct context_path context_path_of_row(const struct context_known_thread *ended,
					const struct context_row *row);

/* The value of an attribute as the spool has it. */
struct record_value context_value(const struct context_process *process,
				  uint32_t attribute, uint64_t bits);

/* Nanoseconds of a length of time; UINT64_MAX if it is too long, as in a damaged file. */
uint64_t context_scale(uint64_t ticks, double ns_per_tick);
uint64_t context_ns(const struct context_process *process, uint64_t ticks);

#endif
