/* What threads did, as text. */
#ifndef TRAMMEL_REPORT_STACKS_SHOW_H
#define TRAMMEL_REPORT_STACKS_SHOW_H

#include "report/stacks/load.h"
#include "report/text/grid.h"

#include <stddef.h>

struct stacks_style {
	struct text_style text;
	size_t limit;     /* rows a table */
	double threshold; /* the least part of the time that a row has, of 1 */
};

/* Adds tables: states, what was waited for, locks, threads, and the tree of paths. */
void stacks_show(const struct stack_list *list, const struct stacks_style *style,
		 struct text *out);

#endif
