/* Records of a channel that are written at a flush. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_OUTPUT_H
#define TRAMMEL_RUNTIME_CHANNEL_OUTPUT_H

struct publish_sink;

/* Writes to `sink` the records of a channel that the spool does not have. `context`: the
 * channel, whose lock is held. */
void output_fill(void *context, const struct publish_sink *sink);

#endif
