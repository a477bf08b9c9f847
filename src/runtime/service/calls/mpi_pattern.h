/* The service mpi with MPI_MSG_PATTERN. */
#ifndef TRAMMEL_RUNTIME_SERVICE_CALLS_MPI_PATTERN_H
#define TRAMMEL_RUNTIME_SERVICE_CALLS_MPI_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

struct channel;
struct channel_thread;
struct context_node;
struct runtime_event;

/* An attribute of the process, by its name; 0: not made yet. */
struct mpi_known {
	const char *name;
	uint32_t attribute;
};
bool mpi_is_known(struct mpi_known *known, uint32_t attribute);
/* Finds the innermost node of the attribute, from `node` outwards; NULL if there is
 * none. */
struct context_node *mpi_find_known(struct mpi_known *known, struct context_node *node);

/* Functions of struct service: `on_event`, and `start` where patterns are wanted. */
void mpi_pattern_look(struct channel_thread *own, const struct runtime_event *event);
const char *mpi_pattern_start(struct channel *channel);

/* Notes that a receive that was begun `*ns` ago is waited for; NULL: nothing happened.
 * Returns whether a channel wants to know. */
bool mpi_pattern_waits(const uint64_t *ns);

/* Frees the regions of communication of a thread. */
void mpi_pattern_deinit(struct channel_thread *own);

#endif
