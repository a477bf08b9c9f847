/* The service mpi with MPI_MSG_PATTERN. */
#ifndef TRAMMEL_RUNTIME_SERVICE_CALLS_MPI_PATTERN_H
#define TRAMMEL_RUNTIME_SERVICE_CALLS_MPI_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

struct channel;
struct channel_thread;
struct context_node;
struct runtime_event;

/* An attribute of the process, by its name; 0: there is none of the name yet. */
struct mpi_known {
	const char *name;
	uint32_t attribute;
};
bool mpi_is_known(struct mpi_known *known, uint32_t attribute);
/* The innermost node of the attribute from a node on; NULL: there is none. */
struct context_node *mpi_find_known(struct mpi_known *known, struct context_node *node);

/* See struct service: `on_event`, and `start` where it is wanted. */
void mpi_pattern_look(struct channel_thread *own, const struct runtime_event *event);
const char *mpi_pattern_start(struct channel *channel);

/* A receive that was begun so long ago is waited for; NULL: nothing happened. Returns
 * whether anybody wants to know. */
bool mpi_pattern_waits(const uint64_t *ns);

void mpi_pattern_deinit(struct channel_thread *own);

#endif
