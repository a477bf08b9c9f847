/* Records of perf events, made for tests. */
#ifndef SAMPLE_STREAM_H
#define SAMPLE_STREAM_H

#include "base/vector.h"
#include "sample/record.h"

#include <linux/perf_event.h>

#include <stdint.h>

struct sample_stream VECTOR(uint8_t);

enum {
	STREAM_EVENT = 77, /* the id of the event */
	STREAM_RICH = 78,  /* of one whose samples have SAMPLE_EXTRAS, too */
};

/* What a sample of STREAM_RICH says. */
struct stream_extras {
	uint64_t address, weight, source;
	const struct perf_branch_entry *branches;
	uint64_t branch_count;
};

/* The layouts of records without and with stacks. */
extern const struct sample_layout stream_flat, stream_stacks;

void stream_sample(struct sample_stream *stream, uint32_t pid, uint64_t time,
		   uint64_t ip);

/* With registers (all that are not given are 0) and a stack of `size` bytes. */
void stream_stack_sample(struct sample_stream *stream, uint32_t pid, uint64_t time,
			 uint64_t ip, uint64_t rsp, uint64_t rbp, const void *stack,
			 uint64_t size);
void stream_rich_sample(struct sample_stream *stream, uint32_t pid, uint64_t time,
			uint64_t ip, const struct stream_extras *extras);
/* In the kernel at chain[0], which `count` - 1 other functions of it called, and the
 * program at `ip`. */
void stream_kernel_sample(struct sample_stream *stream, uint32_t pid, uint64_t time,
			  uint64_t ip, const uint64_t *chain, uint64_t count);
void stream_map(struct sample_stream *stream, uint32_t pid, uint64_t time, uint64_t start,
		uint64_t size, const char *name);
void stream_execute(struct sample_stream *stream, uint32_t pid, uint64_t time);
void stream_fork(struct sample_stream *stream, uint32_t pid, uint32_t parent,
		 uint64_t time);
void stream_end(struct sample_stream *stream, uint32_t pid, uint64_t time);
void stream_lost(struct sample_stream *stream, uint64_t lost, uint64_t time);

#endif
