/*
 * Values of instructions, as -m values and the tool "values" record them: three tables
 * (instructions, values, strides) of docs/profile.md, put together by instruction.
 */
#ifndef TRAMMEL_REPORT_VALUES_H
#define TRAMMEL_REPORT_VALUES_H

#include "report/tools.h"

struct report_value_count {
	int64_t value;
	uint64_t times;
};
struct report_value_counts VECTOR(struct report_value_count);

/* One value of an instruction: a result, say. */
struct report_value {
	struct report_tool_code code;
	uint64_t at;          /* address of the instruction */
	const char *kind;     /* "result", "load", ... */
	const char *what;     /* "rax", "memory" */
	const char *region;   /* NULL: not told */
	uint64_t seen;        /* executions */
	uint64_t looked;      /* of these, those whose values were looked at */
	uint64_t zeros;       /* of these, 0 */
	uint64_t pairs, same; /* of two in a row, and of equal ones */
	struct report_value_counts top, strides; /* the most frequent first */
};

enum report_value_order {
	REPORT_VALUES_BY_SEEN,
	REPORT_VALUES_BY_ADDRESS,
	REPORT_VALUES_BY_INVARIANCE,
	REPORT_VALUES_BY_ZEROS,
	REPORT_VALUES_BY_SAME,
};

struct report_values {
	struct VECTOR(struct report_value) items;
	bool any; /* the profile has values, chosen or not */
};

/* Which of them. */
struct report_values_choice {
	const char *function; /* glob; NULL: all */
	const char *kinds;    /* list with commas; NULL: all */
	enum report_value_order order;
};

/* Reads the values in the selection of a profile. Texts are the profile's. */
void report_values_init(struct report_values *values,
			const struct report_profile *profile,
			const struct report_values_choice *choice);
void report_values_deinit(struct report_values *values);

/* The share of the most frequent value, of 0, of values equal to the one before; below 0:
 * not known. */
double report_value_invariance(const struct report_value *value);
double report_value_zeros(const struct report_value *value);
double report_value_same(const struct report_value *value);

/* Adds why a profile in which values were measured has none, without an end of line.
 * Returns whether they were. */
bool report_values_explain(const struct report_profile *profile, struct text *out);

/* What a row of kind "replay" means by a value. */
const char *report_value_replay(int64_t value);

#endif
