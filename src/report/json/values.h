/* Values of instructions as JSON: see man/trammel-values.1.md. */
#ifndef TRAMMEL_REPORT_JSON_VALUES_H
#define TRAMMEL_REPORT_JSON_VALUES_H

#include "base/text.h"
#include "report/values.h"

/* Adds one object. */
void report_values_json(struct text *out, const struct report_values *values);

#endif
