/* The configuration spot: a profile of regions, and a second channel that watches loops.
 */
#ifndef TRAMMEL_RUNTIME_CONFIG_SPOT_H
#define TRAMMEL_RUNTIME_CONFIG_SPOT_H

#include <stdbool.h>

struct channel;
struct request;

/* What its service loopreport has to know. */
void spot_add(struct request *request, bool across);
/* The second channel, if there are to be time series; NULL: there is none. */
struct channel *spot_make_series(const struct request *request);

#endif
