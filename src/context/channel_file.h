/* Writing the profile of a channel that wrote none itself. */
#ifndef TRAMMEL_CONTEXT_CHANNEL_FILE_H
#define TRAMMEL_CONTEXT_CHANNEL_FILE_H

#include "context/channels.h"

/* Writes a profile of what a channel of a process had that wrote none itself. `naming`:
 * NULL if addresses are to stand alone. */
struct trm_error *context_channel_write(const char *path,
					const struct context_process *process,
					const struct context_channel *channel,
					const struct context_naming *naming);

#endif
