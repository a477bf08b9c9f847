/* Values of instructions as a table. */
#ifndef TRAMMEL_REPORT_TEXT_VALUES_H
#define TRAMMEL_REPORT_TEXT_VALUES_H

#include "report/text/grid.h"
#include "report/values.h"

/* A level of the memory, by the ticks that loads take. */
struct report_level {
	uint64_t least, most; /* ticks, both included */
	uint64_t typical;
	char name[16];
};
struct report_levels VECTOR(struct report_level);

struct report_values_style {
	struct text_style style;
	size_t limit; /* rows */
	size_t top;   /* values of a row that are shown */
	const struct report_levels *levels;
};

/* Adds how they were sampled, if they were, and the table. */
void report_add_values(struct text *out, const struct report_profile *profile,
		       const struct report_values *values,
		       const struct report_values_style *style);

/* Adds a value as people write it: small numbers decimal, others hexadecimal; of kind
 * "replay" a word. */
void report_add_value(struct text *out, const struct report_value *value, int64_t number);

#endif
