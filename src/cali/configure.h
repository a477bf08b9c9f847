/* Channels by their numbers in the compatible interface. */
#ifndef TRAMMEL_CALI_CONFIGURE_H
#define TRAMMEL_CALI_CONFIGURE_H

#include "caliper/cali-channel.h"
#include "caliper/cali.h"
#include "trammel/channel.h"

enum { OWN_CHANNELS = CALI_CHANNELS_MAX };

/* Returns the channels with this number; NULL if there are none. */
struct trm_channels *own_channel(cali_id_t channel);
/* Gives channels a number and returns it. If no number is free they are destroyed:
 * CALI_INV_ID. */
cali_id_t own_add_channel(struct trm_channels *channels, const char *name);

#endif
