/* Sums of metrics, for the program. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_SUMS_H
#define TRAMMEL_RUNTIME_CHANNEL_SUMS_H

struct channel;
struct trm_runtime_sums;

/* Passes the sums of a metric so far to `sums`; none if the channel does not aggregate
 * the metric. */
void channel_sums(struct channel *channel, const char *metric,
		  const struct trm_runtime_sums *sums);

#endif
