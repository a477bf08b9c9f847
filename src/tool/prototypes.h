/*
 * Routines of tools by their prototypes: "branch(long id, int taken)".
 */
#ifndef TRAMMEL_TOOL_PROTOTYPES_H
#define TRAMMEL_TOOL_PROTOTYPES_H

#include "code/points/recipe_call.h"
#include "base/error.h"
#include "base/vector.h"

#include <trammel/tool_recipe.h>

enum { PROTOTYPE_PARAMETERS_MAX = 6 };

enum prototype_type {
	PROTOTYPE_NUMBER, /* of any size */
	PROTOTYPE_POINTER,
};

struct prototype {
	char *name;
	uint8_t types[PROTOTYPE_PARAMETERS_MAX]; /* enum prototype_type */
	uint8_t count;
	struct recipe_routine routine; /* what it may change; without its word */
};
struct prototypes VECTOR(struct prototype);

/* Adds a prototype, or finds the one of the same routine. Errors (TRM_ERROR_USAGE): it is
 * none, has another type than numbers and pointers, or differs from the one before. */
struct trm_error *prototypes_add(struct prototypes *prototypes, const char *text);

/* The number of a routine's prototype; prototypes->count: it has none. */
size_t prototypes_find(const struct prototypes *prototypes, const char *name);

/* Checks a call of the routine with this number; error (TRM_ERROR_USAGE): the arguments
 * are not of its parameters. */
struct trm_error *prototypes_check(const struct prototype *prototype,
				   const struct trammel_argument *arguments,
				   size_t count);

void prototypes_deinit(struct prototypes *prototypes);

#endif
