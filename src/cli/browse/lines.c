/* Views of lines of text: code with counts, callers and callees, help. */
#include "cli/browse/lines.h"

#include "annotate/show.h"
#include "base/vector.h"
#include "report/arcs.h"
#include "report/flame/compare.h"
#include "report/text/cells.h"
#include "report/text/grid.h"

#include <stdlib.h>
#include <string.h>

struct line {
	const char *text;  /* of `all`, with ECMA-48 sequences */
	uint32_t function; /* that it leads to; REPORT_NONE */
};

struct lines_view {
	struct browse_view view;
	struct text all;
	struct VECTOR(struct line) lines;
	char *searched;
};

static const struct lines_view *lines_of(const struct browse_view *view)
{
	return (const struct lines_view *)view;
}

/* Cuts the text into lines. */
static void cut_lines(struct lines_view *lines)
{
	char *at = lines->all.data;

	while (at && *at) {
		char *end = strchr(at, '\n');

		vector_push(&lines->lines, ((struct line){at, REPORT_NONE}));
		if (!end)
			break;
		*end = '\0';
		at = end + 1;
	}
	lines->view.count = lines->lines.count;
}

/* Adds what is in sight of a line; sequences take no room, and all of them are kept. */
static void lines_row(const struct browse_view *view, size_t row, size_t width,
		      struct text *out)
{
	const char *at = lines_of(view)->lines.items[row].text;
	size_t skip = view->left, left = width;

	while (*at) {
		size_t length = strcspn(at, "\033"), used;
		struct text part = {0};

		text_add_bytes(&part, at, length);
		if (length) {
			const size_t gone = cells_fit(part.data, skip, &used);
			size_t shown;

			skip -= used;
			text_add_bytes(out, part.data + gone,
				       cells_fit(part.data + gone, left, &shown));
			left -= shown;
		}
		text_deinit(&part);
		at += length;
		length = *at ? strcspn(at, "m") + 1 : 0;
		text_add_bytes(out, at, length);
		at += length;
	}
	text_add(out, BROWSE_PLAIN);
}

/* The next line from `from` on, around the end, that has the text; count: none has. */
static size_t find_line(const struct lines_view *lines, size_t from)
{
	const size_t count = lines->lines.count;

	for (size_t i = 0; i < count; i++) {
		const size_t at = (from + i) % count;

		if (strcasestr(lines->lines.items[at].text, lines->searched))
			return at;
	}
	return count;
}

static void search_from(struct lines_view *lines, size_t from)
{
	size_t found;

	if (!lines->searched || !*lines->searched || !lines->lines.count)
		return;
	found = find_line(lines, from);
	if (found < lines->lines.count)
		lines->view.at = found;
}

static void lines_filter(struct browse_view *view, const char *text)
{
	struct lines_view *lines = (struct lines_view *)view;

	free(lines->searched);
	lines->searched = memory_copy_string(text);
	search_from(lines, view->at);
}

/* A line without the sequence in front of it. */
static const char *plain_line(const struct lines_view *lines, size_t row)
{
	const char *text = lines->lines.items[row].text;

	return *text == '\033' ? text + strcspn(text, "m") + 1 : text;
}

/* The share that ends at a column of a line; 0 if there is none. */
static double share_at(const char *line, size_t end)
{
	enum { DIGITS = 7 }; /* "100.0 %" */

	if (end < DIGITS || strlen(line) < end || memcmp(line + end - 2, " %", 2) != 0)
		return 0;
	return strtod(line + end - DIGITS, NULL);
}

/* The cursor goes to the line with the largest share. */
static void go_to_hottest(struct browse_view *view)
{
	const struct lines_view *lines = lines_of(view);
	static const char title[] = "  Share";
	size_t row = 0;
	double most = 0;
	const char *place;

	/* In front of the titles of the columns stands what is about all of it. */
	while (row < view->count && !strstr(plain_line(lines, row), title))
		row++;
	if (row == view->count)
		return;
	place = plain_line(lines, row);
	const size_t end = (size_t)(strstr(place, title) - place) + strlen(title);

	for (; row < view->count; row++) {
		const double share = share_at(plain_line(lines, row), end);

		if (share > most) {
			most = share;
			view->at = row;
		}
	}
}

