/*
 * The order of rows that belong to functions: arcs, blocks and edges.
 */
#ifndef TRAMMEL_REPORT_ORDER_H
#define TRAMMEL_REPORT_ORDER_H

#include "base/array.h"
#include "report/profile.h"

#include <string.h>

/* Orders of rows. Blocks are sorted by counts where functions are by calls. */
enum report_sort {
	REPORT_SORT_CALLS,
	REPORT_SORT_NAME,
	REPORT_SORT_MODULE,
	REPORT_SORT_INSTRUCTIONS,
	REPORT_SORT_BYTES, /* of memory, of functions */
	REPORT_SORT_SAMPLES
};

/* The context of a comparison by qsort_r: the rows' profile, and the order wanted. */
struct report_order {
	const struct report_profile *profile;
	enum report_sort sort;
};

/* Compares two modules: by name, then by path. */
int report_module_compare(const struct report_module *a, const struct report_module *b);

/* Compares two functions, given as indices, by their names. */
static inline int report_order_names(const struct report_order *order, uint32_t a,
				     uint32_t b)
{
	const struct report_function *functions = order->profile->functions.items;

	return strcmp(functions[a].name, functions[b].name);
}

/* Compares the modules of two functions, given as indices. */
static inline int report_order_modules(const struct report_order *order, uint32_t a,
				       uint32_t b)
{
	const struct report_function *functions = order->profile->functions.items;
	const struct report_module *modules = order->profile->modules.items;

	return report_module_compare(&modules[functions[a].module],
				     &modules[functions[b].module]);
}

/* Compares two functions by name or module if that is the order wanted; 0 otherwise. */
static inline int report_order_wanted(const struct report_order *order, uint32_t a,
				      uint32_t b)
{
	return order->sort == REPORT_SORT_NAME     ? report_order_names(order, a, b)
	       : order->sort == REPORT_SORT_MODULE ? report_order_modules(order, a, b)
						   : 0;
}

#endif
