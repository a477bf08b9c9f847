/* The separate debug file of an image, and the one packed inside it, while their symbols
 * are read. */
#ifndef TRAMMEL_IMAGE_READ_DEBUGFILE_H
#define TRAMMEL_IMAGE_READ_DEBUGFILE_H

#include "base/text.h"
#include "image/bytes.h"
#include "image/read/elf_file.h"
#include "image/read/reader.h"

/* Bytes of debug files while they are needed. */
struct debug_files {
	struct bytes mapped;   /* the separate debug file */
	struct bytes unpacked; /* the contents of .gnu_debugdata, allocated */
	struct elf_file mapped_elf, unpacked_elf;
};

/* Adds the path of the separate debug file that belongs to the build id of an image. */
void image_debug_path(const struct image *image, struct text *path);

/* Adds the path of the separate debug file of a build id of `size` bytes, at least 1. */
void image_id_path(const uint8_t *id, size_t size, struct text *path);

/* Adds the symbols of the separate debug file (if `search`) and of .gnu_debugdata. */
void image_debug_files_init(struct debug_files *files, struct reader *reader,
			    bool search);

/* Unmaps the debug files, and frees what was unpacked. */
void image_debug_files_deinit(struct debug_files *files);

#endif
