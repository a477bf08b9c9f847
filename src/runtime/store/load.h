/* Reading small files where there is no heap. */
#ifndef TRAMMEL_RUNTIME_STORE_LOAD_H
#define TRAMMEL_RUNTIME_STORE_LOAD_H

#include <stddef.h>
#include <sys/types.h>

/* The text of a file, with a 0 behind it, in `room` bytes of runtime_map; NULL: it cannot
 * be opened, or there is no memory. `*ret_last` is what read(2) said last: 0 at the end
 * of the file, more where there is no room for the rest, less where it cannot be read. */
char *load_text(const char *path, size_t room, ssize_t *ret_last);

#endif
