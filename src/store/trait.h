/* What the attributes of a profile's records mean to the database. */
#ifndef TRAMMEL_STORE_TRAIT_H
#define TRAMMEL_STORE_TRAIT_H

#include "base/text.h"
#include "record/record.h"

#include <stdbool.h>
#include <stdint.h>

enum trait_role {
	TRAIT_KEY,    /* tells contexts apart */
	TRAIT_NUMBER, /* was counted */
	TRAIT_IMAGE,  /* the source: image, thread, interval */
	TRAIT_THREAD,
	TRAIT_INTERVAL,
	TRAIT_APART, /* a record with it is kept as it is */
};

/* Meanings that some attributes have beside their role. */
enum trait_mark {
	TRAIT_PLAIN,
	TRAIT_OFFSET, /* of the function */
	TRAIT_EVENT,  /* name of the event that was sampled */
	TRAIT_BLOCK,  /* the record is about a block */
	TRAIT_EDGE,
	TRAIT_WEIGHT, /* instructions of the block */
};

struct trait {
	uint8_t role, mark;
	uint8_t address; /* how closely it says where in the code; 0: not at all */
};

/* How numbers of one context add up. */
enum trait_fold { FOLD_SUM, FOLD_MIN, FOLD_MAX, FOLD_KEEP, FOLD_COUNT };

/* Finds what an attribute of a model means. */
struct trait trait_find(const struct record_model *model, record_attribute attribute);

/* Finds how numbers of this name add up, and the word for that. */
enum trait_fold trait_fold_of(const char *name);
extern const char *const trait_fold_names[FOLD_COUNT];

/* Tells whether numbers of this name are of samples: 1 those of them, 2 what they stand
 * for, 0 none. */
int trait_is_sampled(const char *name);

/* Writes the name of the event that a number of attribute `name` in a record is: blocks
 * and edges are told apart from others, and samples by `event`, which may be NULL. */
void trait_name_event(const char *name, enum trait_mark about, const char *event,
		      struct text *ret_name);

#endif
