/* Advice as text and as JSON. */
#ifndef TRAMMEL_ADVISE_SHOW_H
#define TRAMMEL_ADVISE_SHOW_H

#include "advise/advice.h"

struct advice_style {
	bool colour;
	size_t width; /* columns of the terminal; 0: as wide as it comes */
	size_t limit; /* findings that are shown */
};

/* Adds the findings as text, or all as one JSON object: see man/trammel-advise.1.md. */
void advice_text(const struct advice *advice, const struct advice_style *style,
		 struct text *out);
void advice_json(const struct advice *advice, struct text *out);

/* Adds the findings as a table, a row each. */
void advice_table(const struct advice *advice, const struct advice_style *style,
		  struct text *out);

/* Adds the rules with what each needs, as text or as JSON. */
void advice_list_text(const struct advice_style *style, struct text *out);
void advice_list_json(struct text *out);

#endif
