/*
 * Points: places of functions that are relocated whole, at which code of others is
 * inlined. A source says which places of a function it wants (list) and writes the code
 * of each by the functions of recipe.h (emit). Both are called while a function is
 * planned, maybe several times and on several threads, and must be pure: the same
 * function has the same points with the same code each time.
 *
 * A point's code runs as a whole or not at all, as far as anybody can see: a signal that
 * finds a thread in the middle of it is delivered when it is done. See
 * docs/design/points.md.
 */
#ifndef TRAMMEL_CODE_POINTS_POINTS_H
#define TRAMMEL_CODE_POINTS_POINTS_H

#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

struct cfg;
struct image;
struct point_data;
struct recipe;

/* Where the code of a point lies. */
enum point_where {
	POINT_ENTRY,  /* in front of the first instruction, for each call of the function:
			 not for jumps back to its first block. `at` is 0 */
	POINT_EDGE,   /* on an edge of cfg.edges */
	POINT_BEFORE, /* in front of an instruction of cfg.instructions */
	POINT_AFTER,  /* behind it, each time control goes on to the next one: not if it
			 branches. Behind a call: when that has returned there */
};

/* A place, and what its source wants there. */
struct point {
	uint32_t at;     /* number of the instruction, or edge */
	uint8_t where;   /* enum point_where */
	uint32_t order;  /* at one place: points run in ascending order of these, and of
			    equal ones in that of the list */
	uint32_t number; /* the engine's own, like `source` */
	uint8_t source;
	uint64_t recipe; /* the source's own */
};

/*
 * The points of a function, in any order, and counters of its own: `slots` words of 8
 * bytes in each thread's bank, all zero at first, which recipes name 0, 1, ... They are
 * added up over threads and processes; those from `first_max` on are not added: of these
 * the largest number counts (recipe_max, recipe_min). plan.point_slots says where they
 * lie.
 */
struct points {
	struct VECTOR(struct point) items;
	uint32_t slots, first_max;
};

/* A function whose points are asked for. Cold parts are functions of their own, without
 * calls. */
struct point_function {
	const struct image *image;
	uint32_t index;     /* in image->functions */
	bool is_part;       /* a cold part */
	uint32_t owner;     /* of a cold part: index of its function; else `index` */
	const char *name;   /* as linked; "" if it has none */
	const char *module; /* as the request has it; NULL: unknown */
	/* Instructions, blocks, edges and bytes: code/relocate/cfg.h. NULL if these are
	 * not known: then no point has code, but what is listed is told. */
	const struct cfg *cfg;
};

struct point_source {
	/* Whether a function may have points: those that have not are left alone, if
	 * nothing else is asked of them. `name` is demangled if it was mangled, or
	 * "sub_<offset>"; `address` is link-time. NULL: all. */
	bool (*wants)(void *context, const struct image *image, const char *name,
		      uint64_t address);
	/* Whether functions of a module (its path) may have points: a module in which
	 * none has is planned as if there were no source, and its plan kept. NULL: all.
	 */
	bool (*concerns)(void *context, const char *module);
	/* Adds the points of a function to `ret_points`, which is empty. No points and no
	 * slots: the function is none of the source's business. */
	void (*list)(void *context, const struct point_function *function,
		     struct points *ret_points);
	/* Writes the code of a point. */
	void (*emit)(void *context, const struct point_function *function,
		     const struct point *point, struct recipe *recipe);
	/* Why the run cannot be, as known so far; NULL: it can. May be NULL. */
	struct trm_error *(*refuse)(void *context);
	/* What is to be told of it when the run is over; NULL: nothing. May be NULL. */
	const char *(*tell)(void *context);
	void *context;
	/* Counters of the whole module, beside those of functions: `module_slots` words,
	 * of which those from `module_first_max` on are maxima. recipe_module_slot names
	 * them. */
	uint32_t module_slots, module_first_max;
};

/* Up to so many sources may have points at once: those of one place run in the order of
 * the sources if their `order` is equal. plan.points names them by their index. */
enum { POINT_SOURCES_MAX = 4 };
struct point_sources {
	uint32_t count;
	const struct point_source *items[POINT_SOURCES_MAX];
	struct point_data *data; /* for their routines; NULL: none */
};

/* Reasons why a point of a function has no code, each with a text. */
enum point_trouble {
	POINT_PLACED,
	POINT_NOT_RELOCATED, /* its function cannot be relocated whole */
	POINT_STAYS,         /* its instruction is executed at its original place, where
				there is no room for more */
	POINT_NO_PLACE,      /* nothing falls through there, or it is no such edge */
	POINT_TOO_LONG,      /* more code than POINT_SIZE_MAX bytes */
	POINT_UNREADABLE, /* a value was asked for that the instruction does not have */
	POINT_COUNTED,    /* its function cannot be replaced: its blocks are counted */
	POINT_TROUBLES
};

/* The most bytes of one point's code. */
enum { POINT_SIZE_MAX = 2048 };

/* Why a point has no code: a few words. */
const char *point_trouble_text(enum point_trouble trouble);

#endif
