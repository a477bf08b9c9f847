/*
 * What instructions do with the status flags, as far as the brief decoder tells them
 * apart: enough to find where a counter may be incremented without saving flags.
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
	/* What `inc` and `dec` write. */
	FLAGS_INCREMENT = FLAGS_ALL & ~FLAGS_CARRY,
};

struct flags_effect {
	uint8_t read;    /* may be read: at least those that are */
	uint8_t written; /* lost whatever happens: at most those that are */
};

/*
 * The effect of an instruction at `bytes` that length_decode has described. An
 * instruction that the tables do not know reads all flags and writes none. Calls, jumps
 * and returns have no effect of their own. Source: Intel SDM volume 1, appendix A (EFLAGS
 * cross-reference).
 */
struct flags_effect flags_effect(const uint8_t *bytes, const struct brief *brief);

/* The flags that a condition code (the low 4 bits of jcc, setcc, cmovcc) reads. */
uint8_t flags_of_condition(unsigned condition);

#endif
