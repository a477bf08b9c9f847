/* Writing instruction mixes, as text and as JSON. */
#ifndef TRAMMEL_DERIVE_MIX_SHOW_H
#define TRAMMEL_DERIVE_MIX_SHOW_H

#include "derive/mix.h"

/* Adds the tables as text, or as one JSON object: see man/trammel-mix.1.md. */
void mix_text(const struct mix *mix, const struct walk_options *options,
	      struct text *out);

void mix_json(const struct mix *mix, struct text *out);

#endif
