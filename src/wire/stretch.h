/*
 * Copies of the next instructions of threads, which write down what they read and leave:
 * code/stretch/stretch.h. Each has a page of code in the arena and, WIRE_STRETCH_DISTANCE
 * behind that, a page of words in the control page.
 */
#ifndef TRAMMEL_WIRE_STRETCH_H
#define TRAMMEL_WIRE_STRETCH_H

#include "wire/layout.h"

#define WIRE_STRETCHES        64 /* threads that may be in one at a time */
#define WIRE_STRETCH_SIZE     0x1000
#define WIRE_STRETCH_WORDS    0xd4000 /* offset in the arena */
#define WIRE_STRETCH_DISTANCE (WIRE_STRETCH_WORDS - WIRE_STRETCH_CODE)

#ifndef __ASSEMBLER__

#include <stdint.h>

struct wire_stretch {
	uint64_t words[WIRE_STRETCH_SIZE / 8];
};

#endif

#endif
