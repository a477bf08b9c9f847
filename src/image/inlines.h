/* The source function of each instruction, including functions that compilers have
 * inlined, from debug information (DWARF). For profiles that compilers read. */
#ifndef TRAMMEL_IMAGE_INLINES_H
#define TRAMMEL_IMAGE_INLINES_H

#include "base/table.h"
#include "image/image.h"

enum { INLINES_NONE = UINT32_MAX }; /* no scope */

/* A place in a function: its line, and which of the blocks on that line it is. */
struct image_site {
	uint32_t line;          /* from 1; 0: not known */
	uint32_t discriminator; /* as the compiler numbers them */
};

/* A function, or an inlined copy of one. */
struct image_scope {
	uint32_t name;   /* linked name: number in image_inlines.names */
	uint32_t line;   /* at which it is declared; 0: not known */
	uint32_t file;   /* likewise: number in image_inlines.files; INLINES_NONE */
	uint32_t parent; /* the scope it was put into; INLINES_NONE: a function */
	struct image_site call; /* where in the parent */
};

/* Code of a scope that is of no scope in it: [start, end), link-time addresses. */
struct image_part {
	uint64_t start, end;
	uint32_t scope;
};

/* Code of one site. */
struct image_stretch {
	uint64_t start, end;
	struct image_site site;
};

struct image_inlines {
	struct string_table names;
	struct string_table files;                /* as in image_lines */
	struct VECTOR(struct image_scope) scopes; /* a parent is in front of its own */
	struct VECTOR(struct image_part) parts;   /* by start; disjoint */
	struct VECTOR(struct image_stretch) stretches; /* by start; disjoint */
	bool llvm; /* all of it was compiled by a compiler that is based on LLVM */
};

/* Reads them; errors as for image_lines_init. On success the caller deinits them. */
struct trm_error *image_inlines_init(struct image_inlines *inlines,
				     const struct image *image);
void image_inlines_deinit(struct image_inlines *inlines);

/* The innermost scope at an address, and the site in it; INLINES_NONE if that is not
 * known. */
uint32_t image_scope_at(const struct image_inlines *inlines, uint64_t address,
			struct image_site *ret_site);

#endif
