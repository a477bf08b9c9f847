/*
 * The payloads of data chunks: definitions and records. Takes any bytes.
 */
#ifndef TRAMMEL_RECORD_TRM_DECODE_H
#define TRAMMEL_RECORD_TRM_DECODE_H

#include "base/vector.h"
#include "record/record.h"

#include <stdint.h>

/* The attributes of one kind of record: a range of trm_decoder.pairs. */
struct trm_shape {
	uint32_t first, count;
};

/* Definitions since the head of the file, and in the current chunk. */
struct trm_decoder {
	struct record_model *model;
	const struct trm_visitor *visitor;
	struct VECTOR(record_attribute) attributes; /* by number in the file */
	struct VECTOR(record_node) nodes;       /* by number in the file; 0 is the root */
	struct VECTOR(struct trm_shape) shapes; /* of this chunk */
	struct VECTOR(struct record_pair) pairs; /* the shapes', with the last values */
	uint64_t node_bytes;                     /* memory that nodes took, as counted */
};

/* Forgets all definitions: another file begins. */
void trm_decoder_restart(struct trm_decoder *decoder);
void trm_decoder_deinit(struct trm_decoder *decoder);

/* Decodes a payload, which must be followed by TRM_PADDING zero bytes, and calls the
 * visitor. `node_bytes_max` limits the memory of all nodes. Returns NULL, or a
 * constant error text such as "a node without parent"; records before the error have
 * been visited. */
const char *trm_decoder_payload(struct trm_decoder *decoder, const uint8_t *payload,
				size_t size, uint64_t node_bytes_max);

#endif
