/* Writing .trm files. */
#ifndef TRAMMEL_RECORD_TRM_WRITER_H
#define TRAMMEL_RECORD_TRM_WRITER_H

#include "record/record.h"
#include "record/trm.h"

/*
 * Writing a .trm file. The format is described at the head of record/trm.h. Records are
 * packed into compressed chunks; attributes and nodes go into the stream before their
 * first use. An error of the disk is kept, and later calls do nothing; trm_writer_finish
 * tells it. The writer does not own the model nor the descriptor.
 */
struct trm_writer *trm_writer_create(int fd, struct record_model *model);

/* Stops the compression of further chunks: for data that is read at once and not kept. */
void trm_writer_leave_plain(struct trm_writer *writer);
void trm_writer_record(struct trm_writer *writer, record_node node,
		       const struct record_pair *pairs, size_t count);

/* A global: run metadata, one value for an attribute. The second one: unless the
 * attribute has one; returns whether it was written. */
void trm_writer_global(struct trm_writer *writer, record_attribute attribute,
		       struct record_value value);
bool trm_writer_global_once(struct trm_writer *writer, record_attribute attribute,
			    struct record_value value);

/* Writes the buffered data as a whole chunk. */
void trm_writer_flush(struct trm_writer *writer);

/* Writes the end mark; returns the first error there was. Destroys the writer. */
struct trm_error *trm_writer_finish(struct trm_writer *writer)
	__attribute__((warn_unused_result));

/* Computes the checksum of a chunk whose header begins with the 16 bytes at `head`. */
uint64_t trm_checksum(const uint8_t *head, const void *stored, size_t size);

#endif
