/* Samples in the profile of a run that counts, too. */
#ifndef TRAMMEL_SESSION_PROFILE_SAMPLES_SAVE_H
#define TRAMMEL_SESSION_PROFILE_SAMPLES_SAVE_H

#include "session/profile/profile_writer.h"

/* Writes the samples that the session has taken, if it has taken any. */
struct trm_error *samples_save(struct profile_writer *writer);

#endif
