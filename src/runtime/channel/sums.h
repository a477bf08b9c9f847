/* sums.c. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_SUMS_H
#define TRAMMEL_RUNTIME_CHANNEL_SUMS_H

struct channel;
struct trm_runtime_sums;

/* Sums of a metric so far; nothing where the channel does not aggregate it. */
void channel_sums(struct channel *channel, const char *metric,
		  const struct trm_runtime_sums *sums);

#endif
