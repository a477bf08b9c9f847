/*
 * The program's own context of samples: in which of its regions a thread was. The kernel
 * does not know; the program's library writes down when each thread enters and leaves a
 * region. So samples are kept one by one until both are put together by time.
 */
#ifndef TRAMMEL_SAMPLE_CONTEXT_H
#define TRAMMEL_SAMPLE_CONTEXT_H

#include "base/vector.h"
#include "sample/record.h"
#include "sample/sums.h"

/* So many samples are kept at most (some 60 MB); when there are as many it is time to
 * place them. */
enum { SAMPLE_KEPT_MAX = 1 << 20 };

/* A sample that waits for its context. */
struct sample_kept {
	uint32_t pid, tid;
	uint64_t time; /* nanoseconds of CLOCK_MONOTONIC */
	struct sample_sum sum;
};

/* All-zero is empty. */
struct sample_contexts {
	struct VECTOR(struct sample_kept) kept;
	struct VECTOR(char *) texts; /* [0]: of samples in no region */
	struct table by_text;        /* number, by hashes */
	const char *folder;          /* where programs write down their regions */
	/* Called with the sampler when there is no more room: places what is kept. NULL:
	 * nobody. */
	void (*place)(void *sampler);
	void *sampler;
};

/* Keeps a sample until it is placed. */
void sample_contexts_keep(struct sample_contexts *contexts,
			  const struct sample_record *record,
			  const struct sample_sum *sum);

/* Sorts the samples by process, thread and time. */
void sample_contexts_sort(struct sample_contexts *contexts);

/* Returns the samples of a thread, sorted, and how many there are. */
struct sample_kept *sample_contexts_of(const struct sample_contexts *contexts,
				       uint32_t pid, uint32_t tid, size_t *ret_count);

/* Returns the number of a context by its text. */
uint32_t sample_contexts_number(struct sample_contexts *contexts, const char *text);

/* Adds all kept samples to sums, with the context that each got. */
void sample_contexts_add(struct sample_contexts *contexts, struct sample_sums *sums);

void sample_contexts_deinit(struct sample_contexts *contexts);

#endif
