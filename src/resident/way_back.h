/* The way from the original back into our code, when a signal handler returns. */
#ifndef TRAMMEL_RESIDENT_WAY_BACK_H
#define TRAMMEL_RESIDENT_WAY_BACK_H

#include "wire/ways.h"

#include <stdint.h>

/* Returns the row of the function that contains a link-time address; NULL if there is
 * none. */
const struct wire_way *way_around(const struct wire_ways *ways, uint64_t address);

/* Sets the instruction pointer that rt_sigreturn will take to the code that stands for
 * the interrupted instruction. `context`: the kernel's struct ucontext, where rsp is at
 * offset 0xa0, then rip and the flags (asm/ucontext.h, asm/sigcontext.h). If a signal
 * comes meanwhile, all of this is repeated, with the same result. */
void resident_way_back(uint64_t *context);

#endif
