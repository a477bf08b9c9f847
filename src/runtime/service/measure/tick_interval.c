#include "runtime/service/measure/tick_interval.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/log.h"
#include "runtime/channel/settings.h"
#include "runtime/store/state.h"

#include <stdlib.h>

/* About a tenth of a second: two readings of both clocks are as good as exact then. */
enum { SETTLED_TICKS = 200000000 };

uint64_t tick_interval_setting_ns(const struct settings *settings, const char *key,
				  uint64_t otherwise)
{
	const char *value = settings_get(settings, key);
	char *end = NULL;
	double seconds = value ? strtod(value, &end) : 0;

	if (!value)
		return otherwise;
	if (end != value && !*end && seconds >= 0 && seconds < 1e9)
		return (uint64_t)(seconds * 1e9 + 0.5);
	log_warn("'%s' of %s is not a number of seconds: %g is taken", value, key,
		 (double)otherwise * 1e-9);
	return otherwise;
}

uint64_t tick_interval_ticks(const struct channel *channel, uint64_t ns, uint64_t now,
			     uint64_t *ticks)
{
	uint64_t found;

	if (*ticks)
		return *ticks;
	found = (uint64_t)((double)ns / state_tick_ns(&channel->clock.begin));
	if (now - channel->clock.begin.ticks > SETTLED_TICKS)
		*ticks = found ? found : 1;
	return found;
}
