/* Writing coverage, as text and as JSON. */
#ifndef TRAMMEL_COVERAGE_SHOW_H
#define TRAMMEL_COVERAGE_SHOW_H

#include "coverage/coverage.h"

/* Returns a text that names the information missing because of a module's trouble. */
const char *coverage_trouble_kind(const struct coverage_module *module);

/* Adds tables, or one JSON object: see man/trammel-coverage.1.md. */
void coverage_text(const struct coverage *coverage,
		   const struct coverage_options *options, struct text *out);

void coverage_json(const struct coverage *coverage, struct text *out);

#endif
