/* What threads did, as JSON. */
#ifndef TRAMMEL_REPORT_STACKS_JSON_H
#define TRAMMEL_REPORT_STACKS_JSON_H

#include "base/text.h"
#include "report/stacks/load.h"

/* Adds one JSON object, with all rows. */
void stacks_json(const struct stack_list *list, struct text *out);

#endif
