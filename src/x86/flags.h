/*
 * Effects of instructions on the status flags, as far as the short decoder distinguishes
 * them: enough to find points where a counter may be incremented without saving flags.
 */
#ifndef TRAMMEL_X86_FLAGS_H
#define TRAMMEL_X86_FLAGS_H

#include "x86/length.h"

#include <stdint.h>

/* Status flags; a set of them fits a byte. */
enum {
	FLAGS_CARRY = 1,
	FLAGS_PARITY = 2,
	FLAGS_ADJUST = 4,
	FLAGS_ZERO = 8,
	FLAGS_SIGN = 16,
	FLAGS_OVERFLOW = 32,
	FLAGS_ALL = 63,
	/* The flags that `inc` and `dec` write. */
	FLAGS_INCREMENT = FLAGS_ALL & ~FLAGS_CARRY,
};

struct flags_effect {
	uint8_t read;    /* flags that may be read: a superset */
	uint8_t written; /* flags that are always overwritten: a subset */
};

/*
 * The effect of the instruction at `bytes`, which length_decode has decoded to `brief`.
 * An instruction unknown to the tables reads all flags and writes none. Calls, jumps and
 * returns have no effect of their own. Source: Intel SDM volume 1, appendix A (EFLAGS
 * cross-reference).
 */
struct flags_effect flags_effect(const uint8_t *bytes, const struct brief *brief);

#endif
