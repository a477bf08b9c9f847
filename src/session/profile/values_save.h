/* Sampled values become records, as a tool named "values" would make them: see
 * docs/profile.md, "tool records". */
#ifndef TRAMMEL_SESSION_PROFILE_VALUES_SAVE_H
#define TRAMMEL_SESSION_PROFILE_VALUES_SAVE_H

#include "session/profile/profile_writer.h"

/* Writes the values of an image. */
void values_save(struct profile_writer *writer, const struct image_run *image);

/* Writes how they were sampled. */
struct trm_error *values_save_globals(struct profile_writer *writer);

#endif
