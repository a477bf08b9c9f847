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
	const char *lacks; /* text from "=" on if its value is missing, or NULL */
};

struct items {
	struct item items[ITEMS_MAX];
	size_t count;
	bool has_empty; /* nothing stands between two commas, or behind the last one */
};

/* Splits a text at its commas. As in LLNL's Caliper, words may have parts in double
 * quotes, and \ before a character that is to be taken literally; a whole word may stand
 * in single quotes. Adds complaints about missing parts, and items beyond ITEMS_MAX. */
void items_split(const char *text, struct items *items);
/* Find the first item of a name, or its value; NULL if none has the name. */
const struct item *items_find(const struct items *items, const char *name);
const char *items_value(const struct items *items, const char *name);

/* Tell whether the value is a word for off or for on (see word_is_off()); an item
 * without a value is on. */
bool item_is_off(const struct item *item);
bool item_is_on(const struct item *item);

#endif
