/*
 * A part as bytes for another process, of the same program on the same kind of machine:
 * numbers have their representation in memory. Input is checked.
 */
#ifndef TRAMMEL_QUERY_PACK_H
#define TRAMMEL_QUERY_PACK_H

#include "base/vector.h"
#include "record/record.h"

#include <stdint.h>

struct query_pack VECTOR(char);

void query_pack_bytes(struct query_pack *pack, const void *bytes, size_t size);
void query_pack_uint(struct query_pack *pack, uint32_t number);
/* Packs a text; NULL stays NULL. */
void query_pack_text(struct query_pack *pack, const char *text);
void query_pack_value(struct query_pack *pack, struct record_value value);

/* Bytes being read; at the first invalid item `wrong` is set, and it and all further
 * items read as 0. */
struct query_unpack {
	const char *at;
	size_t left;
	bool wrong;
};

void query_unpack_bytes(struct query_unpack *unpack, void *ret_bytes, size_t size);
uint32_t query_unpack_uint(struct query_unpack *unpack);
/* Reads a number that must be below `end`. */
uint32_t query_unpack_index(struct query_unpack *unpack, size_t end);
/* Reads a text in place, without copying; so do values. */
const char *query_unpack_text(struct query_unpack *unpack);
struct record_value query_unpack_value(struct query_unpack *unpack);

#endif
