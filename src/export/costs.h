/*
 * Costs by line, and of calls, as callgrind and cachegrind have them.
 */
#ifndef TRAMMEL_EXPORT_COSTS_H
#define TRAMMEL_EXPORT_COSTS_H

#include "export/view.h"

/* What code of a frame cost itself, or calls from there with all that they led to. */
struct export_cost {
	uint32_t frame;
	uint32_t file, line; /* file: number in export_costs.files; 0 and 0: not known */
	uint32_t callee;     /* frame; EXPORT_NONE: it is no call */
	uint32_t type;       /* EXPORT_NONE: how many calls there were */
	uint64_t address;    /* 0: costs of a line are not told apart */
	uint64_t value;
};

struct export_costs {
	struct VECTOR(struct export_cost) rows; /* by all fields but the value: sums */
	struct string_table files;              /* number 0: "" */
};

/* Makes the costs of a view: by line, or with `addresses` by instruction; without `calls`
 * those of code alone. A call into a function that is under way already costs nothing. */
void export_costs_init(struct export_costs *costs, const struct export_view *view,
		       bool addresses, bool calls);
void export_costs_deinit(struct export_costs *costs);

/* Returns how many rows from `first` on are of the same place and callee. */
size_t export_costs_same(const struct export_costs *costs, size_t first);

/* Returns the number of a file; NULL is "". */
uint32_t export_costs_file(struct export_costs *costs, const char *file);

/* Returns a type's name as these formats have it, a word. The caller frees it. */
char *export_cost_name(const struct export_type *type);

/* Adds the costs of `count` rows of one place, a number for each type with a blank before
 * it. */
void export_costs_add(struct text *text, const struct export_view *view,
		      const struct export_cost *rows, size_t count);

/* Adds the totals of all types, with blanks before them. */
void export_costs_add_totals(struct text *text, const struct export_view *view);

#endif
