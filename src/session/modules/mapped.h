/* Files of mappings. */
#ifndef TRAMMEL_SESSION_MODULES_MAPPED_H
#define TRAMMEL_SESSION_MODULES_MAPPED_H
#include "control/maps.h"
#include "control/remote.h"

#include <sys/stat.h>

/* Opens the file of a mapping as the process sees it, also when its path leads
 * elsewhere for the tracer: `path` is as /proc/PID/maps has it. Returns a descriptor
 * and writes `ret_status`; -1: the file cannot be opened, or another file has that
 * name. */
int mapped_open(pid_t pid, const struct mapping *mapping, const char *path,
		struct stat *ret_status);

/* Returns what is added to link-time addresses in a mapping of an ELF file's code,
 * which is mapped as its segments say; 0: its file is not known. */
uint64_t mapped_bias(pid_t pid, const struct mapping *mapping, const char *path);

#endif
