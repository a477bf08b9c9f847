#ifndef TRAMMEL_RUNTIME_CHANNEL_USAGE_H
#define TRAMMEL_RUNTIME_CHANNEL_USAGE_H

/* Reports how much memory is in use, if that is wanted; at the end of programs with
 * <caliper/cali.h>. */
void usage_say(void);

#endif
