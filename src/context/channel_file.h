/* Writes profiles for channels that did not write their own. */
#ifndef TRAMMEL_CONTEXT_CHANNEL_FILE_H
#define TRAMMEL_CONTEXT_CHANNEL_FILE_H

#include "context/channels.h"

/* Writes the profile of a process's channel that did not write its own. `naming`: NULL
 * to write addresses without names. */
struct trm_error *context_channel_write(const char *path,
					const struct context_process *process,
					const struct context_channel *channel,
					const struct context_naming *naming);

#endif
