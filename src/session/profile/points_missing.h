/* What a profile says of points that have no code. */
#ifndef TRAMMEL_SESSION_PROFILE_POINTS_MISSING_H
#define TRAMMEL_SESSION_PROFILE_POINTS_MISSING_H

#include "base/text.h"
#include "session/state/session.h"

/* Adds to `out` a line with what sources of points found wrong, and one with how many
 * points of all modules that were used have no code, and why; nothing if all is well. */
void points_missing_describe(const struct session *session, struct text *out);

/* Writes the number of points without code of each function of a module, and the reason
 * of the first of them. */
struct profile_writer;
void points_missing_save(struct profile_writer *writer, const struct module_file *file);

#endif
