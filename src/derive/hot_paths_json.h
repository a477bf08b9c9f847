/*
 * Paths as JSON.
 */
#ifndef TRAMMEL_DERIVE_HOT_PATHS_JSON_H
#define TRAMMEL_DERIVE_HOT_PATHS_JSON_H

#include "derive/hot_paths_show.h"

/* Adds the paths as one JSON object: man/trammel-paths.1.md. */
void hot_paths_json(const struct hot_paths *paths,
		    const struct hot_paths_options *options, struct text *out);

#endif
