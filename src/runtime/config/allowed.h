/* allowed.c. */
#ifndef TRAMMEL_RUNTIME_CONFIG_ALLOWED_H
#define TRAMMEL_RUNTIME_CONFIG_ALLOWED_H

#include <stdbool.h>

struct configuration_option;
struct item;
struct request;

/* Whether the option may have the value that it is given; complains if not. */
bool request_allows(const struct request *request,
		    const struct configuration_option *option, const struct item *item);

#endif
