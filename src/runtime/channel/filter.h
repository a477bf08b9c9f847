/* filter.c. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_FILTER_H
#define TRAMMEL_RUNTIME_CHANNEL_FILTER_H

#include <stdbool.h>

struct context_node;
struct filter;
struct settings;

/* Whether events of a region count; the filter of include_regions and others. */
struct filter *filter_create(const struct settings *settings);

/* The same of two lists; NULL or "": none. */
struct filter *filter_create_of(const char *included, const char *excluded);

bool filter_passes(struct filter *filter, const struct context_node *node);

/* The same of a value that is set in the context. */
bool filter_passes_value(struct filter *filter, const struct context_node *node);

#endif
