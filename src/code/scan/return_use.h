/*
 * What a function does with its return address beside going there: code may read what
 * lies behind a call (texts, tables, operands of threaded code), return behind it, or
 * hand the address on. What follows such a call is no code, or is entered in its middle.
 */
#ifndef TRAMMEL_CODE_SCAN_RETURN_USE_H
#define TRAMMEL_CODE_SCAN_RETURN_USE_H

#include "code/scan/scan.h"

#include <stdbool.h>
#include <stdint.h>

enum return_use {
	RETURN_USE_NONE,   /* it returns there, and may read or keep the address */
	RETURN_USE_NEXT,   /* it goes on there, or one byte behind: __morestack */
	RETURN_USE_TOLD,   /* it returns the address, by which its caller may find data */
	RETURN_USE_BEYOND, /* it may read or go to anything behind the call */
};

/*
 * What the code that a call at `address` (link-time, in a text of the map) enters does
 * with the return address. [start, end) is the range of the function around it: calls
 * that stay inside of it are followed, as are jumps out of it.
 *
 * Registers and the stack are followed through all branches, as values of a few kinds
 * (abstract interpretation). Where the stack pointer is lost, the return address is,
 * too, and that is no use of it: functions that switch stacks, or unwind them
 * (__builtin_eh_return), do not return to their callers.
 */
enum return_use return_use_find(const struct scan *scan, const struct image *image,
				uint64_t address, uint64_t start, uint64_t end);

#endif
