/* Files of other hosts, by their agents. */
#ifndef TRAMMEL_CLI_FAR_BRING_H
#define TRAMMEL_CLI_FAR_BRING_H

#include "cli/far/way.h"

#include <stdbool.h>

/* Brings a module, or its debug file, here, as trm_engine_module does. */
struct trm_error *far_bring(const struct far_way *way, const char *name, const char *path,
			    const char *build_id, bool debug, const char *to);

#endif
