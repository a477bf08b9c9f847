/* Names for memory: the functions are in caliper/cali.h. */
#ifndef CALI_CALI_DATATRACKER_H
#define CALI_CALI_DATATRACKER_H

#include "cali.h"

#define CALI_DATATRACKER_TRACK(place, size) cali_datatracker_track(place, #place, size)
#define CALI_DATATRACKER_TRACK_DIMENSIONAL(place, size, dimensions, count)               \
	cali_datatracker_track_dimensional(place, #place, size, dimensions, count)
#define CALI_DATATRACKER_UNTRACK(place) cali_datatracker_untrack(place)

#endif
