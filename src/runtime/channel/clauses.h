/* What options of a program's own add to queries, clause by clause. */
#ifndef TRAMMEL_RUNTIME_CLAUSES_H
#define TRAMMEL_RUNTIME_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>

enum { CLAUSES_TEXT_MAX = 2048 };

/* Each with a comma in front of every part, but for filters, which have a WHERE of their
 * own: all of them must hold. "": none. */
struct clauses {
	char lets[CLAUSES_TEXT_MAX], columns[CLAUSES_TEXT_MAX], keys[CLAUSES_TEXT_MAX];
	char filters[CLAUSES_TEXT_MAX], order[CLAUSES_TEXT_MAX];
	bool full; /* a part was left out, since there was no room for it */
};

/* Adds a text like "let a=... select sum(a) as A group by b". NULL, or what in it is none
 * of these clauses. */
const char *clauses_add(struct clauses *clauses, const char *text);

#endif
