/*
 * Whether an address that a probe names is one of an instruction, as far as the bytes of
 * its function tell, without following its control flow.
 */
#ifndef TRAMMEL_PROBE_AIM_H
#define TRAMMEL_PROBE_AIM_H

#include "base/text.h"
#include "image/image.h"

/* Finds the instructions around an address of a function, at which none begins: if all of
 * the function decodes one behind the other, and no branch of it leads there. False: one
 * may begin there. */
bool probe_aim_misses(const struct image *image, const struct image_function *function,
		      uint64_t address, uint64_t *ret_before, uint64_t *ret_behind);

/* Adds what is at an address that no function has: "it lies behind main, which ends at
 * 0x1234, and in front of solve at 0x1240". */
void probe_aim_describe(const struct image *image, uint64_t address, struct text *text);

#endif
