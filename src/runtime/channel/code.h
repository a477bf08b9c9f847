/* Modules of code in the spool. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_CODE_H
#define TRAMMEL_RUNTIME_CHANNEL_CODE_H

#include <stdint.h>

/* Writes the module that contains `address` to the spool, unless it is there. */
void code_note(uint64_t address);

/* Forgets the modules that were written; in a child of fork, whose spool has none. */
void code_resume(void);

#endif
