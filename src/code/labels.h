/*
 * Labels whose addresses are data: what interpreters jump to by `goto *table[opcode]`.
 * Whoever jumps to one comes to its original place, where a jump leads into relocated
 * code, if all labels are known. They are where their addresses are whole words, in data
 * or operands; not where a jump computes them.
 */
#ifndef TRAMMEL_CODE_LABELS_H
#define TRAMMEL_CODE_LABELS_H

#include "code/cfg.h"

/*
 * Whether no indirect jump of the function, other than switches, computes where it leads:
 * each takes a word from memory, as it is. cfg.block_of tells the leaders. `fixed`: of
 * an executable at a fixed address, where a constant may be a label.
 */
bool labels_are_words(const struct cfg *cfg, bool fixed);

#endif
