/*
 * Names of phases and their views, in memory that a program and its tracer share, for one
 * bank in one address space: so the library of contexts finds the view of a path that its
 * thread was in before, and takes one for a new path, by itself. The tracer reads which
 * view is of which path when it needs to know. All is zero at first. Whoever is not
 * writing may read: a row counts once its number is in `rows_used`.
 */
#ifndef TRAMMEL_WIRE_PHASE_NAMES_H
#define TRAMMEL_WIRE_PHASE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

enum {
	WIRE_PHASE_ROWS = 1 << 14,
	WIRE_PHASE_INDEX = 1 << 15,
	WIRE_PHASE_STEPS = 64,      /* rows of the index that are looked at */
	WIRE_PHASE_TEXTS = 3 << 20, /* as much memory as is touched */
};

struct wire_phase_row {
	uint64_t view;       /* its address */
	uint32_t text, size; /* the name: its place in `texts`, and bytes */
};

struct wire_phase_names {
	uint64_t next, end; /* addresses of views that the library may take, `stride`
			       bytes from each other */
	uint64_t stride;
	uint64_t other; /* of what has no view of its own; 0: not known yet */
	uint32_t full;  /* not 0: there will be no more views */
	uint32_t texts_used;
	uint32_t rows_used;
	uint32_t index[WIRE_PHASE_INDEX]; /* by hash: 1 + number of the row */
	struct wire_phase_row rows[WIRE_PHASE_ROWS];
	char texts[WIRE_PHASE_TEXTS];
};

static inline uint32_t phase_names_hash(const char *text, uint64_t size)
{
	uint64_t hash = size;

	for (uint64_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
	return (uint32_t)(hash ^ hash >> 32);
}

static inline bool phase_names_has(const struct wire_phase_names *names, uint32_t row,
				   const char *text, uint64_t size)
{
	const uint32_t at = names->rows[row].text;

	if (names->rows[row].size != size || at > WIRE_PHASE_TEXTS - size)
		return false;
	for (uint64_t i = 0; i < size; i++)
		if (names->texts[at + i] != text[i])
			return false;
	return true;
}

/* Returns the address of the view of a name of `size` bytes, at most WIRE_PHASE_TEXT; 0:
 * it has no row. */
static inline uint64_t phase_names_find(const struct wire_phase_names *names,
					const char *text, uint64_t size)
{
	const uint32_t hash = phase_names_hash(text, size);

	for (uint32_t step = 0; step < WIRE_PHASE_STEPS; step++) {
		const uint32_t row = names->index[(hash + step) % WIRE_PHASE_INDEX];

		if (!row || row > WIRE_PHASE_ROWS)
			return 0;
		if (phase_names_has(names, row - 1, text, size))
			return names->rows[row - 1].view;
	}
	return 0;
}

/* Adds a name that has no row; returns false if there is no room. */
static inline bool phase_names_add(struct wire_phase_names *names, uint64_t view,
				   const char *text, uint64_t size)
{
	const uint32_t hash = phase_names_hash(text, size);
	const uint32_t row = names->rows_used, at = names->texts_used;
	uint32_t step = 0;

	if (row >= WIRE_PHASE_ROWS || at > WIRE_PHASE_TEXTS ||
	    size > WIRE_PHASE_TEXTS - at)
		return false;
	while (names->index[(hash + step) % WIRE_PHASE_INDEX])
		if (++step == WIRE_PHASE_STEPS)
			return false;
	for (uint64_t i = 0; i < size; i++)
		names->texts[at + i] = text[i];
	names->rows[row] = (struct wire_phase_row){view, at, (uint32_t)size};
	names->texts_used = at + (uint32_t)size;
	names->index[(hash + step) % WIRE_PHASE_INDEX] = row + 1;
	__atomic_store_n(&names->rows_used, row + 1, __ATOMIC_RELEASE);
	return true;
}

#endif
