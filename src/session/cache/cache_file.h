/*
 * A plan in a file. Host byte order; every part starts on a page (code and texts of 2 MiB
 * and more where their addresses are in a large page, with a hole in front):
 *
 *     struct header   ELF header of a file without symbols; magic, versions, identity of
 * the module's file, sizes of the parts functions       struct plan_function[]
 *     ...             the other arrays of the plan
 *     code            bytes; this and the next two programs map as they are
 *     ways            struct wire_way[]
 *     steps           struct map_row[]
 *     texts           of each executable segment the part that patches change, with the
 *                     patches applied; programs read it over pages of their own
 *
 * The header has an XXH3 checksum of each part and one of itself; those of the parts are
 * compared once (see cache_seal.h). A file is written under another name and moved into
 * place, so that runs at the same time see whole files.
 */
#ifndef TRAMMEL_SESSION_CACHE_CACHE_FILE_H
#define TRAMMEL_SESSION_CACHE_CACHE_FILE_H

#include "session/cache/module_file.h"

/* Loads the plan, texts and description of a module from `path` into `file`. Returns
 * false, and changes nothing, if there is no sound file for exactly this module. */
bool cache_file_load(const char *path, struct module_file *file);

/* Loads a file that was just saved, as cache_file_load does, but without comparing the
 * checksums of its parts. */
bool cache_file_load_saved(const char *path, struct module_file *file);

/* Saves plan, texts and description of a module to `path`, with the texts composed
 * anew. Returns false on failure, which is no error: the plan works without a file. */
bool cache_file_save(const char *path, const struct module_file *file);

/* Writes `size` bytes at file offset `offset` with pwrite(2), not through a mapping: a
 * full disk must be an error, not a SIGBUS. Writes one large page at a time: from
 * larger writes the kernel makes larger pieces, which it does not map as large pages.
 * Returns false on failure. */
bool cache_file_write(int fd, const void *bytes, uint64_t size, uint64_t offset);

#endif
