/* Times of settings in ticks, whose length is only found out while a channel runs. */
#ifndef TRAMMEL_RUNTIME_SERVICE_MEASURE_TICK_INTERVAL_H
#define TRAMMEL_RUNTIME_SERVICE_MEASURE_TICK_INTERVAL_H

#include <stdint.h>

struct channel;
struct settings;

/* A whole number, or a decimal one, of seconds in nanoseconds; what is none is said, and
 * `otherwise` taken. */
uint64_t tick_interval_setting_ns(const struct settings *settings, const char *key,
				  uint64_t otherwise);

/* Ticks of so many nanoseconds. `ticks`: what this thread found before, 0: nothing; it
 * stays once the clocks ran long enough to tell. No system call, no allocation. */
uint64_t tick_interval_ticks(const struct channel *channel, uint64_t ns, uint64_t now,
			     uint64_t *ticks);

#endif
