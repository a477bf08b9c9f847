/* Amounts as people write them: counts of things, durations. */
#ifndef TRAMMEL_REPORT_TEXT_AMOUNTS_H
#define TRAMMEL_REPORT_TEXT_AMOUNTS_H

#include "base/text.h"

#include <stdint.h>

/* Adds "1 thread", "2,345 threads". */
void report_add_count(struct text *out, unsigned long long count, const char *one,
		      const char *many);

/* Adds a line "  ... 123 more functions (--all shows them)". */
void report_add_more(struct text *out, unsigned long long count, const char *one,
		     const char *many);

/* Adds "1.234 s", "12.3 ms": three digits or so. */
void report_add_duration(struct text *out, uint64_t ns);

#endif
