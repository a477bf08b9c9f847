/*
 * Places in the source of what a view has, from the files of its modules.
 */
#ifndef TRAMMEL_EXPORT_PLACES_H
#define TRAMMEL_EXPORT_PLACES_H

#include "export/view.h"

/* One function at an address: the one whose code it is, or one that was put into it. */
struct export_line {
	const char *name;   /* readable */
	const char *linked; /* linked name, if it is another one; else NULL */
	const char *file;   /* NULL: not known */
	uint32_t line;      /* in it; 0: not known */
	uint32_t start;     /* line of the function; 0: not known */
};

enum { EXPORT_LINES_MAX = 64 };

/* Opens the files of the selected modules that a view has frames of, if these are the
 * measured ones, and fills in the frames' linked names, files and lines. */
void export_places_open(struct export_view *view);

/* Closes them; without any it does nothing. */
void export_places_close(struct export_view *view);

/* Finds the line of the code at a node's address, or else where its frame is declared.
 * `ret_file` gets NULL and `ret_line` 0 where that is not known. */
void export_line_of(const struct export_view *view, const struct export_node *node,
		    const char **ret_file, uint32_t *ret_line);

/* Lists the functions at a node's address, the innermost first; at least the frame's, at
 * most EXPORT_LINES_MAX. Returns how many. */
size_t export_lines_of(struct export_view *view, const struct export_node *node,
		       struct export_line *ret_lines);

/* Instructions that follow each other, of one line of one function. */
struct export_stretch {
	uint64_t address; /* of the first */
	uint32_t instructions;
};
struct export_stretches VECTOR(struct export_stretch);

/* Cuts a block into stretches by line, or with `each` into single instructions. Where its
 * code or the lines are not known it stays whole. */
void export_cut_block(const struct export_view *view, const struct report_block *block,
		      bool each, struct export_stretches *ret_stretches);

/* A module as a mapping of an address space in which no two are at one place. */
struct export_mapping {
	uint64_t bias;       /* what is added to link-time addresses */
	uint64_t start, end; /* with the bias, of its code */
	uint64_t file_offset;
	bool placed; /* functions and lines of it are known */
};

/* Returns the mapping of a module. */
struct export_mapping export_mapping_of(const struct export_view *view, uint32_t module);

/* Returns the modules that the view has frames of, that of the program first. The caller
 * frees the list. */
uint32_t *export_modules(const struct export_view *view, size_t *ret_count);

#endif
