/*
 * Paths, and the graphs of their functions, for other programs.
 */
#ifndef TRAMMEL_DERIVE_HOT_PATHS_DESCRIBE_H
#define TRAMMEL_DERIVE_HOT_PATHS_DESCRIBE_H

#include "derive/hot_paths.h"

/* Adds the description that man/trammel-paths.1.md defines. */
void hot_paths_describe(const struct hot_paths *paths, struct text *out);

#endif
