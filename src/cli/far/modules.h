/*
 * Files of other hosts, and their debug information, kept by build id in
 * $XDG_CACHE_HOME/trammel/modules. A measurement on another host notes there what the
 * profile names; a report that needs one of these files has it brought.
 */
#ifndef TRAMMEL_CLI_FAR_MODULES_H
#define TRAMMEL_CLI_FAR_MODULES_H

#include "cli/far/way.h"

/* Notes the modules of a profile that was made on a host, and are not here. */
void far_modules_note(const struct far_way *way, const char *name, const char *profile);

/* Lets this process find files that are not here: those noted, by the way to their host,
 * and debug information where DEBUGINFOD_URLS says. */
void far_modules_use(void);

#endif
