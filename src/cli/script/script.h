/* Parts of trammel that are in Python. */
#ifndef TRAMMEL_CLI_SCRIPT_SCRIPT_H
#define TRAMMEL_CLI_SCRIPT_SCRIPT_H

#include "base/error.h"

/* Becomes Python, which runs a module of the folder `trammel` ("trammel.script") with
 * arguments, NULL at the end. Returns only an error: it cannot be run. */
struct trm_error *script_become(const char *module, const char *const *arguments);

#endif
