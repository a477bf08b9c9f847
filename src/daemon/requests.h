/* What others ask of a daemon. */
#ifndef TRAMMEL_DAEMON_REQUESTS_H
#define TRAMMEL_DAEMON_REQUESTS_H

#include "daemon/daemon.h"

/* Takes the requests that wait, and answers them. */
void requests_serve(struct daemon *daemon);

#endif
