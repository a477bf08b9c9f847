/*
 * Seals of cache files. To compare the checksum of a whole file costs more than all else
 * that is done with it, so once it was right a seal says so: a small file beside it,
 * under the same trust, with the identity of the file. Whatever changes the file's bytes
 * changes its times, which nobody can set back (ctime). What a crash may lose without a
 * trace, data that were never on disk, is gone with the boot that the seal names.
 */
#ifndef TRAMMEL_SESSION_CACHE_CACHE_SEAL_H
#define TRAMMEL_SESSION_CACHE_CACHE_SEAL_H

#include "session/cache/module_file.h"

#define SEAL_SUFFIX ".seal"

/* Whether the file `path`, which is open with this status, has a good seal. That it was
 * used now is noted in the seal's own times: see cache_prune. */
bool seal_is_good(const char *path, const struct stat *status);

/*
 * Seals a file whose checksums were right. `status` was read before they were compared;
 * files that were changed just then are left without a seal, since a further change might
 * get the same time. A seal that cannot be written is no error.
 */
void seal_write(const char *path, const struct stat *status);

/* Whether others may not have written to a file that is open. */
bool seal_is_trusted(const struct stat *status);

#endif
