/* What probes found, as JSON. */
#ifndef TRAMMEL_REPORT_JSON_PROBES_H
#define TRAMMEL_REPORT_JSON_PROBES_H

#include "base/text.h"
#include "report/profile.h"

/* Adds an item for each action of probes. */
void json_add_probes(struct text *out, const struct report_profile *profile);

#endif
