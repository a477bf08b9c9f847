/* alone.c. */
#ifndef TRAMMEL_RUNTIME_PROCESS_STANDALONE_H
#define TRAMMEL_RUNTIME_PROCESS_STANDALONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes a folder for spools and a profile of all that is in it; children by exec know of
 * it. NULL: it cannot be made. */
const char *standalone_begin(void);

/* At the end of the process that made it: writes the profile, and removes the folder. */
void standalone_end(bool tracing);

/* The profile is written by somebody else. */
void standalone_disown(void);

/* The process is one of many that run the same program. */
void standalone_rank(uint32_t rank);

/* The command line, as a shell would need it. */
void standalone_command(char *text, size_t size);

#endif
