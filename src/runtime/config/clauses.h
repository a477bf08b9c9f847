/* Clauses that a program's own options add to queries. */
#ifndef TRAMMEL_RUNTIME_CONFIG_CLAUSES_H
#define TRAMMEL_RUNTIME_CONFIG_CLAUSES_H

#include <stdbool.h>
#include <stddef.h>

enum { CLAUSES_TEXT_MAX = 4096 };

/* Each with a comma in front of every part; all filters must hold. "": none. */
struct clauses {
	char lets[CLAUSES_TEXT_MAX], columns[CLAUSES_TEXT_MAX], keys[CLAUSES_TEXT_MAX];
	char filters[CLAUSES_TEXT_MAX], order[CLAUSES_TEXT_MAX];
	bool full; /* a part was left out, since there was no room for it */
};

/* Adds a text like "let a=... select sum(a) as A group by b". Returns NULL, or the place
 * in the text where another kind of clause begins. */
const char *clauses_add(struct clauses *clauses, const char *text);

/* Adds the end of a query, " WHERE a GROUP BY b" or a part of it, with filters and keys
 * of the clauses in their places. */
void clauses_place(const struct clauses *clauses, const char *rest, char *text,
		   size_t size);

#endif
