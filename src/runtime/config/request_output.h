/* request_output.c. */
#ifndef TRAMMEL_RUNTIME_CONFIG_REQUEST_OUTPUT_H
#define TRAMMEL_RUNTIME_CONFIG_REQUEST_OUTPUT_H

#include <stdbool.h>

struct channel;
struct request;

/* NULL if it cannot be had. */
struct channel *request_make_channel(struct request *request, bool active);

#endif
