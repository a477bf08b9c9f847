#include "code/labels.h"

#include "code/decode.h"

#include <string.h>

enum { LOOK_BACK = 24 }; /* instructions between a jump and what gets its target */

static bool is_leader(const struct cfg *cfg, const struct cfg_instruction *row)
{
	return cfg->block_of.items[row->offset] == CFG_LEADER;
}

/* What is in the register of the jump, or its operand, as far as the straight code in
 * front of it tells. True if it is a sum, or comes from a place in the frame, where a sum
 * may have been put. */
static bool is_computed(const struct cfg *cfg, size_t index)
{
	const struct cfg_instruction *rows = cfg->instructions.items;
	int wanted = DECODE_TARGET;

	for (size_t i = index; index - i < LOOK_BACK; i--) {
		switch (decode_source(cfg->bytes + rows[i].offset, rows[i].length,
				      &wanted)) {
		case DECODE_KEPT:
		case DECODE_MOVED:
			break;
		case DECODE_LOADED:
			return false;
		default:
			return true;
		}
		if (!i || is_leader(cfg, &rows[i]) || rows[i - 1].kind != CFG_PLAIN)
			return false;
	}
	return false;
}

/* Whether an instruction names a place in the function, from which others could be
 * computed. */
static bool names_place(const struct cfg *cfg, const struct cfg_instruction *row,
			bool fixed)
{
	bool moves = !row->map && (row->opcode == 0xc7 || row->opcode == 0x68 ||
				   (row->opcode & 0xf8) == 0xb8);
	uint32_t constant;

	if (row->relative && !row->map && row->opcode == 0x8d)
		return row->target - cfg->address < cfg->size;
	if (!fixed || row->kind != CFG_PLAIN || !moves || row->length < 5)
		return false;
	memcpy(&constant, cfg->bytes + row->offset + row->length - sizeof(constant),
	       sizeof(constant));
	return constant - cfg->address < cfg->size &&
	       cfg->block_of.items[constant - cfg->address] == CFG_LEADER;
}

bool labels_are_words(const struct cfg *cfg, bool fixed)
{
	for (size_t i = 0; i < cfg->instructions.count; i++) {
		const struct cfg_instruction *row = &cfg->instructions.items[i];

		if (names_place(cfg, row, fixed) ||
		    (row->kind == CFG_TAIL_INDIRECT && is_computed(cfg, i)))
			return false;
	}
	return true;
}
