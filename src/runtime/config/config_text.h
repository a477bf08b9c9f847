/* Texts that name configurations with options. */
#ifndef TRAMMEL_RUNTIME_CONFIG_CONFIG_TEXT_H
#define TRAMMEL_RUNTIME_CONFIG_CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct channel;
struct trm_runtime_answers;
struct trm_specs;

/* Makes channels of a text like `runtime-report(output=stdout),event-trace`, and returns
 * their number. `specs`: configurations and options beside the built-in ones, or NULL.
 * `ret_channels`: room for CHANNELS_MAX channels. Faults are reported in `ret_message`,
 * of `message_size` bytes; the rest of the text takes effect. */
size_t config_text_create(struct trm_specs *specs, const char *text, bool active,
			  struct channel **ret_channels, char *ret_message,
			  size_t message_size);

/* Passes to `answers` what the text says of the configuration `name`, without making a
 * channel. Returns false if something was wrong, which is then in `ret_message`. */
bool config_text_ask(struct trm_specs *specs, const char *text, const char *name,
		     const struct trm_runtime_answers *answers, char *ret_message,
		     size_t message_size);

#endif
