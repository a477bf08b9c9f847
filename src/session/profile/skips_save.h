/* Saving of the functions of a module without counts, and the reasons. */
#ifndef TRAMMEL_SESSION_PROFILE_SKIPS_SAVE_H
#define TRAMMEL_SESSION_PROFILE_SKIPS_SAVE_H

#include "session/profile/profile_writer.h"

/* Writes records of functions that were not instrumented, and of cold parts without
 * counts of blocks. */
void skips_save(struct profile_writer *writer, const struct module_file *file);

#endif
