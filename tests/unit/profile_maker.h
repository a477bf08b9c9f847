/*
 * For the tests of commands: makes profiles with the writer, runs a command, and compares
 * what it prints. All files are in a folder of the test's own, the current one.
 */
#ifndef TRAMMEL_TESTS_PROFILE_MAKER_H
#define TRAMMEL_TESTS_PROFILE_MAKER_H

#include "image/image.h"
#include "record/record.h"

#include <limits.h>

#define OUTPUT "output"
#define ERRORS "errors"

#define ZIP  "/usr/bin/zip"
#define LIBC "/lib/libc.so.6"

/* A profile being written. */
struct maker {
	int fd;
	struct record_model *model;
	struct trm_writer *writer;
	uint64_t image; /* the last one */
};

struct maker begin_profile(const char *path, bool append);
void end_profile(struct maker *maker);

record_attribute attribute(struct maker *maker, const char *name, enum record_type type);
struct record_pair pair(struct maker *maker, const char *name, struct record_value value);
void add_global(struct maker *maker, const char *name, struct record_value value);
void add_image(struct maker *maker, uint64_t process, const char *program,
	       uint64_t threads, const char *state, const char *reason);
record_node module_node(struct maker *maker, const char *path);
record_node function_node(struct maker *maker, const char *path, const char *name);
void add_module(struct maker *maker, const char *path, uint64_t known);
/* A module record that says why nothing of it was counted. */
void add_unmeasured(struct maker *maker, const char *path, const char *reason);
/* The program of the test as a module: what it calls itself, and its image. */
struct self {
	char path[PATH_MAX];
	struct image *image;
};
extern struct self self;

/* The address of a function of the test. */
uint64_t address_of(const char *name);
/* A module record of the test's program under any path, with its build id or another. */
void add_self(struct maker *maker, const char *path, uint64_t known, bool same_build);

void add_calls(struct maker *maker, const char *path, const char *name, uint64_t offset,
	       uint64_t calls);
void add_block(struct maker *maker, const char *path, const char *name, uint64_t offset,
	       const uint64_t block[4]); /* address, size, instructions, count */
/* The same of a function of the test: `block` begins with an offset in it. */
#define BLOCK(...) ((const uint64_t[]){__VA_ARGS__})
void add_own_block(struct maker *maker, const char *name, const uint64_t block[4]);
/* annotated_loop called 3 times, with 50 rounds, 20 of them by the longer way; and nested
 * called 2 times, with 5 rounds of 7 each. */
void add_own_loops(struct maker *maker);
/* Calls of a function; `caller` as an array: module's path, function, kind, each NULL if
 * it is not known; `numbers`: the caller's address, the site (0: not known), the count.
 */
void add_arc(struct maker *maker, const char *path, const char *name, uint64_t offset,
	     const char *const caller[3], const uint64_t numbers[3]);
/* `way`: the addresses of the instruction, of its block, and of the one that it leads to
 * (0: out of the function), and the count. */
void add_edge(struct maker *maker, const char *path, const char *name, uint64_t offset,
	      const char *kind, const uint64_t way[4]);
void add_skip(struct maker *maker, const char *path, const char *name, uint64_t offset,
	      const char *reason);
/* `offsets`: of the function, and of its cold part. */
void add_cold_part(struct maker *maker, const char *path, const char *name,
		   const uint64_t offsets[2], const char *reason);

/* The whole file; free() it. */
char *read_text(const char *path);

/* Fixtures of groups of tests: a folder of their own is the current one, in which there
 * is nothing yet, and in the second form `self` is filled in; then it is deleted with all
 * files in it. */
int enter_folder(void **state);
int enter_folder_with_self(void **state);
int leave_folder(void **state);

#endif
