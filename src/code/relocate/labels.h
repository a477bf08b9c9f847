/*
 * Labels whose addresses are data: what interpreters jump to by `goto *table[opcode]`.
 * Whoever jumps to one comes to its original place, where a jump leads into relocated
 * code, if all labels are known. They are where their addresses are whole words, in data
 * or operands; not where a jump computes them.
 */
#ifndef TRAMMEL_CODE_RELOCATE_LABELS_H
#define TRAMMEL_CODE_RELOCATE_LABELS_H

#include "code/relocate/cfg.h"

/*
 * Whether no indirect jump of the function, other than switches, computes where it leads:
 * each takes a word from memory, as it is. cfg.block_of tells the leaders. `fixed`: of
 * an executable at a fixed address, where a constant may be a label.
 */
bool labels_are_words(const struct cfg *cfg, bool fixed);

/*
 * Adds the constant tables of labels to cfg.tables whose address does nothing but to be
 * indexed for whole words: a clone, with places in relocated code for the labels, then
 * does the same without the jump at the label's original place. What else lies in it or
 * behind it is copied. Of a whole graph that has edges, and an indirect jump that is no
 * switch.
 */
void labels_find_tables(struct cfg *cfg, const struct image *image);

#endif
