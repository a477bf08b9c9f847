#include "sample/order.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

static void add_row(struct sample_order *order, size_t at, size_t size)
{
	struct sample_record record;

	if (!sample_record_read(&order->layout, order->bytes.items + at, size, &record))
		return;
	if (record.kind != SAMPLE_OTHER)
		vector_push(&order->rows,
			    ((struct sample_order_row){.time = record.time, .at = at}));
}

/* Adds room for `size` bytes behind the others. Returns where they begin. */
static size_t add_room(struct sample_order *order, size_t size)
{
	const size_t at = order->bytes.count;

	vector_reserve(&order->bytes, at + size);
	order->bytes.count = at + size;
	return at;
}

void sample_order_take(struct sample_order *order, const void *bytes, size_t size)
{
	size_t end = add_room(order, size), at = end;

	if (!size)
		return;
	memcpy(order->bytes.items + at, bytes, size);
	for (end += size; at < end;) {
		struct perf_event_header header;

		if (end - at < sizeof(header))
			break;
		memcpy(&header, order->bytes.items + at, sizeof(header));
		if (header.size < sizeof(header) || header.size > end - at)
			break;
		add_row(order, at, header.size);
		at += header.size;
	}
	order->damaged += at < end;
}

void sample_order_take_ring(struct sample_order *order, struct sample_ring *ring)
{
	uint64_t start;
	const size_t size = sample_ring_filled(ring, &start);
	char *copy;

	if (!size)
		return;
	copy = memory_allocate(size);
	sample_ring_copy(ring, start, size, copy);
	sample_ring_release(ring, start + size);
	sample_order_take(order, copy, size);
	free(copy);
}

static int by_time(const void *left, const void *right)
{
	const struct sample_order_row *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Keeps the rows from `first` on, and their bytes. */
static void keep_rest(struct sample_order *order, size_t first)
{
	struct VECTOR(uint8_t) bytes = {0};

	for (size_t i = first; i < order->rows.count; i++) {
		struct sample_order_row row = order->rows.items[i];
		struct perf_event_header header;
		const size_t at = bytes.count;

		memcpy(&header, order->bytes.items + row.at, sizeof(header));
		vector_reserve(&bytes, at + header.size);
		memcpy(bytes.items + at, order->bytes.items + row.at, header.size);
		bytes.count = at + header.size;
		row.at = at;
		order->rows.items[i - first] = row;
	}
	order->rows.count -= first;
	/* The larger room is kept for what comes. */
	if (bytes.count)
		memcpy(order->bytes.items, bytes.items, bytes.count);
	order->bytes.count = bytes.count;
	vector_deinit(&bytes);
}

void sample_order_visit(struct sample_order *order, uint64_t until, sample_visit *visit,
			void *context)
{
	size_t done = 0;

	if (order->rows.count)
		qsort(order->rows.items, order->rows.count, sizeof(*order->rows.items),
		      by_time);
	for (; done < order->rows.count && order->rows.items[done].time < until; done++) {
		const size_t at = order->rows.items[done].at;
		struct sample_record record;

		sample_record_read(&order->layout, order->bytes.items + at,
				   order->bytes.count - at, &record);
		visit(context, &record);
	}
	keep_rest(order, done);
}

void sample_order_deinit(struct sample_order *order)
{
	vector_deinit(&order->bytes);
	vector_deinit(&order->rows);
}
