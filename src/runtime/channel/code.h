/* code.c. */
#ifndef TRAMMEL_RUNTIME_CHANNEL_CODE_H
#define TRAMMEL_RUNTIME_CHANNEL_CODE_H

#include <stdint.h>

/* The module of an address goes into the spool, if it is not there yet (channel/code.c).
 */
void code_note(uint64_t address);

/* In a child of fork, whose spool has none. */
void code_resume(void);

#endif
