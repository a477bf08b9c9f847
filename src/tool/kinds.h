/*
 * Kinds of labelled points, and which values of the program their routines are given.
 */
#ifndef TRAMMEL_TOOL_KINDS_H
#define TRAMMEL_TOOL_KINDS_H

#include "base/error.h"
#include "base/vector.h"

#include <trammel/tool_recipe.h>

/* A value of the program, by its name in labels files: `taken`, `address`, `arg0`, `rdi`.
 * That of an operand is of the label's own. */
struct tool_value {
	uint16_t kind;   /* enum trammel_value */
	uint16_t number; /* of an argument or register */
};

enum { TOOL_KIND_VALUES_MAX = 4 };

struct tool_kind {
	char *name;    /* "cbr"; of no routine: NULL */
	char *routine; /* "_record_cbr" */
	struct tool_value values[TOOL_KIND_VALUES_MAX];
	size_t value_count;
	bool has_id; /* the id is passed behind the values */
};

/* By number: first those of enum trammel_kind. All-zero has none. */
struct tool_kinds VECTOR(struct tool_kind);

/* Adds the built-in kinds to an empty list. */
void tool_kinds_init(struct tool_kinds *kinds);
void tool_kinds_deinit(struct tool_kinds *kinds);

/* Adds a kind with the values that `values` names (separated by commas; "": none), or
 * finds the one that is the same; writes its number. Error (TRM_ERROR_USAGE): an unknown
 * value, too many of them, or another kind of the same name. */
struct trm_error *tool_kinds_add(struct tool_kinds *kinds, const char *name,
				 const char *values, uint32_t *ret_number);

/* The number of the kind by this name; kinds->count if there is none. */
size_t tool_kinds_find(const struct tool_kinds *kinds, const char *name);

/* Adds the names of the values of a kind to a text, separated by commas. */
struct text;
void tool_kinds_add_values(const struct tool_kind *kind, struct text *out);

#endif
