/* The service mpi with MPI_MSG_TRACING, in traces. */
#ifndef TRAMMEL_RUNTIME_SERVICE_CALLS_MPI_MESSAGES_H
#define TRAMMEL_RUNTIME_SERVICE_CALLS_MPI_MESSAGES_H

struct channel_thread;
struct runtime_event;

/* Functions of struct service: `on_event`, and `start` where messages are wanted. */
void mpi_messages_look(struct channel_thread *own, const struct runtime_event *event);
const char *mpi_messages_start(void);

#endif
