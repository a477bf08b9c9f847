/*
 * The code that paths lead through: blocks, instructions and lines of the source.
 */
#ifndef TRAMMEL_DERIVE_PATH_PLACES_H
#define TRAMMEL_DERIVE_PATH_PLACES_H

#include "derive/hot_paths.h"
#include "image/image.h"
#include "image/lines.h"
#include "x86/disassemble.h"

/* The code of a module, and its lines. */
struct path_code {
	const struct report_module *module;
	struct image *image; /* NULL: it cannot be read */
	struct image_rows rows;
	bool lines;
};

/* What all of a report looks at, opened when it is needed. */
struct path_codes {
	const struct report_profile *profile;
	struct path_code *items; /* by module; `module` NULL: not looked at yet */
};

void path_codes_init(struct path_codes *codes, const struct report_profile *profile);
void path_codes_deinit(struct path_codes *codes);

/* Returns the code of a module, by its number. */
const struct path_code *path_codes_of(struct path_codes *codes, uint32_t module);

/* Takes the next block's distance from a path's list; false at its end. */
bool path_places_next(const char **blocks, uint64_t *ret_distance);

/* Returns the bytes of a block, at `distance` from the path's function or part: as the
 * profile says, or up to its first branch. 0: it is not known. */
uint64_t path_places_size(const struct hot_paths *paths, const struct path_code *code,
			  const struct hot_path *row, uint64_t distance);

/* Calls `see` for each instruction of a block of a path. */
void path_places_code(const struct hot_paths *paths, const struct path_code *code,
		      const struct hot_path *row, uint64_t distance,
		      enum disassemble_syntax syntax,
		      void (*see)(struct text *out, uint64_t address, const char *text,
				  bool first),
		      struct text *out);

/* Calls `see` for each line of the source of a path, in order; what follows itself, once.
 * `same`: it is in the file of the line before. */
void path_places_lines(const struct hot_paths *paths, const struct path_code *code,
		       const struct hot_path *row,
		       void (*see)(struct text *out, const char *file, uint32_t line,
				   bool same),
		       struct text *out);

#endif
