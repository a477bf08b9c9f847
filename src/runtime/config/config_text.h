/* oneline.c. */
#ifndef TRAMMEL_RUNTIME_CONFIG_CONFIG_TEXT_H
#define TRAMMEL_RUNTIME_CONFIG_CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct channel;
struct trm_runtime_answers;
struct trm_specs;

/* The one-line form, `runtime-report(output=stdout),event-trace`: makes channels of it.
 * `specs`: configurations and options beside the built-in ones, or NULL. `ret_channels`:
 * CHANNELS_MAX of them. What is wrong is said, and the rest works. */
size_t config_text_create(struct trm_specs *specs, const char *text, bool active,
			  struct channel **ret_channels, char *ret_message,
			  size_t message_size);

/* What the text says of the configuration of this name, of which no channel is made.
 * Returns whether nothing was wrong; what was, stands in the message. */
bool config_text_ask(struct trm_specs *specs, const char *text, const char *name,
		     const struct trm_runtime_answers *answers, char *ret_message,
		     size_t message_size);

#endif
