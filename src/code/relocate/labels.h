/*
 * Labels whose addresses are data: interpreters jump to them by `goto *table[opcode]`. A
 * jump to a label reaches its original address, where a jump leads into relocated code,
 * if all labels are known. They are known where their addresses are whole words, in data
 * or operands; not where code computes them.
 */
#ifndef TRAMMEL_CODE_RELOCATE_LABELS_H
#define TRAMMEL_CODE_RELOCATE_LABELS_H

#include "code/relocate/cfg.h"

/*
 * Whether all indirect jumps of the function, switches apart, take their targets from
 * memory as whole words. cfg.block_of has the leaders. `fixed`: the executable has a
 * fixed address, where a constant may be a label.
 */
bool labels_are_words(const struct cfg *cfg, bool fixed);

/*
 * Adds to cfg.tables the constant tables of labels whose addresses are only indexed for
 * whole words: a clone, with addresses in relocated code for the labels, then saves the
 * jump at the label's original address. Other data in the table or behind it is copied.
 * The graph must be complete, with edges, and have an indirect jump that is no switch.
 */
void labels_find_tables(struct cfg *cfg, const struct image *image);

#endif
