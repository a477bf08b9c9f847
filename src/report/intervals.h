/* Intervals of the runs. */
#ifndef TRAMMEL_REPORT_INTERVALS_H
#define TRAMMEL_REPORT_INTERVALS_H

#include "report/profile.h"

/* Puts the intervals in order; parts name them by their place. */
void report_intervals_finish(struct report_profile *profile);

/* Tells whether the profile has an interval of this number, or the number is 0. */
bool report_has_interval(const struct report_profile *profile, uint64_t number);

#endif
