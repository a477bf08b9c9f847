/* Places of code in the source, from debug information (DWARF) in the file itself or
 * in its separate debug file. */
#ifndef TRAMMEL_IMAGE_LINES_H
#define TRAMMEL_IMAGE_LINES_H

#include "base/table.h"
#include "image/image.h"

/* The line at which a function is declared or, in assembly, begins. */
struct image_place {
	uint32_t file; /* number in image_lines.files */
	uint32_t line; /* from 1; 0: not known, and neither is the file */
};

struct image_lines {
	/* Paths, absolute where the debug information says in which folder was compiled,
	 * without "." and ".." in them. */
	struct string_table files;
	struct VECTOR(struct image_place) places; /* one for each of image.functions */
	char *lack; /* missing part of the debug information; NULL: nothing is missing */
};

/* Reads the places of all functions of an image that image_open opened. Errors:
 * TRM_ERROR_UNSUPPORTED if there is no debug information, TRM_ERROR_FORMAT if the file
 * has changed since, TRM_ERROR_SYSTEM if it cannot be read. The message is a reason
 * only ("no debug information"). On success the caller deinits the lines. */
struct trm_error *image_lines_init(struct image_lines *lines, const struct image *image);
void image_lines_deinit(struct image_lines *lines);

/* Code that is of one line: [start, end), link-time addresses. */
struct image_row {
	uint64_t start, end;
	struct image_place place;
};

struct image_row_list VECTOR(struct image_row);

/* The lines of all code of an image. */
struct image_rows {
	struct string_table files;  /* as in image_lines */
	struct image_row_list rows; /* by start; disjoint */
	/* Functions that a linker folded into an equal one: its code is of these lines,
	 * too. By start; not disjoint. */
	struct image_row_list folded;
	char *lack; /* as in image_lines */
};

/* Reads them; errors as for image_lines_init. On success the caller deinits them. */
struct trm_error *image_rows_init(struct image_rows *rows, const struct image *image);
void image_rows_deinit(struct image_rows *rows);

/* Returns the index of the first row that ends after the address; rows.count if there
 * is none. */
size_t image_rows_from(const struct image_rows *rows, uint64_t address);

/* Returns the index of the first row of `folded` that starts at the address or later;
 * folded.count if there is none. */
size_t image_rows_folded_from(const struct image_rows *rows, uint64_t address);

#endif
