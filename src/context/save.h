/* Converts spools to records: see docs/profile.md on contexts. */
#ifndef TRAMMEL_CONTEXT_SAVE_H
#define TRAMMEL_CONTEXT_SAVE_H

#include "context/parts.h"
#include "context/reader.h"

struct context_saving {
	struct trm_writer *writer;
	struct record_model *model;
	/* Attributes of the records: */
	record_attribute image, thread, count, time, offset, event, interval, begin;
	/* Start of the run's first process, as in context_moment; traces state how
	 * much later each process began. 0, as context_saving_init sets it: they do
	 * not state it. */
	uint64_t first_ns;
};

/* Readies the attributes of the records. */
struct trm_error *context_saving_init(struct context_saving *saving,
				      struct trm_writer *writer,
				      struct record_model *model);

/* Writes all that a process recorded, as of this image. */
void context_save(const struct context_saving *saving,
		  const struct context_process *process, uint64_t image);

/* Writes the records of parts of the run only; `intervals`: with separate counts for
 * each. */
void context_save_parts(const struct context_saving *saving,
			const struct context_process *process, uint64_t image,
			const struct context_parts *parts, bool intervals);

/* Writes the records of the paths, without the trace. */
void context_save_paths(const struct context_saving *saving,
			const struct context_process *process, uint64_t image);

/* Returns the type of a sum of values; the sum of booleans is the number of true ones. */
enum record_type context_sum_type(enum record_type type);

/* Adds a line for each fault and loss that the process had, without a line's end at the
 * last. */
void context_describe_faults(const struct context_process *process, struct text *text);

#endif
