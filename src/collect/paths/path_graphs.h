/*
 * What profiles say of functions whose paths are counted, and of those whose are not.
 */
#ifndef TRAMMEL_COLLECT_PATHS_PATH_GRAPHS_H
#define TRAMMEL_COLLECT_PATHS_PATH_GRAPHS_H

#include "session/profile/profile_writer.h"

/* Writes, for each function of which something was written, the steps of all its paths
 * (docs/profile.md, path.steps), or why they are not counted (path.reason). For struct
 * collector_ops. */
void path_graphs_save(struct profile_writer *writer, const struct module_file *file);

#endif
