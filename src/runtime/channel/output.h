/* output.c. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_OUTPUT_H
#define TRAMMEL_RUNTIME_CHANNEL_OUTPUT_H

struct publish_sink;

/* What the spool does not have of a channel; `context`: the channel, whose lock is held.
 */
void output_fill(void *context, const struct publish_sink *sink);

#endif
