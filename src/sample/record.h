/*
 * Records of perf events, as the kernel writes them to a ring (perf_event_open(2)), and
 * as files keep them. Any bytes are accepted: what a record says of its size is checked
 * against what is there.
 */
#ifndef TRAMMEL_SAMPLE_RECORD_H
#define TRAMMEL_SAMPLE_RECORD_H

#include "base/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sample_kind {
	SAMPLE_OTHER, /* nothing that anybody asks for */
	SAMPLE_TAKEN,
	SAMPLE_MAPPED,
	SAMPLE_NAMED, /* a thread has a name; `executed`: a program begins */
	SAMPLE_FORKED,
	SAMPLE_ENDED,
	SAMPLE_LOST,
	SAMPLE_THROTTLED,
};

enum {
	SAMPLE_REGISTERS = 17, /* by their numbers in DWARF; the last is the pc */
	SAMPLE_PC = 16,
	SAMPLE_BRANCH_BYTES = 24,
};

/* A record; pointers lead into its bytes. */
struct sample_record {
	enum sample_kind kind;
	uint32_t pid, tid;
	uint64_t id;   /* of the event */
	uint64_t time; /* nanoseconds, CLOCK_MONOTONIC */
	/* TAKEN: */
	uint64_t ip;
	uint64_t period;      /* events since the one before; 0: as asked for */
	uint64_t overrun;     /* further samples that were due until this one */
	const uint8_t *chain; /* addresses of 8 bytes each, the innermost first */
	uint64_t chain_count;
	bool has_registers;
	uint64_t registers[SAMPLE_REGISTERS];
	const uint8_t *stack; /* from the stack pointer on */
	uint64_t stack_size;  /* bytes */
	uint64_t address;     /* of data; 0: not known */
	uint64_t weight;      /* ticks that it took; 0: not known */
	uint64_t data_source; /* PERF_MEM_...; 0: not known */
	/* The last branches that were taken, the latest first: `branch_count` times a
	 * struct perf_branch_entry. */
	const uint8_t *branches;
	uint64_t branch_count;
	/* MAPPED: */
	uint64_t start, size, file_offset, inode;
	uint32_t major, minor;
	bool executable;
	const char *name; /* of the file, or the thread (NAMED) */
	bool executed;    /* NAMED */
	uint32_t parent;  /* FORKED: the process that did it; `pid` is the new one's */
	uint64_t lost;    /* LOST: how many records */
};

/* Bits of perf_event_attr.sample_type that records have. All have PERF_SAMPLE_IDENTIFIER,
 * TID and TIME, in the form of sample_id_all. */
struct sample_layout {
	uint64_t type;
	uint64_t registers; /* perf_event_attr.sample_regs_user */
	/* The types of events whose samples have more than others, by their ids; NULL:
	 * there are none. */
	const struct table *types;
};

/* Reads the record at the start of `size` bytes. Returns how many bytes it has; 0: none,
 * since it is damaged or cut off. What is wrong inside of a whole record makes it
 * SAMPLE_OTHER. */
size_t sample_record_read(const struct sample_layout *layout, const void *bytes,
			  size_t size, struct sample_record *ret_record);

#endif
