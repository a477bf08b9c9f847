/* Callbacks of events. */
#ifndef TRAMMEL_CALI_WATCH_H
#define TRAMMEL_CALI_WATCH_H

#include "caliper/cali-channel.h"
#include "caliper/cali.h"
#include "trammel/channel.h"

#include <stddef.h>

/* Returns the channels whose events a callback of this channel receives; NULL without
 * callbacks. */
struct trm_channels *own_watch(cali_id_t channel);

/* Tells the callbacks that an attribute was created. */
void own_tell_attribute(cali_id_t attribute);

/* Tells the callbacks that a snapshot of `n` values was asked for, in this channel; in
 * all active channels if it is CALI_INV_ID. */
void own_tell_snapshot(cali_id_t channel, int n, const cali_id_t attributes[],
		       const cali_variant_t values[]);

/* Tells the callbacks of an event that concerns this channel alone. */
void own_tell_value(cali_id_t channel, enum cali_event_kind kind, cali_id_t attribute,
		    cali_variant_t value);

/* Tells the callbacks that memory at `place` got the name `label`; element_size: bytes.
 */
void own_tell_track(const void *place, const char *label, size_t element_size,
		    const size_t *dimensions, size_t dimension_count);

/* Tells the callbacks that it lost it. */
void own_tell_untrack(const void *place);

/* Drops the callbacks of a channel. */
void own_forget(cali_id_t channel);

#endif
