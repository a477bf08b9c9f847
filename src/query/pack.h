/*
 * What a part has, as bytes for another process: of the same program on the same kind of
 * machine, so numbers are as they lie in memory. What is read is checked.
 */
#ifndef TRAMMEL_QUERY_PACK_H
#define TRAMMEL_QUERY_PACK_H

#include "base/vector.h"
#include "record/record.h"

#include <stdint.h>

struct query_pack VECTOR(char);

void query_pack_bytes(struct query_pack *pack, const void *bytes, size_t size);
void query_pack_uint(struct query_pack *pack, uint32_t number);
/* NULL stays NULL. */
void query_pack_text(struct query_pack *pack, const char *text);
void query_pack_value(struct query_pack *pack, struct record_value value);

/* Bytes that are read; `wrong` from the first thing on that makes no sense, which is 0.
 */
struct query_unpack {
	const char *at;
	size_t left;
	bool wrong;
};

void query_unpack_bytes(struct query_unpack *unpack, void *ret_bytes, size_t size);
uint32_t query_unpack_uint(struct query_unpack *unpack);
/* The same, below `end`. */
uint32_t query_unpack_index(struct query_unpack *unpack, size_t end);
/* Lies in the bytes, as what a value has. */
const char *query_unpack_text(struct query_unpack *unpack);
struct record_value query_unpack_value(struct query_unpack *unpack);

#endif
