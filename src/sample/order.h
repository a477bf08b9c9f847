/* Records of several rings in the order of time. */
#ifndef TRAMMEL_SAMPLE_ORDER_H
#define TRAMMEL_SAMPLE_ORDER_H

#include "base/vector.h"
#include "sample/record.h"
#include "sample/ring.h"

/* Called for each record, with its bytes. */
typedef void sample_visit(void *context, const struct sample_record *record);

struct sample_order_row {
	uint64_t time, number;  /* `number`: in the order in which they came */
	const uint8_t *in_ring; /* NULL: in `bytes`, */
	size_t at;              /* there */
};

/* Records that wait. All-zero but for `layout` is empty. */
struct sample_order {
	struct sample_layout layout;
	struct VECTOR(uint8_t) bytes;
	struct VECTOR(struct sample_order_row) rows;
	uint64_t number;  /* of the next row */
	uint64_t damaged; /* times that a ring had bytes that are no record */
};

/* Takes records in: all that a ring has, which stay in it until the next visit is done
 * and the ring is released up to `ret_end`; or all in some bytes. */
void sample_order_take_ring(struct sample_order *order, const struct sample_ring *ring,
			    uint64_t *ret_end);
void sample_order_take(struct sample_order *order, const void *bytes, size_t size);

/* Calls `visit` for the records of times before `until`, by time; those of one time in
 * the order in which they came. The later ones wait on. */
void sample_order_visit(struct sample_order *order, uint64_t until, sample_visit *visit,
			void *context);
void sample_order_deinit(struct sample_order *order);

#endif
