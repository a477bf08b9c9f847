/* Samples in text reports. */
#ifndef TRAMMEL_REPORT_TEXT_SAMPLES_H
#define TRAMMEL_REPORT_TEXT_SAMPLES_H

#include "base/text.h"
#include "report/profile.h"
#include "report/text/grid.h"

/* Adds a line for each event that samples were taken by, and for what is missing. */
void report_add_events(struct text *out, const struct report_profile *profile,
		       const struct text_style *style);

/* Adds the columns of samples to a table of functions, and a function's cells. Where
 * calls were counted, too, one says what a call took, and how far that may be off. */
void report_add_sample_columns(struct grid *grid, const struct report_profile *profile);
void report_add_sample_cells(struct grid *grid, const struct report_profile *profile,
			     const struct report_function *function);

/* Adds two columns, with the samples by the first event and their share, to a table of
 * something else, and their cells. Nothing in a profile without samples. */
void report_add_samples_columns(struct grid *grid, const struct report_profile *profile);
void report_add_samples_cells(struct grid *grid, const struct report_profile *profile,
			      uint64_t samples);

/* Adds what each of `count` executions took by samples of them: "12.3 ns ±5 %"; "" if
 * either is 0. */
void report_add_each(struct text *out, const struct report_profile *profile,
		     uint64_t samples, uint64_t events, uint64_t count);

#endif
