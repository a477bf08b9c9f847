/*
 * `trammel browse` without its screen: views of a profile on a stack, the topmost one
 * shown, and what keys do with them. The screen (screen.h) draws what this says.
 */
#ifndef TRAMMEL_CLI_BROWSE_BROWSER_H
#define TRAMMEL_CLI_BROWSE_BROWSER_H

#include "annotate/sources.h"
#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"
#include "report/flame/tree.h"
#include "report/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Keys; others are characters. */
enum browse_key {
	BROWSE_ENTER = '\n',
	BROWSE_ESCAPE = 27,
	BROWSE_UP = 256,
	BROWSE_DOWN,
	BROWSE_LEFT,
	BROWSE_RIGHT,
	BROWSE_PAGE_UP,
	BROWSE_PAGE_DOWN,
	BROWSE_HOME,
	BROWSE_END,
	BROWSE_BACKSPACE,
	BROWSE_TAB,
};

struct browser;
struct browse_view;

/* What the kinds of views have of their own; all may be NULL but `row` and `destroy`. */
struct browse_ops {
	const char *keys; /* what the last line says of keys */
	/* Adds the line above the rows; row: a row; both at most `width` columns, with
	 * ECMA-48 sequences for colours. */
	void (*head)(const struct browse_view *view, size_t width, struct text *out);
	void (*row)(const struct browse_view *view, size_t row, size_t width,
		    struct text *out);
	/* Acts on a key that browser_key does not know; false: it means nothing here. */
	bool (*key)(struct browse_view *view, int key);
	/* Shows the rows that have a text, all if it is empty, or goes to them. */
	void (*filter)(struct browse_view *view, const char *text);
	/* Returns the function of a row, REPORT_NONE if it has none. */
	uint32_t (*function)(const struct browse_view *view, size_t row);
	void (*destroy)(struct browse_view *view);
};

/* A view: a list of rows with a cursor. The first member of each kind's own struct. */
struct browse_view {
	const struct browse_ops *ops;
	const struct report_profile *profile;
	const struct report_profile *other; /* that it is compared with; NULL */
	struct text title;
	size_t count;   /* rows */
	size_t at, top; /* the row with the cursor, the topmost row in sight */
	size_t left;    /* columns that are scrolled out at the left */
	bool unicode;
};

enum { BROWSE_DEPTH_MAX = 16 };

struct browser {
	const struct report_profile *profile;
	const struct report_profile *other; /* that it is compared with; NULL: none */
	const char *path;                   /* of the profile's file */
	bool unicode;                       /* characters outside ASCII can be shown */
	struct browse_view *views[BROWSE_DEPTH_MAX];
	size_t depth;        /* of the stack: at least 1 */
	enum flame_by by;    /* the tree shown last */
	size_t height;       /* rows in sight, as the screen says */
	struct text message; /* for the last line; empty: the view's keys */
	struct text typed;   /* behind "/" */
	bool typing, done;
	bool with_sources; /* `sources` is filled */
	struct function_sources sources;
	bool with_other_sources; /* the same of `other` */
	struct function_sources other_sources;
};

/* Begins with a table of functions, or a tree if the profile has none. `other`: a profile
 * to compare with; NULL. Error (TRM_ERROR_USAGE): there is nothing to show. Profiles and
 * path must outlive it. */
struct trm_error *browser_init(struct browser *browser,
			       const struct report_profile *profile,
			       const struct report_profile *other, const char *path,
			       bool unicode);
void browser_deinit(struct browser *browser);

/* Returns the view that is shown. */
static inline struct browse_view *browser_view(const struct browser *browser)
{
	return browser->views[browser->depth - 1];
}

/* Acts on a key; `done` is set when it is the end. */
void browser_key(struct browser *browser, int key);

/* Brings the row with the cursor into sight, after a key or another height. */
void browser_scroll(struct browser *browser);

/* Adds the last line: what is typed, a message, or what keys do. */
void browser_status(const struct browser *browser, struct text *out);

#endif
