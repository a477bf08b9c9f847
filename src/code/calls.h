/*
 * Direct calls and tail calls that lead to an instrumented entry are made to lead to its
 * trampoline: the call stays where it is, with its return address, and one jump is saved.
 */
#ifndef TRAMMEL_CODE_CALLS_H
#define TRAMMEL_CODE_CALLS_H

#include "code/emit.h"
#include "code/scan.h"

/* Fills plan->calls. The plan's functions and trampolines are finished. Instructions that
 * a patch covers already are left. `jumps` are those in the trampolines: they are changed
 * at once. */
void calls_retarget(const struct scan *scan, const struct image *image,
		    const struct emit_jumps *jumps, struct plan *plan);

#endif
