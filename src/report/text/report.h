/* The report as text: the output of `trammel report`, and the summary of `trammel
 * run`. */
#ifndef TRAMMEL_REPORT_TEXT_REPORT_H
#define TRAMMEL_REPORT_TEXT_REPORT_H

#include "base/error.h"
#include "base/text.h"
#include "report/arcs.h"
#include "report/order.h"
#include "report/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum report_by {
	REPORT_BY_FUNCTION,
	REPORT_BY_MODULE,
	REPORT_BY_PROCESS,
	REPORT_BY_BLOCK,
	REPORT_BY_EDGE,
	REPORT_BY_ARC,
	REPORT_BY_INTERVAL,
	REPORT_BY_THREAD,
	REPORT_BY_REGION,
	REPORT_BY_GRAPH
};
enum report_colour { REPORT_COLOUR_AUTO, REPORT_COLOUR_ALWAYS, REPORT_COLOUR_NEVER };

/* Options of a report. All-zero: report everything, with the default number of rows. */
struct report_options {
	enum report_by by;
	enum report_sort sort;
	struct report_arc_filter arcs;
	size_t limit; /* rows of each table; 0: 30, in a summary 10 */
	bool all;     /* show all rows, ignoring the limit */
	bool verbose; /* the functions that were not instrumented, by name */
	enum report_colour colour;
	size_t width; /* columns at which lines are cut; 0: nowhere */
};

/* Adds the report on the selection of the profile. REPORT_COLOUR_AUTO means no colour
 * here. */
void report_text(const struct report_profile *profile,
		 const struct report_options *options, struct text *out);

/*
 * Writes the short report on a whole profile, as `trammel run` shows it, to `out`: the
 * first rows of each table. `options` may be NULL. Where `out` is a terminal, lines are
 * cut to its width and colours are used, unless the options say otherwise.
 */
struct trm_error *report_text_summary(FILE *out, const char *profile_path,
				      const struct report_options *options);

/* Tells whether to use colours on this stream: it is a terminal and NO_COLOR is not
 * set. */
bool report_colour_on(FILE *out, enum report_colour colour);

/* Writes the width and height of the terminal, in columns and lines; both 0 if the
 * stream is not a terminal. */
void report_terminal_size(FILE *out, size_t *ret_columns, size_t *ret_lines);

#endif
