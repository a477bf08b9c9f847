/* Byte source of a reader: memory, or a descriptor (also a pipe) with a window. */
#ifndef TRAMMEL_RECORD_TRM_SOURCE_H
#define TRAMMEL_RECORD_TRM_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct trm_source {
	int fd; /* -1: all of it is in the window */
	const uint8_t *window;
	size_t window_size;
	uint64_t offset; /* in the file, of the window's first byte */
	uint8_t *buffer; /* of the descriptor; NULL for memory */
	size_t buffer_size;
	int failure; /* errno of a failed read; the file then seems to end here */
};

struct trm_source trm_source_memory(const void *bytes, size_t size);
struct trm_source trm_source_fd(int fd);
void trm_source_deinit(struct trm_source *source);

/* Fills the window up to `wanted` bytes, fewer at the end of the source; returns its
 * size. */
size_t trm_source_peek(struct trm_source *source, size_t wanted);

/* Drops bytes of the window. */
void trm_source_skip(struct trm_source *source, size_t count);

/* Moves on to the next place with these bytes (`size`: at most 16); returns 0 if there
 * is none. */
int trm_source_seek(struct trm_source *source, const void *bytes, size_t size);

#endif
