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

/* Loads plan, texts and description of a module; false if there is no sound file for just
 * this module (then nothing is changed). */
bool cache_file_load(const char *path, struct module_file *file);

/* The same for a file that was just saved: the checksums of its parts are not compared.
 */
bool cache_file_load_saved(const char *path, struct module_file *file);

/* Saves them, with the texts composed anew; false if that failed, which is no error: the
 * plan works without. */
bool cache_file_save(const char *path, const struct module_file *file);

/* Writes with pwrite(2), not through a mapping: a full disk must be an error, no SIGBUS.
 * A large page at a time: from more at once the kernel makes larger pieces, which it does
 * not map as large pages. */
bool cache_file_write(int fd, const void *bytes, uint64_t size, uint64_t offset);

#endif
