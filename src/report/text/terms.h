/*
 * What words mean: attributes of records, titles of columns, and terms that reports and
 * manual pages use. One table for `trammel info`; a test holds it against
 * docs/profile.md and against the tables that are printed.
 */
#ifndef TRAMMEL_REPORT_TEXT_TERMS_H
#define TRAMMEL_REPORT_TEXT_TERMS_H

#include <stddef.h>

enum term_kind { TERM_ATTRIBUTE, TERM_COLUMN, TERM_WORD };

struct term {
	const char *name;
	enum term_kind kind;
	const char *text; /* a sentence or two */
	const char *see;  /* a page that has more, "trammel-report(1)"; NULL: none */
};

extern const struct term terms[]; /* the last one has no name */

/* Finds the terms that a word means, in any case; singular, plural, and a title with its
 * unit are as good. Writes up to `most` of them; returns how many there are. */
size_t terms_find(const char *word, const struct term **ret_terms, size_t most);

/* Returns the name that is next to a word, if that is near; else NULL. */
const char *term_near(const char *word);

/* "attribute", "column" or "term" */
const char *term_kind_name(enum term_kind kind);

#endif
