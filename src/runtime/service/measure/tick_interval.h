/* Times of settings in ticks, whose length is only found out while a channel runs. */
#ifndef TRAMMEL_RUNTIME_SERVICE_MEASURE_TICK_INTERVAL_H
#define TRAMMEL_RUNTIME_SERVICE_MEASURE_TICK_INTERVAL_H

#include <stdint.h>

struct channel;
struct settings;

/* Reads a setting in seconds, a whole or decimal number, and returns it in nanoseconds;
 * reports a value that is not a number, and returns `otherwise` then. */
uint64_t tick_interval_setting_ns(const struct settings *settings, const char *key,
				  uint64_t otherwise);

/* Converts `ns` nanoseconds to ticks. `ticks`: the result that this thread found before,
 * 0 for none; it is kept once the clocks have run long enough to be exact. Makes no
 * system call and no allocation. */
uint64_t tick_interval_ticks(const struct channel *channel, uint64_t ns, uint64_t now,
			     uint64_t *ticks);

#endif
