/* `trammel stacks -p`: the stacks of a running process, as they are now. */
#ifndef TRAMMEL_CLI_STACKS_PROCESS_H
#define TRAMMEL_CLI_STACKS_PROCESS_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Adds the stacks of all threads of a process. Errors: TRM_ERROR_GONE if there is no such
 * process, TRM_ERROR_UNSUPPORTED if it may not be looked at. */
struct trm_error *stacks_of_process(uint32_t pid, bool json, struct text *out);

#endif
