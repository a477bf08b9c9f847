/* The configuration spot: a profile of regions, and a second channel that watches loops.
 */
#ifndef TRAMMEL_RUNTIME_CONFIG_SPOT_H
#define TRAMMEL_RUNTIME_CONFIG_SPOT_H

#include <stdbool.h>

struct channel;
struct request;

/* Adds the settings that its service loopreport needs. `across`: over all ranks. */
void spot_add(struct request *request, bool across);
/* Makes the second channel; returns NULL if no time series are wanted. */
struct channel *spot_make_series(const struct request *request);

#endif
