/*
 * What tools and labels add to the code of functions: calls of routines, counts, code of
 * their own; and how that becomes points of the engine (code/points/points.h).
 */
#ifndef TRAMMEL_TOOL_ADDED_H
#define TRAMMEL_TOOL_ADDED_H

#include "base/vector.h"
#include "code/points/points.h"
#include "code/points/recipe_buffer.h"

#include <trammel/tool_recipe.h>

enum added_where { ADDED_BEFORE, ADDED_AFTER, ADDED_EDGE, ADDED_ENTRY };

enum added_what {
	ADDED_CALL,    /* of a routine */
	ADDED_COUNT,   /* adds a constant to a counter */
	ADDED_SUM,     /* adds the first argument to a counter */
	ADDED_CODE,    /* of the tool's own */
	ADDED_REPLACE, /* of the function, by a routine */
	ADDED_TRACE    /* of a buffer */
};

enum { ADDED_ARGUMENTS_MAX = 6, ADDED_ANY_EDGE = 0xff };

struct cfg;
struct tool;

struct added {
	const struct tool *tool;               /* NULL: of labels */
	const struct added_function *function; /* that it is added to */
	uint8_t where, what;
	uint8_t edge_kind;    /* enum trammel_edge_kind, or ADDED_ANY_EDGE */
	uint8_t count;        /* of arguments */
	uint64_t address, to; /* link-time: of an instruction; of blocks, for an edge;
				 `to` 0: out of the function */
	uint32_t routine;     /* word of its address: see recipe_call */
	uint32_t counter;     /* of the tool; or its buffer */
	int32_t amount;
	uint32_t slot;         /* of the function: its counter, or its first word */
	struct recipe_run run; /* of a record */
	uint8_t words;         /* that it has there, filled in front of the instruction */
	trammel_emit *emit;
	const void *data;
	struct trammel_argument arguments[ADDED_ARGUMENTS_MAX];
};

/* What is added to a function, in this order at one place. */
struct added_function {
	uint64_t address;
	struct VECTOR(struct added) items;
	struct VECTOR(uint32_t) counters; /* by slot */
	uint32_t copies; /* of all counters, one behind the other: points that follow each
			    other add to different ones, and do not wait for each other */
	uint32_t slots;  /* these, then words */
	bool closed;     /* its points were listed: no more can be added */
};

/* Adds the points of a function to `ret_points`; the first call closes it. Not
 * thread-safe. */
void added_list(struct added_function *added, const struct point_function *function,
		struct points *ret_points);

/* Writes the code of one of them; thread-safe. */
void added_emit(const struct point_function *function, const struct point *point,
		struct recipe *recipe);

/* Writes the call of an item. */
struct added_place;
void added_emit_call(const struct added_place *place, struct recipe *recipe);

/* Returns the number of the instruction at a link-time address; their count if there is
 * none. */
uint32_t added_instruction_at(const struct cfg *cfg, uint64_t address);

/* Returns the slot of a counter of the tool's in a function. */
uint32_t added_counter_slot(const struct added_function *added, uint32_t counter);
/* Writes an item's record to its buffer. */
void added_emit_trace(const struct added_place *place, struct recipe *recipe);

void added_deinit(struct added_function *added);

#endif
