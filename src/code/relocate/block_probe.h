/*
 * Where the counter of a block lies in it.
 */
#ifndef TRAMMEL_CODE_RELOCATE_BLOCK_PROBE_H
#define TRAMMEL_CODE_RELOCATE_BLOCK_PROBE_H

#include "code/relocate/whole.h"

/* Chooses the first instruction of a block in front of which a probe of the cheapest
 * possible form can be, and returns its number. Code behind a call may not be executed,
 * or be executed by threads that were in the call when counting began. Probes that set
 * flags (PROBE_FLAG) change no status flags. */
uint32_t block_probe_choose(const struct whole *whole, const struct cfg_block *block,
			    enum probe_form *ret_form);

#endif
