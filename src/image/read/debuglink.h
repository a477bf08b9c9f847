/* Debug files that are found by .gnu_debuglink, and mapping of files. */
#ifndef TRAMMEL_IMAGE_READ_DEBUGLINK_H
#define TRAMMEL_IMAGE_READ_DEBUGLINK_H

#include "base/text.h"
#include "image/image.h"
#include "image/read/elf_file.h"

/* Maps a regular file; image_unmap_file undoes it. Empty on failure (errno is set if a
 * system call failed). */
struct bytes image_map_file(const char *path);

/* Takes a mapping back; of nothing if it is empty. */
void image_unmap_file(struct bytes bytes);

/* Writes the path of the debug file named by the image's section .gnu_debuglink into
 * `path`; false if no file has the checksum in that section. */
bool image_debuglink_path(const struct image *image, const struct elf_file *elf,
			  struct text *path);

#endif
