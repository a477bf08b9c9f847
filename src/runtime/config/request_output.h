/* Output settings of a request, and its channel. */
#ifndef TRAMMEL_RUNTIME_CONFIG_REQUEST_OUTPUT_H
#define TRAMMEL_RUNTIME_CONFIG_REQUEST_OUTPUT_H

#include <stdbool.h>

struct channel;
struct request;

/* Makes the channel of the request; returns NULL if it cannot be made. */
struct channel *request_make_channel(struct request *request, bool active);

#endif
