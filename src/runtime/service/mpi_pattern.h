/* The service mpi with MPI_MSG_PATTERN. */
#ifndef TRAMMEL_RUNTIME_MPI_PATTERN_H
#define TRAMMEL_RUNTIME_MPI_PATTERN_H

#include "runtime/channel/channel.h"

/* See struct service: `look`, and `start` where it is wanted. */
void mpi_pattern_look(struct channel_thread *own, const struct runtime_event *event);
const char *mpi_pattern_start(struct channel *channel);

/* A receive that was begun so long ago is waited for; NULL: nothing happened. Returns
 * whether anybody wants to know. */
bool mpi_pattern_waits(const uint64_t *ns);

#endif
