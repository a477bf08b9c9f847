/* Call paths from the registers of a sample and the copy of its stack. */
#ifndef TRAMMEL_SAMPLE_STACK_H
#define TRAMMEL_SAMPLE_STACK_H

#include "sample/process.h"
#include "sample/record.h"

enum { SAMPLE_FRAMES_MAX = 512 };

/* The frames of a sample. */
struct sample_path {
	uint32_t count;
	/* Run-time addresses, the innermost first: the pc, then the last bytes of calls
	 * (of what a signal interrupted, the instruction). */
	uint64_t addresses[SAMPLE_FRAMES_MAX];
	bool whole; /* the last one is the outermost */
};

/* What is walked. */
struct sample_walk {
	struct sample_processes *processes;
	uint32_t image; /* index */
	const struct sample_record *record;
	bool partial; /* of the registers the stack pointer and the pc alone are known:
			 others are 0 */
	uint64_t pc, rsp; /* where the thread is in the original code, and its stack */
	/* Returns a return address as the program would have it. */
	uint64_t (*show_caller)(void *context, uint64_t address);
	void *context;
};

/* Walks the stack of a sample: by call-frame information, and through code without it by
 * frame pointers. */
void sample_stack_walk(const struct sample_walk *walk, struct sample_path *ret_path);

#endif
