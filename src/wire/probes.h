/*
 * What a thread's one-line probes keep, in its bank: an area behind its header, at a
 * distance that the plan of a module knows. Counters of actions without keys are a
 * module's; here are variables, what is kept between a call's entry and its return, and
 * sums by keys and records, which the resident writes (resident/probes.c). All is zero at
 * first. The tracer reads it while threads run: an item counts once its number is in
 * `entries_used` and the like, which are written after it.
 */
#ifndef TRAMMEL_WIRE_PROBES_H
#define TRAMMEL_WIRE_PROBES_H

#include <stdint.h>

enum {
	WIRE_PROBE_KEYS = 5,       /* of an action, with that of the phase */
	WIRE_PROBE_WORDS = 8,      /* keys and operands of an action, and the time */
	WIRE_PROBE_VARIABLES = 64, /* of a thread */
	WIRE_PROBE_CELLS = 14,     /* of a call */
	WIRE_PROBE_ACTIONS = 512,  /* of all probes */
	WIRE_PROBE_TEXT = 120,     /* bytes of a string */
	WIRE_PROBE_PATH = 480,     /* bytes of a region's path */
	WIRE_PROBE_CALL_BITS = 16,
	WIRE_PROBE_CALLS = 1 << WIRE_PROBE_CALL_BITS,
	WIRE_PROBE_LOOP_BITS = 14,
	WIRE_PROBE_LOOPS = 1 << WIRE_PROBE_LOOP_BITS,
	WIRE_PROBE_CALL_SHIFT = 4, /* stack pointers at entries are so far apart */
	WIRE_PROBE_ENTRIES = 16384,
	WIRE_PROBE_INDEX = 1 << 15,
	WIRE_PROBE_ROWS = 1 << 20, /* of histograms by keys */
	WIRE_PROBE_TEXTS = 1 << 20,
	WIRE_PROBE_TEXT_INDEX = 1 << 14,
	WIRE_PROBE_RECORDS = 1 << 15,
};

/* What the code of a point tells of an action: packed in a word. */
#define WIRE_PROBE_ACTION(shape)       ((uint32_t)(shape)&0xffff)
#define WIRE_PROBE_COUNT(shape)        ((uint32_t)((shape) >> 16) & 0xf) /* keys, operands */
#define WIRE_PROBE_IS_TEXT(shape, i)   ((shape) >> (20 + (i)) & 1)
#define WIRE_PROBE_IS_REGION(shape, i) ((shape) >> (28 + (i)) & 1)
#define WIRE_PROBE_KIND(shape)         ((uint32_t)((shape) >> 36) & 3)
#define WIRE_PROBE_ROW_COUNT(shape)    ((uint32_t)((shape) >> 40) & 0xffff)

enum wire_probe_kind {
	WIRE_PROBE_ADD,   /* the value is added */
	WIRE_PROBE_MOST,  /* the largest value is kept, as an unsigned number */
	WIRE_PROBE_TRACE, /* a record */
};

/* Keys with their sums. A key that is text is its offset in `texts`. */
struct wire_probe_entry {
	uint32_t action;
	uint32_t rows; /* the first one's number in `rows`, plus 1; 0: none */
	uint64_t keys[WIRE_PROBE_KEYS];
	uint64_t hits, value;
};

/* The path of a region as a text: its nodes, innermost first (struct context_node), each
 * as its attribute and value. A number is bytes of 6 bits, the lowest first, all with
 * WIRE_PROBE_DIGIT, and the last one with WIRE_PROBE_LAST_DIGIT. */
enum { WIRE_PROBE_DIGIT = 0x80, WIRE_PROBE_LAST_DIGIT = 0x40, WIRE_PROBE_DIGIT_BITS = 6 };

struct wire_probe_record {
	uint32_t action, count;
	uint64_t words[WIRE_PROBE_WORDS]; /* the operands, and last the time in ticks */
};

/* A call that a probe may see the return of, or some loops of one. Its row is a part of
 * the stack pointer at its entry; another call that has the same row has taken its place,
 * or ended without a return. */
struct wire_probe_call {
	uint64_t key; /* stack pointer and function */
	uint64_t ticks;
	uint64_t cells[WIRE_PROBE_CELLS];
};

struct wire_probes {
	uint64_t begin; /* ticks when time is 0; written by the tracer, as is `scale` */
	uint64_t scale; /* ns a tick, times 1 << WIRE_PROBE_SCALE */
	uint64_t words[WIRE_PROBE_WORDS]; /* of the action that is being done */
	uint64_t value, row;
	uint64_t variables[WIRE_PROBE_VARIABLES];
	uint64_t entries_used, rows_used, texts_used, records_used;
	uint64_t records_taken;                /* the tracer's: those that it has read */
	uint64_t lost[WIRE_PROBE_ACTIONS];     /* what found no room */
	uint64_t errors[WIRE_PROBE_ACTIONS];   /* text that could not be read */
	uint64_t extremes[WIRE_PROBE_ACTIONS]; /* largest numbers, of min() and max() */
	uint32_t index[WIRE_PROBE_INDEX];      /* by hash: 1 + number of the entry */
	uint32_t text_index[WIRE_PROBE_TEXT_INDEX]; /* by hash: 1 + offset in `texts` */
	struct wire_probe_entry entries[WIRE_PROBE_ENTRIES];
	uint64_t rows[WIRE_PROBE_ROWS];
	char texts[WIRE_PROBE_TEXTS]; /* 0-terminated */
	struct wire_probe_record records[WIRE_PROBE_RECORDS];
	struct wire_probe_call calls[WIRE_PROBE_CALLS];
	struct wire_probe_call loops[WIRE_PROBE_LOOPS]; /* the cells are trips */
};

enum { WIRE_PROBE_SCALE = 16 }; /* bits behind the point of `scale` */

#endif
