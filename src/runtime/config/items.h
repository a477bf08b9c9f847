/*
 * Lists of names with values: name=value,name(value),name.
 */
#ifndef TRAMMEL_RUNTIME_CONFIG_ITEMS_H
#define TRAMMEL_RUNTIME_CONFIG_ITEMS_H

#include <stdbool.h>
#include <stddef.h>

enum { ITEMS_MAX = 64 };

struct item {
	const char *name, *value; /* value: NULL, behind "=", or in parentheses */
	bool called;
	const char *lacks; /* where a value is missing: the text from its "=" on */
};

struct items {
	struct item items[ITEMS_MAX];
	size_t count;
	bool has_empty; /* nothing stands between two commas, or behind the last one */
};

/* Splits a text at its commas. Words may have parts in double quotes, and \ before a
 * character that stands for itself, as those of the peer; a whole word may stand in
 * single quotes. Complains of what is missing, or has no room. */
void items_split(const char *text, struct items *items);
/* The first one of a name, and its value; NULL: there is none. */
const struct item *items_find(const struct items *items, const char *name);
const char *items_value(const struct items *items, const char *name);

/* Whether the value is such a word (see word_is_off()); an item without one is on. */
bool item_is_off(const struct item *item);
bool item_is_on(const struct item *item);

#endif
