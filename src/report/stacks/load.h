/*
 * What threads did, in a profile of `-m stacks` or `-m waits`: see docs/profile.md,
 * "sample records", the attributes `wait.*`.
 */
#ifndef TRAMMEL_REPORT_STACKS_LOAD_H
#define TRAMMEL_REPORT_STACKS_LOAD_H

#include "base/error.h"
#include "base/table.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

#define STACK_NONE UINT32_MAX

/* Strings are numbers in `strings`. */
struct stack_row {
	uint32_t state;    /* "running", ...; "waits": a wait that is known exactly */
	uint32_t kind, on; /* what it waited for; STACK_NONE: nothing is known */
	uint32_t holder;   /* path of the thread that held it; STACK_NONE: not known */
	uint32_t frame;    /* the innermost one, in `frames`; STACK_NONE: none */
	uint64_t process, thread;
	uint64_t times, ns, longest_ns; /* looks, or waits; the longest of these */
};

/* A function below those that called it. */
struct stack_frame {
	uint32_t parent, module, function;
};

struct stack_list {
	struct string_table strings;
	struct VECTOR(struct stack_row) rows;
	struct VECTOR(struct stack_frame) frames;
	struct table by_frame, by_node; /* index + 1 */
	struct table processes;         /* of images */
	char *warning;                  /* NULL: none */
	uint64_t ns;                    /* of all rows */
	uint64_t wall_ns;
	bool looked, followed; /* the profile is of -m stacks, of -m waits */
	char *notes;           /* what is missing; NULL: nothing */
};

/* Reads a profile's rows. Errors as for trm_read. On success the caller deinits the list.
 */
struct trm_error *stack_list_load(const char *path, struct stack_list *ret_list);
void stack_list_deinit(struct stack_list *list);

/* The string with a number; "" for STACK_NONE. */
const char *stack_list_string(const struct stack_list *list, uint32_t number);

#endif
