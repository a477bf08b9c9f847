/*
 * Files whose code is not measured: each still has a row in the report, with the
 * reason.
 */
#ifndef TRAMMEL_SESSION_MODULES_UNMEASURED_H
#define TRAMMEL_SESSION_MODULES_UNMEASURED_H
#include "control/maps.h"
#include "session/state/session.h"

/* Returns the reason why an executable mapping of a process's file cannot be measured,
 * by its access rights alone; NULL: they allow it, or it is no mapping of an ELF file. */
const char *unmeasured_reason(pid_t pid, const struct maps *maps,
			      const struct mapping *mapping);

/* Returns the file of a mapping as a module that is not measured, one for each reason.
 * The session owns it. */
struct module_file *unmeasured_file(struct session *session,
				    const struct mapping *mapping, const char *reason);

/* Notes that a part of a measured file cannot be measured. */
void unmeasured_part(struct module_file *file);

#endif
