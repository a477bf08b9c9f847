#include "code/relocate/block_probe.h"

#include "x86/flags.h"

uint32_t block_probe_choose(const struct whole *whole, const struct cfg_block *block,
			    enum probe_form *ret_form)
{
	const struct cfg_instruction *instructions = whole->cfg->instructions.items;
	const bool *original = whole->original.items;
	uint32_t end = block->first + block->count, best = block->first;
	uint8_t live = block->live_out;

	*ret_form = whole->flags ? PROBE_FLAG : PROBE_COUNT_KEEP_FLAGS;
	if (whole->flags) /* it may return to the original there: code/unpatch/unpatch.h
			   */
		return best;
	for (uint32_t i = end; i-- > block->first;) {
		live = cfg_live_before(&instructions[i], live);
		if (cfg_is_in_place(&instructions[i])) {
			best = block->first;
			*ret_form = PROBE_COUNT_KEEP_FLAGS;
		}
		if (i > block->first && original[i - 1])
			continue;
		if (probe_beside(live) <= *ret_form) {
			best = i;
			*ret_form = probe_beside(live);
		}
	}
	return best;
}
