/* Comparisons by any attributes, as text and as JSON. */
#ifndef TRAMMEL_JOIN_COMPARE_SHOW_H
#define TRAMMEL_JOIN_COMPARE_SHOW_H

#include "join/compare.h"

/* Adds the comparison as text, or as one JSON object: see man/trammel-diff.1.md. */
void comparison_text(const struct comparison *comparison,
		     const struct compare_options *options, struct text *out);
void comparison_json(const struct comparison *comparison,
		     const struct compare_options *options, struct text *out);

#endif
