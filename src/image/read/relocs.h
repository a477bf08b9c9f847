/* Relocations, arrays of initialisers, restartable sequences. */
#ifndef TRAMMEL_IMAGE_READ_RELOCS_H
#define TRAMMEL_IMAGE_READ_RELOCS_H

#include "image/read/reader.h"

/* Reads relocations and arrays of initialisers: targets, resolvers, entries, words. */
void image_read_relocations(struct reader *reader);

/* Reads the 8 bytes at an address as the loader leaves them, at load bias 0; false if
 * they are not known. */
bool image_word_at(const struct reader *reader, uint64_t address, uint64_t *ret_value);

/* Notes an address that something refers to, if it is in the code. */
void image_add_target(struct reader *reader, uint64_t address);

/* Reads the descriptors of restartable sequences. */
void image_read_sequences(struct reader *reader);

#endif