static bool lines_key(struct browse_view *view, int key)
{
	enum { STEP = 8 };

	if (key == 'n')
		search_from((struct lines_view *)view, view->at + 1);
	else if (key == 'H')
		go_to_hottest(view);
	else if (key == BROWSE_RIGHT)
		view->left += STEP;
	else if (key == BROWSE_LEFT && view->left)
		view->left -= STEP;
	else
		return false;
	return true;
}

static uint32_t lines_function(const struct browse_view *view, size_t row)
{
	return lines_of(view)->lines.items[row].function;
}

static void lines_destroy(struct browse_view *view)
{
	struct lines_view *lines = (struct lines_view *)view;

	text_deinit(&lines->all);
	vector_deinit(&lines->lines);
	free(lines->searched);
	browse_view_free(view);
}

static const struct browse_ops lines_ops = {
	.keys = "arrows move  H hottest  / search  n next  Esc back  h help  q back",
	.row = lines_row,
	.key = lines_key,
	.filter = lines_filter,
	.function = lines_function,
	.destroy = lines_destroy,
};

static struct lines_view *create_lines(const struct browser *browser)
{
	return (struct lines_view *)browse_view_create(browser, &lines_ops,
						       sizeof(struct lines_view));
}

struct trm_error *browse_code_create(const struct browser *browser, uint32_t index,
				     struct browse_view **ret_view)
{
	const struct report_function *function =
		&browser->profile->functions.items[index];
	struct annotation_options options = {.colour = true};
	struct annotation_file file;
	struct annotation annotation;
	struct image_rows rows;
	struct lines_view *lines;
	struct trm_error *error, *no_rows;

	TRM_TRY(annotation_open(&file,
				&browser->profile->modules.items[function->module]));
	error = annotation_init(&annotation, browser->profile, function, &file);
	if (error) {
		annotation_close(&file);
		return error;
	}
	no_rows = image_rows_init(&rows, file.image);
	options.rows = no_rows ? NULL : &rows;
	lines = create_lines(browser);
	annotation_text(&annotation, &options, &lines->all);
	cut_lines(lines);
	if (!no_rows)
		image_rows_deinit(&rows);
	trm_error_destroy(no_rows);
	annotation_deinit(&annotation);
	annotation_close(&file);
	text_format(&lines->view.title, "code of %s", function->name);
	go_to_hottest(&lines->view);
	*ret_view = &lines->view;
	return NULL;
}

/* Lines while they are made, each with the function that it leads to. */
struct leading {
	struct text text;
	struct VECTOR(uint32_t) functions;
};

static void add_leading(struct leading *leading, const char *line, uint32_t function)
{
	text_add(&leading->text, line);
	text_add(&leading->text, "\n");
	vector_push(&leading->functions, function);
}

/* How often functions called each other in the other profile. */
struct before {
	uint32_t *same;     /* of each function that of the other; NULL: there is none */
	struct table calls; /* by callee and caller */
};

static void init_before(struct before *before, const struct browser *browser)
{
	*before = (struct before){0};
	if (!browser->other)
		return;
	before->same = flame_match_functions(browser->profile, browser->other);
	vector_for_each (&browser->other->arcs, arc)
		if (browser->other->images.items[arc->image].selected)
			*table_insert(&before->calls,
				      (uint64_t)arc->function << 32 | arc->caller,
				      NULL) += arc->count;
}

static void deinit_before(struct before *before)
{
	free(before->same);
	table_deinit(&before->calls);
}

/* Adds how the number of calls changed. */
static void add_call_change(const struct before *before, const struct report_arc *arc,
			    struct text *line)
{
	const bool known = arc->caller != REPORT_UNKNOWN;
	uint32_t caller = REPORT_UNKNOWN, callee;
	uint64_t count = 0;

	if (!before->same)
		return;
	callee = before->same[arc->function];
	if (known)
		caller = before->same[arc->caller];
	if (callee != REPORT_NONE && known == (caller != REPORT_NONE))
		table_find(&before->calls, (uint64_t)callee << 32 | caller, &count);
	browse_add_change(arc->count, count, "", line);
}

