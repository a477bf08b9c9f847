/*
 * On which processor a thread runs, and the tracer on the same one: a stop takes two
 * switches there, and no message from one processor to another, which takes several times
 * as long.
 */
#ifndef TRAMMEL_CONTROL_PROCESSOR_H
#define TRAMMEL_CONTROL_PROCESSOR_H

#include <stdbool.h>
#include <sys/types.h>

/* What a thread does, as /proc/TID/stat has it. */
struct processor_use {
	char state;        /* a letter: R if it runs, or waits for a processor */
	unsigned int last; /* the processor that it is on, or was on last */
	bool shared;       /* its policy lets others have the processor in turn */
};

/* Reads it. `kept` is a descriptor for the next reading, plus 1, or 0: none is open, and
 * none will be if `keep` is false. Returns false if the thread is gone. */
bool processor_read(pid_t tid, bool keep, int *kept, struct processor_use *ret_use);

/* Closes what was kept. */
void processor_forget(int *kept);

/* Moves the calling thread to a processor, where it stays; false: it may not be there. */
bool processor_follow(unsigned int number);

/* The calling thread may be on any processor again that it could be on before the first
 * processor_follow of the process. */
void processor_leave(void);

#endif
