/* Sockets on which debuggers are waited for. */
#ifndef TRAMMEL_DEBUG_LISTEN_H
#define TRAMMEL_DEBUG_LISTEN_H

#include "base/error.h"

#include <stdbool.h>

/* Makes a socket for `where`: "unix:PATH", which others cannot open, or
 * "tcp:127.0.0.1:PORT". A PORT of 0 is any; `ret_port` gets the one that it is, 0 for
 * unix. Nobody can connect before listen_start(). */
struct trm_error *listen_open(const char *where, int *ret_fd, int *ret_port);

/* Lets others connect, and says so on `message_fd`, which it closes (-1: none). */
void listen_start(int listener, int message_fd, const char *message);

/* Removes what listen_open made in the file system. */
void listen_remove(const char *where);

/* Takes the next connection, without waiting: one of another user is closed at once.
 * Returns its descriptor, which does not block; -1: there is none. */
int listen_accept(int listener);

/* Returns a descriptor that can be read once the parent of this process has ended; -1: it
 * cannot be made. */
int listen_parent(void);

/* Connects to where somebody listens. */
struct trm_error *listen_connect(const char *where, int *ret_fd);

#endif
