/* What this host is called. */
#ifndef TRAMMEL_BASE_HOST_H
#define TRAMMEL_BASE_HOST_H

#include <limits.h>

enum { HOST_NAME_SIZE = 256 };

/* Writes the name, as the host has it itself or as host_call said, to `ret_name`. */
void host_name(char ret_name[HOST_NAME_SIZE]);

/* Lets host_name say this name from now on, which is copied: what somebody else calls
 * this host. */
void host_call(const char *name);

#endif
