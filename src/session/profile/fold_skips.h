/* What of a module has no counts, and why. */
#ifndef TRAMMEL_SESSION_PROFILE_FOLD_SKIPS_H
#define TRAMMEL_SESSION_PROFILE_FOLD_SKIPS_H

#include "session/profile/saving.h"

/* Writes records of functions that were not instrumented, and of cold parts without
 * counts of blocks. */
void saving_skips(struct saving *saving, const struct module_file *file);

#endif
