/* Recording without the trammel program. */
#ifndef TRAMMEL_RUNTIME_PROCESS_STANDALONE_H
#define TRAMMEL_RUNTIME_PROCESS_STANDALONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes a folder for spools, and for a profile of all of them; children by exec know of
 * it. Returns its path; NULL if it cannot be made. */
const char *standalone_begin(void);

/* Writes the profile and removes the folder; at the end of the process that made it. */
void standalone_end(bool tracing);

/* Leaves the profile to another process. */
void standalone_disown(void);

/* Notes that the process is number `rank` of many that run the same program. */
void standalone_rank(uint32_t rank);

/* Writes the command line, as a shell would need it, to `text`, of `size` bytes. */
void standalone_command(char *text, size_t size);

#endif
