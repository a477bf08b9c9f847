/* Writing traced snapshots of a channel. */
#ifndef TRAMMEL_CONTEXT_TRACES_H
#define TRAMMEL_CONTEXT_TRACES_H

#include "context/channel_view.h"

/* Writes all snapshots that were traced. */
void view_save_traces(struct channel_view *view);

#endif
