/* The code of one function joined with its counts in a profile: all basic blocks,
 * including those never executed. The profile has only executed blocks; all others
 * come from the module's file, which must be the measured one. */
#ifndef TRAMMEL_ANNOTATE_ANNOTATION_H
#define TRAMMEL_ANNOTATE_ANNOTATION_H

#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"
#include "code/relocate/cfg.h"
#include "image/image.h"
#include "image/lines.h"
#include "report/profile.h"
#include "x86/disassemble.h"

#include <stdbool.h>
#include <stdint.h>

/* The file of a module. */
struct annotation_file {
	const struct report_module *module;
	struct image *image;
	struct scan scan; /* of the whole image */
	/* Cold parts by their functions: rows of image.functions. */
	struct VECTOR(const struct image_function *) parts;
};

struct annotation_block {
	uint64_t address;
	uint32_t size; /* bytes */
	uint64_t count;
	int64_t stayed; /* see struct report_block */
};

struct annotation {
	const struct report_profile *profile;
	const struct report_function *function;
	const struct report_module *module;
	const struct annotation_file *file;
	const struct image *image;
	uint64_t address; /* of the code that this is about: the function's, or that of
			     a cold part of it, */
	bool part;        /* as this says */
	uint64_t size;    /* of that code, bytes */
	const uint8_t *bytes; /* of it */
	bool with_edges;      /* its edges were counted */
	bool counted; /* its blocks were; else every count is 0 and means nothing */
	struct cfg cfg;
	enum cfg_trouble trouble; /* CFG_FINE: `cfg` is the function's, and its blocks are
				     those below */
	/* By address, covering the code from its first to its last byte. Without a
	 * graph, the code between executed blocks forms one block. */
	struct VECTOR(struct annotation_block) blocks;
};

/*
 * Finds functions in the selection of a profile: by name, by the name without
 * parameters, or by address ("0x1230").
 *
 * ret_count: their number; error (TRM_ERROR_USAGE), with the nearest name, if none match.
 * The caller frees the list.
 */
struct trm_error *annotation_find(const struct report_profile *profile, const char *word,
				  const struct report_function ***ret_matches,
				  size_t *ret_count);

/* Opens the file of a module, if it is the measured one; errors as for
 * annotation_open. The caller closes the image. */
struct trm_error *annotation_open_image(const struct report_module *module,
					struct image **ret_image);

/* Opens the file of a module and analyses all its code. Errors: TRM_ERROR_SYSTEM and
 * others of image_open, TRM_ERROR_FORMAT if the file is not the measured one. The
 * caller closes it. */
struct trm_error *annotation_open(struct annotation_file *file,
				  const struct report_module *module);
void annotation_close(struct annotation_file *file);

/* Joins a function with its code in the module's file, without cold parts. Error
 * (TRM_ERROR_FORMAT): the file is not the measured one. Profile and file must outlive
 * the result; the caller deinits it. */
struct trm_error *annotation_init(struct annotation *annotation,
				  const struct report_profile *profile,
				  const struct report_function *function,
				  const struct annotation_file *file);
void annotation_deinit(struct annotation *annotation);

/* Moves on to the next executed cold part of the function; for other parts it is
 * unknown whether they were measured. Returns false, and leaves the annotation
 * unchanged, if there is no further part. */
bool annotation_next(struct annotation *annotation);

/* Tells whether a block has a call or a system call: control that enters it may never
 * leave it, or leave it twice (fork). `block` is an index in annotation.cfg. */
bool annotation_may_stay(const struct annotation *annotation, uint32_t block);

/* Tells whether control may reach a block other than by its routes. The call of a
 * function counts as a route into its first block. */
bool annotation_is_exposed(const struct annotation *annotation, uint32_t block);

/* Adds "name+0x12" for an address in a function of the image, and nothing for others. In
 * the annotated function it is "+0x12". */
void annotation_add_name(const struct annotation *annotation, uint64_t address,
			 struct text *out);

struct annotation_options {
	enum disassemble_syntax syntax;
	const struct image_rows *rows; /* lines of the source; NULL: do not show them */
	bool colour;
	size_t width; /* columns at which lines are cut; 0: nowhere */
};

#endif
