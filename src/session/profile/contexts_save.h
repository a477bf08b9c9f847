/* Saving of the contexts that programs record of themselves in a profile. */
#ifndef TRAMMEL_SESSION_PROFILE_CONTEXTS_SAVE_H
#define TRAMMEL_SESSION_PROFILE_CONTEXTS_SAVE_H

#include "context/profile.h"
#include "session/profile/profile_writer.h"

/* Writes the contexts that the processes recorded. */
struct trm_error *contexts_save(struct profile_writer *writer);

/* Writes the channels of killed processes beside the profile, whose path is `output`. */
void contexts_recover(const char *output, const struct context_spools *spools);

#endif
