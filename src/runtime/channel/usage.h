#ifndef TRAMMEL_RUNTIME_CHANNEL_USAGE_H
#define TRAMMEL_RUNTIME_CHANNEL_USAGE_H

/* Says at the program's end, in programs with <caliper/cali.h>, what there is in memory,
 * if that is wanted. */
void usage_say(void);

#endif
