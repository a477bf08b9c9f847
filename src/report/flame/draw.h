/* Trees as pictures for a terminal, as lines, and as JSON. */
#ifndef TRAMMEL_REPORT_FLAME_DRAW_H
#define TRAMMEL_REPORT_FLAME_DRAW_H

#include "base/text.h"
#include "report/flame/tree.h"

#include <stdbool.h>
#include <stddef.h>

struct flame_style {
	size_t width; /* columns of the terminal; at least 20 */
	size_t depth; /* rows, or levels, at most; 0: all */
	double least; /* lines: parts of the whole below this share are left out */
	bool colour;  /* pictures: else frames stand between bars */
	bool unicode; /* characters outside ASCII may be used */
	bool upwards; /* pictures: the root is at the bottom */
};

/* Adds a flame graph: a row a level, a frame's width its share of the whole. */
void flame_draw(const struct flame_tree *tree, const struct report_profile *profile,
		const struct flame_style *style, struct text *out);

/* Adds the same as lines, indented by level, each with its share and a bar for it. */
void flame_list(const struct flame_tree *tree, const struct report_profile *profile,
		const struct flame_style *style, struct text *out);

/* Adds the tree as one JSON object: see man/trammel-flame.1.md. */
void flame_json(const struct flame_tree *tree, const struct report_profile *profile,
		enum flame_by by, struct text *out);

/* Adds a number of a tree: time as people write it, all else with its digits grouped. */
void flame_add_value(struct text *out, uint64_t value, const char *unit);

/* Returns the colour of a module, a number below FLAME_COLOURS; that for what is of no
 * module. Large modules have different ones. */
enum { FLAME_COLOURS = 12 };
unsigned flame_colour_of(const struct flame_tree *tree, uint32_t module);

/* Those colours, of the 256 of xterm, with one more for what is of no module. */
extern const unsigned char flame_palette[FLAME_COLOURS + 1];

#endif
