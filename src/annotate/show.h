/* Writing listings of code, as text and as JSON. */
#ifndef TRAMMEL_ANNOTATE_SHOW_H
#define TRAMMEL_ANNOTATE_SHOW_H

#include "annotate/annotation.h"

/* Adds the listing as text, or as one JSON object: see man/trammel-annotate.1.md. Goes on
 * to the last part of the function. */
void annotation_text(struct annotation *annotation,
		     const struct annotation_options *options, struct text *out);
void annotation_json(struct annotation *annotation,
		     const struct annotation_options *options, struct text *out);

#endif
