#include "sample/ring.h"

#include "base/page.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

bool sample_ring_init(struct sample_ring *ring, int fd, size_t size)
{
	void *at = MAP_FAILED;

	*ring = (struct sample_ring){.fd = fd};
	for (; size >= PAGE; size /= 2) {
		at = mmap(NULL, PAGE + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		/* More than the user may lock is EPERM. */
		if (at != MAP_FAILED || (errno != EPERM && errno != ENOMEM))
			break;
	}
	if (at == MAP_FAILED)
		return false;
	ring->head = at;
	ring->bytes = (const uint8_t *)at + PAGE;
	ring->size = size;
	return true;
}

void sample_ring_deinit(struct sample_ring *ring)
{
	if (ring->head)
		munmap(ring->head, PAGE + ring->size);
	ring->head = NULL;
}

size_t sample_ring_filled(const struct sample_ring *ring, uint64_t *ret_start)
{
	uint64_t end = __atomic_load_n(&ring->head->data_head, __ATOMIC_ACQUIRE);

	*ret_start = ring->head->data_tail;
	return end - *ret_start <= ring->size ? (size_t)(end - *ret_start) : 0;
}

const uint8_t *sample_ring_piece(const struct sample_ring *ring, uint64_t start,
				 size_t size)
{
	const size_t at = (size_t)(start & (ring->size - 1));

	return size <= ring->size - at ? ring->bytes + at : NULL;
}

void sample_ring_copy(const struct sample_ring *ring, uint64_t start, size_t size,
		      void *ret_bytes)
{
	const size_t at = (size_t)(start & (ring->size - 1)), first = ring->size - at;

	if (size <= first) {
		memcpy(ret_bytes, ring->bytes + at, size);
		return;
	}
	memcpy(ret_bytes, ring->bytes + at, first);
	memcpy((uint8_t *)ret_bytes + first, ring->bytes, size - first);
}

void sample_ring_release(struct sample_ring *ring, uint64_t end)
{
	__atomic_store_n(&ring->head->data_tail, end, __ATOMIC_RELEASE);
}