/* Adds who called a function, or whom it called. */
static void add_side(const struct browser *browser, uint32_t function, bool callers,
		     const struct before *before, struct leading *leading)
{
	static const struct report_arc_filter all = {NULL, NULL};
	size_t count, added = 0;
	struct report_arc *arcs = report_profile_arcs(browser->profile, &all,
						      REPORT_SORT_CALLS, false, &count);

	add_leading(leading, callers ? "\033[1mCalled by\033[0m" : "\033[1mCalls\033[0m",
		    REPORT_NONE);
	for (size_t i = 0; i < count; i++) {
		const uint32_t of = callers ? arcs[i].function : arcs[i].caller;
		const uint32_t other = callers ? arcs[i].caller : arcs[i].function;
		const bool known = other != REPORT_UNKNOWN;
		struct text line = {0}, number = {0};

		if (of != function)
			continue;
		text_add_grouped(&number, arcs[i].count);
		text_format(&line, "%16s", number.data);
		add_call_change(before, &arcs[i], &line);
		text_add(&line, "  ");
		report_add_visible(&line,
				   known ? browser->profile->functions.items[other].name
					 : "unknown");
		add_leading(leading, line.data, known ? other : REPORT_NONE);
		text_deinit(&line);
		text_deinit(&number);
		added++;
	}
	if (!added)
		add_leading(leading, "            none", REPORT_NONE);
	add_leading(leading, "", REPORT_NONE);
	free(arcs);
}

struct trm_error *browse_calls_create(const struct browser *browser, uint32_t function,
				      struct browse_view **ret_view)
{
	struct leading leading = {0};
	struct lines_view *lines;
	struct before before;

	if (!browser->profile->arcs.count)
		return trm_error_create(TRM_ERROR_USAGE,
					"calls by caller were not measured: trammel run "
					"-m calls, or -m callgraph, does");
	lines = create_lines(browser);
	init_before(&before, browser);
	add_side(browser, function, true, &before, &leading);
	add_side(browser, function, false, &before, &leading);
	deinit_before(&before);
	lines->all = leading.text;
	cut_lines(lines);
	for (size_t i = 0; i < lines->lines.count; i++)
		lines->lines.items[i].function = leading.functions.items[i];
	vector_deinit(&leading.functions);
	text_format(&lines->view.title, "calls of %s",
		    browser->profile->functions.items[function].name);
	*ret_view = &lines->view;
	return NULL;
}

static const char help[] =
	"\033[1mEverywhere\033[0m\n"
	"  Up Down PgUp PgDn Home End    move; j and k, too\n"
	"  a                             the code of the function, with counts\n"
	"  c                             who called the function, and whom it called\n"
	"  f                             the table of functions\n"
	"  t Tab                         trees: by call path, phase, source, module\n"
	"  /                             filter the table, search in trees and code; "
	"Enter\n"
	"                                keeps it, Esc takes it back\n"
	"  Esc Backspace                 back\n"
	"  h ?                           this help\n"
	"  Ctrl-L                        draw the screen anew\n"
	"  q                             back, and at last the end; Q: the end at once\n"
	"\n"
	"\033[1mTable\033[0m\n"
	"  Enter                         the code of the function\n"
	"  < >                           order by the column before, by the next one\n"
	"  r                             the other way round\n"
	"  d                             only functions of this module; again: all\n"
	"\n"
	"Of two profiles the change is a column: what grew is red, what shrank is "
	"blue.\n"
	"\n"
	"\033[1mTrees\033[0m\n"
	"  Enter                         open or close; code, where nothing is inside\n"
	"  Right                         open what has most, as far as it goes\n"
	"  Left -                        close, or go to what is around\n"
	"  + e E                         open, with all inside, or everything\n"
	"  C                             close everything\n"
	"  n                             the next one that was searched\n"
	"\n"
	"\033[1mCode\033[0m\n"
	"  H                             the line with most\n"
	"  Left Right                    what does not fit at the right\n"
	"  n                             the next one that was searched\n"
	"\n"
	"Red has 5 % or more, green 0.5 % or more. In code, lines of the source are "
	"green,\n"
	"and what was never executed is red.\n";

struct browse_view *browse_help_create(const struct browser *browser)
{
	struct lines_view *lines = create_lines(browser);

	text_add(&lines->all, help);
	cut_lines(lines);
	text_add(&lines->view.title, "keys");
	return &lines->view;
}
