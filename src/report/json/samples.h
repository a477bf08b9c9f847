/* Samples as members of JSON objects. */
#ifndef TRAMMEL_REPORT_JSON_SAMPLES_H
#define TRAMMEL_REPORT_JSON_SAMPLES_H

#include "base/text.h"
#include "report/profile.h"

/* Adds a function's samples: "samples" and "sample.events" by the first event, and by
 * others a list "samples.by_event". Nothing in a profile without samples. */
void json_add_function_samples(struct text *out, const struct report_profile *profile,
			       const struct report_function *function);

/* Adds the list "events" to the report. */
void json_add_events(struct text *out, const struct report_profile *profile);

/* Adds the list "rows" of frames, each with the number of the one that called it. */
void json_add_stacks(struct text *out, const struct report_profile *profile);

#endif
