/* What probes found, as text. */
#ifndef TRAMMEL_REPORT_TEXT_PROBES_H
#define TRAMMEL_REPORT_TEXT_PROBES_H

#include "base/text.h"
#include "report/profile.h"

/* Adds what probes found: at most `limit` keys, and hits, of each. */
void report_add_probes(struct text *out, const struct report_profile *profile,
		       size_t limit);

#endif
