/* Values that options may have. */
#ifndef TRAMMEL_RUNTIME_CONFIG_ALLOWED_H
#define TRAMMEL_RUNTIME_CONFIG_ALLOWED_H

#include <stdbool.h>

struct configuration_option;
struct item;
struct request;

/* Tells whether the option may have the value of `item`; adds a complaint if it may not.
 * */
bool request_allows(const struct request *request,
		    const struct configuration_option *option, const struct item *item);

#endif
