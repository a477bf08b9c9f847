/* Files and debug information from the servers that DEBUGINFOD_URLS names, by the library
 * of elfutils, where it is installed. */
#ifndef TRAMMEL_CLI_FAR_DEBUGINFOD_H
#define TRAMMEL_CLI_FAR_DEBUGINFOD_H

#include <stdbool.h>

/* Returns the path of a copy here of the file of a build id (hex digits), or of its debug
 * information; NULL: there is none, or nobody to ask. The caller frees it. */
char *debuginfod_find(const char *build_id, bool debug);

#endif
