/* Where code is, for records about single instructions: function, and place in the
 * source. */
#ifndef TRAMMEL_SESSION_PROFILE_CODE_PLACES_H
#define TRAMMEL_SESSION_PROFILE_CODE_PLACES_H

#include "session/profile/profile_writer.h"

struct code_places;

struct code_place {
	record_node node; /* of the function, or else the module */
	bool has_offset;
	uint64_t offset; /* link-time address of the function */
	/* In the source; NULL and 0: not known. Valid as long as the places. */
	const char *file;
	uint32_t line;
};

struct code_places *code_places_create(struct profile_writer *writer);
/* Frees all; NULL is allowed. */
void code_places_destroy(struct code_places *places);

/* Finds code by the path of a file, and a link-time address. */
struct code_place code_places_find(struct code_places *places, const char *path,
				   uint64_t address);

/* Adds nodes below `node`, and pairs (CODE_PLACE_PAIRS at most), that say which code a
 * record is about. Returns the node. */
enum { CODE_PLACE_PAIRS = 2 };
record_node code_places_add(struct profile_writer *writer, const struct code_place *place,
			    record_node node, uint64_t address, struct record_pair *pairs,
			    size_t *count);

#endif
