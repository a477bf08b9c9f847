/*
 * Uses of the return address other than returning: code may read what lies behind a call
 * (texts, tables, operands of threaded code), return behind it, or pass the address on.
 * Such a call is followed by data, or by code that is entered in its middle.
 */
#ifndef TRAMMEL_CODE_SCAN_RETURN_USE_H
#define TRAMMEL_CODE_SCAN_RETURN_USE_H

#include "code/scan/scan.h"

#include <stdbool.h>
#include <stdint.h>

enum return_use {
	RETURN_USE_NONE,   /* returns there, and may read or keep the address */
	RETURN_USE_NEXT,   /* returns there, or one byte behind: __morestack */
	RETURN_USE_TOLD,   /* returns the address, by which its caller may find data */
	RETURN_USE_BEYOND, /* may read or go to anything behind the call */
};

/*
 * How the code at `address` (link-time, in a text of the map), entered by a call, uses
 * the return address. [start, end) is the range of the function around it: calls inside
 * of it are followed, as are jumps out of it.
 *
 * Registers and the stack are tracked through all branches, as values of a few kinds
 * (abstract interpretation). Where the stack pointer is lost, the return address is, too,
 * and that is not a use: functions that switch stacks, or unwind them
 * (__builtin_eh_return), do not return to their callers.
 */
enum return_use return_use_find(const struct scan *scan, const struct image *image,
				uint64_t address, uint64_t start, uint64_t end);

#endif
