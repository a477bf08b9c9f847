/* `trammel top`: recent activity, shown from a profile that is rewritten repeatedly. */
#ifndef TRAMMEL_CLI_TOP_VIEW_H
#define TRAMMEL_CLI_TOP_VIEW_H

#include "base/table.h"
#include "base/text.h"
#include "base/vector.h"
#include "report/profile.h"

#include <stdbool.h>
#include <stdint.h>

enum top_by {
	TOP_BY_FUNCTION,
	TOP_BY_MODULE,
	TOP_BY_PROCESS,
	TOP_BY_THREAD,
	TOP_BY_COUNT
};
enum top_sort { TOP_SORT_RATE, TOP_SORT_TOTAL, TOP_SORT_NAME, TOP_SORT_COUNT };

/* Their names, NULL at the end. */
extern const char *const top_by_names[];
extern const char *const top_sort_names[];

struct top_row {
	const char *place,
		*name; /* text from the profile: module or state, and the name */
	uint64_t process, thread; /* pid and tid, where rows are these */
	uint64_t key;             /* identifies the row in all profiles */
	uint64_t total;
	double rate; /* calls a second since the profile before */
};

struct top_view {
	enum top_by by;
	enum top_sort sort;
	bool paused;  /* the view stays unchanged */
	bool samples; /* samples are shown, not calls */
	const char *title;
	struct report_profile *profile; /* the latest one; NULL: none yet */
	uint64_t start_ns, last_ns;     /* of the first profile and of the last */
	struct table before;            /* key -> total, in the profile before the last */
	double seconds; /* time between the last two profiles; 0: there was only one */
	struct VECTOR(struct top_row) rows;
};

/* Reads the profile that was written at this moment (CLOCK_MONOTONIC). One that cannot be
 * read changes nothing. */
void top_view_update(struct top_view *view, const char *path, uint64_t now);
/* Lists and sorts the rows again, after `by` or `sort` changed. */
void top_view_arrange(struct top_view *view);
/* Adds the view as text: at most `columns` columns and `lines` lines (0: no limit),
 * each line followed by a newline. */
void top_view_show(const struct top_view *view, size_t columns, size_t lines, bool colour,
		   struct text *out);
/* Adds the rows as a table, at most `limit`, of which grid_choose chooses: the first
 * column is how long it has been shown. */
void top_view_table(const struct top_view *view, size_t limit, struct text *out);
void top_view_deinit(struct top_view *view);

#endif
