/*
 * The parts of a text report. Only for the files of this folder.
 */
#ifndef TRAMMEL_REPORT_TEXT_PARTS_H
#define TRAMMEL_REPORT_TEXT_PARTS_H

#include "report/text/grid.h"
#include "report/text/report.h"

/* Adds "1 thread", "2,345 threads". */
void report_add_count(struct text *out, unsigned long long count, const char *one,
		      const char *many);
/* Adds a line "  ... 123 more functions (--all shows them)". */
void report_add_more(struct text *out, unsigned long long count, const char *one,
		     const char *many);

/* Adds two lines on each run, for at most `limit` runs. */
void report_add_head(struct text *out, const struct report_profile *profile, size_t limit,
		     const struct text_style *style);
/* Adds a line with the number of instructions executed in the selection, for profiles
 * of blocks. */
void report_add_instructions(struct text *out, const struct report_profile *profile);
/* Adds a line for each process that was released, not measured, or is still running. */
void report_add_unmeasured(struct text *out, const struct report_profile *profile,
			   size_t limit);
/* Adds "1.234 s", "12.3 ms": three digits or so. */
void report_add_duration(struct text *out, uint64_t ns);
/* The tree of regions: at most `limit` rows. */
void report_add_regions(struct text *out, const struct report_profile *profile,
			size_t limit, const struct text_style *style);
/* Adds the table of calls by context. */
void report_add_graph(struct text *out, const struct report_profile *profile,
		      size_t limit, const struct text_style *style);

/* Functions that were not instrumented, and cold parts without counts, with reasons;
 * their names if `verbose`. */
void report_add_skipped(struct text *out, const struct report_profile *profile,
			bool verbose);

#endif
