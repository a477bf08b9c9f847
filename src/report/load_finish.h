/* What a profile says by all of its records together. */
#ifndef TRAMMEL_REPORT_LOAD_FINISH_H
#define TRAMMEL_REPORT_LOAD_FINISH_H

#include "report/profile.h"

/* Puts in order what was loaded. `graph`: there may be calls in their contexts. */
void load_finish(struct report_profile *profile, bool graph);

#endif
