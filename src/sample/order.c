#include "sample/order.h"

#include "base/array.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t *bytes_of(const struct sample_order *order,
			       const struct sample_order_row *row)
{
	return row->in_ring ? row->in_ring : order->bytes.items + row->at;
}

static void add_row(struct sample_order *order, struct sample_order_row row, size_t size)
{
	struct sample_record record;

	if (!sample_record_read(&order->layout, bytes_of(order, &row), size, &record) ||
	    record.kind == SAMPLE_OTHER)
		return;
	row.time = record.time;
	row.number = order->number++;
	vector_push(&order->rows, row);
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
		add_row(order, (struct sample_order_row){.at = at}, header.size);
		at += header.size;
	}
	order->damaged += at < end;
}

/* A record that a ring has in one piece is looked at there: of its stack only some words
 * are needed. */
static void take_record(struct sample_order *order, const struct sample_ring *ring,
			uint64_t start, size_t size)
{
	struct sample_order_row row = {.in_ring = sample_ring_piece(ring, start, size)};

	if (!row.in_ring) {
		row.at = add_room(order, size);
		sample_ring_copy(ring, start, size, order->bytes.items + row.at);
	}
	add_row(order, row, size);
}

void sample_order_take_ring(struct sample_order *order, const struct sample_ring *ring,
			    uint64_t *ret_end)
{
	uint64_t start;
	size_t left = sample_ring_filled(ring, &start);
	struct perf_event_header header;

	*ret_end = start + left;
	while (left >= sizeof(header)) {
		sample_ring_copy(ring, start, sizeof(header), &header);
		if (header.size < sizeof(header) || header.size > left)
			break;
		take_record(order, ring, start, header.size);
		start += header.size;
		left -= header.size;
	}
	order->damaged += left != 0;
}

static int by_time(const void *left, const void *right)
{
	const struct sample_order_row *a = left, *b = right;

	return compare_numbers(a->time, b->time) ?: compare_numbers(a->number, b->number);
}

/* Keeps the rows from `first` on, and their bytes. */
static void keep_rest(struct sample_order *order, size_t first)
{
	struct VECTOR(uint8_t) bytes = {0};

	for (size_t i = first; i < order->rows.count; i++) {
		struct sample_order_row row = order->rows.items[i];
		struct perf_event_header header;
		const size_t at = bytes.count;

		memcpy(&header, bytes_of(order, &row), sizeof(header));
		vector_reserve(&bytes, at + header.size);
		memcpy(bytes.items + at, bytes_of(order, &row), header.size);
		bytes.count = at + header.size;
		row.in_ring = NULL;
		row.at = at;
		order->rows.items[i - first] = row;
	}
	order->rows.count -= first;
	/* The larger room is kept for what comes. */
	vector_reserve(&order->bytes, bytes.count);
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
		const uint8_t *bytes = bytes_of(order, &order->rows.items[done]);
		struct perf_event_header header;
		struct sample_record record;

		memcpy(&header, bytes, sizeof(header));
		sample_record_read(&order->layout, bytes, header.size, &record);
		visit(context, &record);
	}
	keep_rest(order, done);
}

void sample_order_deinit(struct sample_order *order)
{
	vector_deinit(&order->bytes);
	vector_deinit(&order->rows);
}
