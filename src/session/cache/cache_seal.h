/*
 * Seals of cache files. Comparing the checksum of a whole file costs more than all
 * other work on it, so after one successful check a seal records it: a small file
 * beside it, under the same trust, with the identity of the file. Any change of the
 * file's bytes changes its times, and its ctime cannot be set back. Data that were
 * never on disk may be lost in a crash without a trace; the seal names the boot during
 * which it was written, so it does not outlive one.
 */
#ifndef TRAMMEL_SESSION_CACHE_CACHE_SEAL_H
#define TRAMMEL_SESSION_CACHE_CACHE_SEAL_H

#include "session/cache/module_file.h"

#define SEAL_SUFFIX ".seal"

/* Returns whether the file `path`, open with this status, has a valid seal. Records
 * this use in the times of the seal itself: see cache_prune. */
bool seal_is_good(const char *path, const struct stat *status);

/*
 * Writes a seal for a file whose checksums were right. `status` was read before they
 * were compared; a file that was changed just then is left without a seal, since a
 * further change might get the same time. A seal that cannot be written is no error.
 */
void seal_write(const char *path, const struct stat *status);

/* Returns whether an open file cannot have been written to by other users. */
bool seal_is_trusted(const struct stat *status);

#endif
