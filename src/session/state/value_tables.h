/*
 * What instructions were seen to read and leave: for each of them and each of its values
 * a table of the most frequent ones, and numbers about all. The tables are those of B.
 * Calder, P. Feller and A. Eustace, Value Profiling (MICRO-30, 1997): of the rows the
 * least frequent is replaced, and the lower half is cleared now and then, so that what
 * becomes frequent later can rise.
 */
#ifndef TRAMMEL_SESSION_STATE_VALUE_TABLES_H
#define TRAMMEL_SESSION_STATE_VALUE_TABLES_H

#include "base/table.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	VALUE_TOP = 16, /* kept values */
	VALUE_STEADY = 8,
	VALUE_CLEAR_EVERY = 2048, /* values between clearings of the other half */
	VALUE_STRIDES = 4,
};

/* Which value of an instruction. */
enum value_of {
	VALUE_RESULT, /* number: of the register, as struct operand has it */
	VALUE_LOAD,   /* number: of the memory operand */
	VALUE_STORE,
	VALUE_ADDRESS,
	VALUE_TARGET, /* where a branch led: a number of code, see tool_code_number */
	VALUE_TICKS,  /* of a load */
	VALUE_REPLAY, /* why a load had to wait for a store: enum value_replay */
	VALUE_OWN,    /* of a profiler of the user's: its table is `text` */
	VALUE_KINDS
};

enum value_replay {
	VALUE_FREE,      /* no recent store is in its way */
	VALUE_FORWARDED, /* one has all that it loads */
	VALUE_PARTIAL,   /* one has a part of it */
	VALUE_ALIAS,     /* one has the same low 12 bits of an address */
};

struct value_key {
	uint64_t code; /* tool_code_number() */
	uint8_t of;    /* enum value_of */
	uint8_t number;
	uint16_t unused;
	uint32_t text; /* VALUE_OWN: number of a text of the run's, plus 1; else 0 */
	/* In which of its regions the program says that the thread was: number of a text
	 * of the run's, plus 1 (session/state/region_path.h); 0: it is not known. */
	uint32_t region, unused_too;
};

struct value_count {
	uint64_t value, count;
};

struct value_row {
	struct value_key key;
	uint64_t seen, zeros;
	uint64_t pairs; /* of values of two executions in a row */
	uint64_t same;  /* of these, equal ones */
	struct value_count top[VALUE_TOP];
	struct value_count strides[VALUE_STRIDES];
};

/* Of an image; all-zero: none. */
struct value_tables {
	struct VECTOR(struct value_row) rows;
	struct table by_key;
	uint64_t lost; /* values of rows for which there was no room */
};

/* A value, and the one of the execution before. */
struct value_seen {
	struct value_key key;
	uint64_t value, last;
	bool has_last;
};

/* Rows of one image. */
enum { VALUE_ROWS_MAX = 1 << 18 };

void value_tables_add(struct value_tables *tables, const struct value_seen *seen);
void value_tables_deinit(struct value_tables *tables);

#endif
