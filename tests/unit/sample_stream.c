#include "sample_stream.h"

#include <string.h>
#include <sys/mman.h>

const struct sample_layout stream_flat = {
	.type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
};
const struct sample_layout stream_stacks = {
	.type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
		PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
	.registers = 1 << 6 | 1 << 7 | 1 << 8, /* rbp, rsp, rip */
};

static void add_bytes(struct sample_stream *stream, const void *bytes, size_t size)
{
	vector_reserve(stream, stream->count + size);
	if (size)
		memcpy(stream->items + stream->count, bytes, size);
	stream->count += size;
}

static void add_u64(struct sample_stream *stream, uint64_t number)
{
	add_bytes(stream, &number, sizeof(number));
}

static void add_u32(struct sample_stream *stream, uint32_t number)
{
	add_bytes(stream, &number, sizeof(number));
}

/* Begins a record. Returns where it begins. */
static size_t begin_record(struct sample_stream *stream, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = {.type = type, .misc = misc};
	const size_t at = stream->count;

	add_bytes(stream, &header, sizeof(header));
	return at;
}

static void end_record(struct sample_stream *stream, size_t at)
{
	struct perf_event_header header;

	memcpy(&header, stream->items + at, sizeof(header));
	header.size = (uint16_t)(stream->count - at);
	memcpy(stream->items + at, &header, sizeof(header));
}

/* What all but samples end with. */
static void add_trailer(struct sample_stream *stream, size_t at, uint32_t pid,
			uint64_t time)
{
	add_u32(stream, pid);
	add_u32(stream, pid);
	add_u64(stream, time);
	add_u64(stream, STREAM_EVENT);
	end_record(stream, at);
}

void stream_rich_sample(struct sample_stream *stream, uint32_t pid, uint64_t time,
			uint64_t ip, const struct stream_extras *extras)
{
	const size_t at = begin_record(stream, PERF_RECORD_SAMPLE, 0);

	add_u64(stream, STREAM_RICH);
	add_u64(stream, ip);
	add_u32(stream, pid);
	add_u32(stream, pid);
	add_u64(stream, time);
	add_u64(stream, extras->address);
	add_u64(stream, 1000);
	add_u64(stream, 1);
	add_u64(stream, ip);
	add_u64(stream, extras->branch_count);
	add_bytes(stream, extras->branches,
		  extras->branch_count * sizeof(*extras->branches));
	add_u64(stream, extras->weight);
	add_u64(stream, extras->source);
	end_record(stream, at);
}

void stream_kernel_sample(struct sample_stream *stream, uint32_t pid, uint64_t time,
			  uint64_t ip, const uint64_t *chain, uint64_t count)
{
	const size_t at = begin_record(stream, PERF_RECORD_SAMPLE, 0);

	add_u64(stream, STREAM_EVENT);
	add_u64(stream, chain[0]);
	add_u32(stream, pid);
	add_u32(stream, pid);
	add_u64(stream, time);
	add_u64(stream, 1000);
	add_u64(stream, count + 3);
	add_u64(stream, (uint64_t)PERF_CONTEXT_KERNEL);
	add_bytes(stream, chain, count * sizeof(*chain));
	add_u64(stream, (uint64_t)PERF_CONTEXT_USER);
	add_u64(stream, ip);
	end_record(stream, at);
}

static size_t begin_sample(struct sample_stream *stream, uint32_t pid, uint64_t time,
			   uint64_t ip)
{
	const size_t at = begin_record(stream, PERF_RECORD_SAMPLE, 0);

	add_u64(stream, STREAM_EVENT);
	add_u64(stream, ip);
	add_u32(stream, pid);
	add_u32(stream, pid);
	add_u64(stream, time);
	add_u64(stream, 1000);
	add_u64(stream, 2);
	add_u64(stream, (uint64_t)PERF_CONTEXT_USER);
	add_u64(stream, ip);
	return at;
}

void stream_sample(struct sample_stream *stream, uint32_t pid, uint64_t time, uint64_t ip)
{
	end_record(stream, begin_sample(stream, pid, time, ip));
}

void stream_stack_sample(struct sample_stream *stream, uint32_t pid, uint64_t time,
			 uint64_t ip, uint64_t rsp, uint64_t rbp, const void *stack,
			 uint64_t size)
{
	const size_t at = begin_sample(stream, pid, time, ip);

	add_u64(stream, 2);
	add_u64(stream, rbp);
	add_u64(stream, rsp);
	add_u64(stream, ip);
	add_u64(stream, size);
	add_bytes(stream, stack, size);
	add_u64(stream, size);
	end_record(stream, at);
}

void stream_map(struct sample_stream *stream, uint32_t pid, uint64_t time, uint64_t start,
		uint64_t size, const char *name)
{
	const size_t at = begin_record(stream, PERF_RECORD_MMAP2, 0);
	char padded[64] = "";

	memcpy(padded, name, strlen(name));
	add_u32(stream, pid);
	add_u32(stream, pid);
	add_u64(stream, start);
	add_u64(stream, size);
	add_u64(stream, 0); /* offset */
	add_u32(stream, 0);
	add_u32(stream, 0);
	add_u64(stream, 0);
	add_u64(stream, 0);
	add_u32(stream, PROT_READ | PROT_EXEC);
	add_u32(stream, 0);
	add_bytes(stream, padded, strlen(name) / 8 * 8 + 8);
	add_trailer(stream, at, pid, time);
}

void stream_execute(struct sample_stream *stream, uint32_t pid, uint64_t time)
{
	const size_t at =
		begin_record(stream, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);

	add_u32(stream, pid);
	add_u32(stream, pid);
	add_bytes(stream, "program", 8);
	add_trailer(stream, at, pid, time);
}

static void add_task(struct sample_stream *stream, uint32_t type, uint32_t pid,
		     uint32_t parent, uint64_t time)
{
	const size_t at = begin_record(stream, type, 0);

	add_u32(stream, pid);
	add_u32(stream, parent);
	add_u32(stream, pid);
	add_u32(stream, parent);
	add_u64(stream, time);
	add_trailer(stream, at, pid, time);
}

void stream_fork(struct sample_stream *stream, uint32_t pid, uint32_t parent,
		 uint64_t time)
{
	add_task(stream, PERF_RECORD_FORK, pid, parent, time);
}

void stream_end(struct sample_stream *stream, uint32_t pid, uint64_t time)
{
	add_task(stream, PERF_RECORD_EXIT, pid, pid, time);
}

void stream_lost(struct sample_stream *stream, uint64_t lost, uint64_t time)
{
	const size_t at = begin_record(stream, PERF_RECORD_LOST, 0);

	add_u64(stream, STREAM_EVENT);
	add_u64(stream, lost);
	add_trailer(stream, at, 1, time);
}
