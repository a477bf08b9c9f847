/*
 * Names of code that programs generate, as they tell them: maps for perf (a file
 * /tmp/perf-PID.map with a line for each function), and jitdump files, whose records say
 * from when on code was where (both as linux/tools/perf/Documentation describes them).
 * Any bytes are accepted.
 */
#ifndef TRAMMEL_SAMPLE_JIT_H
#define TRAMMEL_SAMPLE_JIT_H

#include "base/vector.h"
#include "sample/module.h"

#include <stdio.h>

/* Adds the functions of a map's text to a module: lines "START SIZE NAME", where the
 * numbers are hexadecimal, with 0x or without, and the name is all behind the second
 * blank. Other lines are left out. */
void jit_map_read(struct sample_module *module, const char *text);

/* Adds those that a process tells, if it has such a file that nobody else made. */
void jit_map_load(struct sample_module *module, uint32_t pid);

/* Code as a jitdump file says it is. */
struct jit_code {
	uint64_t time;        /* nanoseconds, CLOCK_MONOTONIC */
	uint64_t start, size; /* run-time */
	uint64_t from;        /* of code that was moved: its start before; else 0 */
	uint64_t
		linked; /* where it lies in the file's module: each code is somewhere else
			 */
};

/* A jitdump file that is being written. */
struct jit_dump {
	FILE *file;
	bool begun;      /* its head was read */
	bool damaged;    /* nothing more is read */
	uint64_t linked; /* where the next code lies in the module */
	struct VECTOR(struct jit_code) coming; /* in the order of time */
	size_t next;                           /* of these: not applied yet */
	struct VECTOR(struct jit_code) live;   /* by start, disjoint */
};

/* Tells whether a path is that of a jitdump file. */
bool jit_is_dump(const char *path);

/* Begins to read a file, which is closed at the end; NULL: it has none yet. */
struct jit_dump *jit_dump_create(FILE *file);
void jit_dump_destroy(struct jit_dump *dump);

/* Reads the records that were written since the last time; names go to the module. */
void jit_dump_read(struct jit_dump *dump, struct sample_module *module);

/* Finds the code that was at a run-time address at a time not before that of the last
 * call; false: none is known. `ret_linked`: the address in the module. */
bool jit_dump_find(struct jit_dump *dump, uint64_t time, uint64_t address,
		   uint64_t *ret_linked);

#endif
