/*
 * From spools to records: what docs/profile.md says of contexts.
 */
#ifndef TRAMMEL_CONTEXT_SAVE_H
#define TRAMMEL_CONTEXT_SAVE_H

#include "context/parts.h"
#include "context/reader.h"

struct context_saving {
	struct trm_writer *writer;
	struct record_model *model;
	/* Of the records. */
	record_attribute image, thread, count, time, offset, event, interval, begin;
	/* When the first process of the run began, as in context_moment; traces say how
	 * much later each began. context_saving_init makes it 0: they do not. */
	uint64_t first_ns;
};

/* Readies the attributes of the records. */
struct trm_error *context_saving_init(struct context_saving *saving,
				      struct trm_writer *writer,
				      struct record_model *model);

/* Writes all that a process recorded, as of this image. */
void context_save(const struct context_saving *saving,
		  const struct context_process *process, uint64_t image);

/* The same of parts of the run alone; `intervals`: they are told apart. */
void context_save_parts(const struct context_saving *saving,
			const struct context_process *process, uint64_t image,
			const struct context_parts *parts, bool intervals);

/* The same without the trace. */
void context_save_paths(const struct context_saving *saving,
			const struct context_process *process, uint64_t image);

/* Of the sum of values of a type: that of truths is how many were true. */
enum record_type context_sum_type(enum record_type type);

/* Adds a line for each fault and loss that the process had, without a line's end at the
 * last. */
void context_describe_faults(const struct context_process *process, struct text *text);

#endif
