/* Filters of regions. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_FILTER_H
#define TRAMMEL_RUNTIME_CHANNEL_FILTER_H

#include <stdbool.h>

struct context_node;
struct filter;
struct settings;

/* Makes the filter of include_regions and the settings like it, which decides whether
 * events of a region count; NULL if every region does. */
struct filter *filter_create(const struct settings *settings);

/* Makes a filter of two lists; NULL and "" are empty lists. */
struct filter *filter_create_of(const char *included, const char *excluded);

/* Tells whether events in the context count. */
bool filter_passes(struct filter *filter, const struct context_node *node);

/* Tells whether a value that is set in the context passes. */
bool filter_passes_value(struct filter *filter, const struct context_node *node);

#endif
