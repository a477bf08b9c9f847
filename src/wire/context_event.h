/* Events in a spool (wire/context.h): cells of 32 bits. */
#ifndef TRAMMEL_WIRE_CONTEXT_EVENT_H
#define TRAMMEL_WIRE_CONTEXT_EVENT_H

#include <stdint.h>

/*
 * An event is a sequence of 32-bit cells. Most are short, one cell: bit 0 is 1; bit 1 is
 * 1 for an END, 0 for a BEGIN; 10 bits of `what`; 20 bits of ticks since the last event.
 * All others are long: a cell with bit 0 = 0, 3 bits of the kind, 28 of `what`; a cell of
 * ticks; two of the value, if there is one. If the ticks do not fit, and at the beginning
 * of blocks, a CONTEXT_EVENT_TIME comes first: a cell, and two of the time. The first
 * cell is written last: an event whose first cell is 0 does not count yet.
 */
enum context_event_kind {
	CONTEXT_EVENT_BEGIN = 1, /* what: number of the node that began */
	CONTEXT_EVENT_END,       /* what: number of the node that ended */
	CONTEXT_EVENT_MOVE,      /* what: number of the node that is now current */
	CONTEXT_EVENT_SET,       /* what: an attribute; with its value */
	CONTEXT_EVENT_CHANGE,    /* what: number of the node that replaced another */
	CONTEXT_EVENT_TIME,
};

enum context_event_cells {
	CONTEXT_CELLS_SHORT = 1,
	CONTEXT_CELLS_LONG = 2,
	CONTEXT_CELLS_TIME = 3,
	CONTEXT_CELLS_SET = 4,
	CONTEXT_CELLS_MOST = CONTEXT_CELLS_TIME + CONTEXT_CELLS_SET,
};

/* Tells whether a BEGIN or END fits a short event. */
static inline int context_event_is_short(uint32_t what, uint64_t ticks)
{
	return !(ticks >> 20 | what >> 10);
}

/* Returns the cell of a short event. */
static inline uint32_t context_event_short(enum context_event_kind kind, uint32_t what,
					   uint64_t ticks)
{
	return (uint32_t)ticks << 12 | what << 2 | (kind == CONTEXT_EVENT_END) << 1 | 1;
}

/* Returns the first cell of a long event. */
static inline uint32_t context_event_long(enum context_event_kind kind, uint32_t what)
{
	return what << 4 | (uint32_t)kind << 1;
}

struct context_event_head {
	enum context_event_kind kind; /* 0: no event */
	uint32_t what;
	uint32_t ticks; /* of a short event */
	int is_short;
};

/* Reads the first cell of an event. */
static inline struct context_event_head context_event_head(uint32_t cell)
{
	if (cell & 1)
		return (struct context_event_head){cell & 2 ? CONTEXT_EVENT_END
							    : CONTEXT_EVENT_BEGIN,
						   cell >> 2 & 0x3ff, cell >> 12, 1};
	return (struct context_event_head){(enum context_event_kind)(cell >> 1 & 7),
					   cell >> 4, 0, 0};
}

#endif
