/* Reading small files where there is no heap. */
#ifndef TRAMMEL_RUNTIME_STORE_LOAD_H
#define TRAMMEL_RUNTIME_STORE_LOAD_H

#include <stddef.h>
#include <sys/types.h>

/* Reads a file into `room` bytes of runtime_map(), with a 0 after the text; returns NULL
 * if it cannot be opened, or there is no memory. `*ret_last`: the last result of
 * read(2): 0 at the end of the file, more than 0 where there is no room for the rest,
 * less where it cannot be read. */
char *load_text(const char *path, size_t room, ssize_t *ret_last);

#endif
