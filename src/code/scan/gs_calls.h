/*
 * Effects of the system calls and library calls of a range of code on the GS base.
 */
#ifndef TRAMMEL_CODE_SCAN_GS_CALLS_H
#define TRAMMEL_CODE_SCAN_GS_CALLS_H

#include "code/scan/gs.h"

/* The effect of the system calls in a range, and of its calls of syscall(2) and
 * arch_prctl(2). */
enum gs_verdict gs_of_calls(const struct scan *scan, const struct image *image,
			    const struct gs_suspect *suspect);

#endif
