/* A ring buffer that the kernel writes records of perf events to. */
#ifndef TRAMMEL_SAMPLE_RING_H
#define TRAMMEL_SAMPLE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_event_mmap_page;

struct sample_ring {
	int fd;                            /* of the event that it belongs to */
	struct perf_event_mmap_page *head; /* NULL: none is mapped */
	const uint8_t *bytes;
	size_t size;  /* of the bytes: a power of two */
	uint64_t end; /* a position: records up to it are being read */
};

/* Maps the ring of an event, as large as is allowed, but no larger than `size` bytes (a
 * power of two). False, with errno, if none can be had. */
bool sample_ring_init(struct sample_ring *ring, int fd, size_t size);
void sample_ring_deinit(struct sample_ring *ring);

/* Returns how many bytes of records there are, and writes where they begin to
 * `ret_start`, a position as the kernel counts them. */
size_t sample_ring_filled(const struct sample_ring *ring, uint64_t *ret_start);

/* Returns where bytes from a position on lie; NULL: a part of them is at the end of the
 * ring, and the rest at its start. */
const uint8_t *sample_ring_piece(const struct sample_ring *ring, uint64_t start,
				 size_t size);

/* Copies bytes from a position on. */
void sample_ring_copy(const struct sample_ring *ring, uint64_t start, size_t size,
		      void *ret_bytes);

/* Gives the room up to a position back to the kernel. */
void sample_ring_release(struct sample_ring *ring, uint64_t end);

#endif
