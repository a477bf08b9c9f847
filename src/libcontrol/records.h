/* Records: rows of named values, all in memory. */
#ifndef TRAMMEL_LIBCONTROL_RECORDS_H
#define TRAMMEL_LIBCONTROL_RECORDS_H

#include "base/table.h"
#include "base/vector.h"
#include "protocol/frame.h"
#include "record/record.h"
#include "trammel/control.h"

/* A value; texts are in the records' strings. */
struct records_cell {
	uint32_t name;             /* number in `names` */
	struct record_value value; /* `bytes` of texts: number in `strings` is in `u` */
	bool nested;
	size_t text; /* offset in `bytes` of a text, which ends with a 0 */
};

/* `struct trm_records` is its ticket. */
struct control_records {
	struct string_table names;
	struct VECTOR(struct records_cell) cells;
	struct VECTOR(size_t) begins; /* of each record in `cells` */
	struct VECTOR(char) bytes;
};

/* Makes empty ones. */
struct control_records *records_create(void);

/* Begins the next record. */
void records_begin(struct control_records *records);

/* Adds a value to the record that was begun last; it is copied. */
void records_add(struct control_records *records, const char *name,
		 struct record_value value);

/* Says that the value that was added last is a part of the record's path. */
void records_nest(struct control_records *records);

/* Gives them their ticket, with which the caller has them. */
struct trm_records *records_finish(struct control_records *records);

/* The rows of an answer. */
struct trm_records *records_of_answer(const Trm__Answer *answer);

#endif
