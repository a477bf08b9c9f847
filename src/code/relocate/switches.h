/*
 * The jump tables of a function, found by the instructions that use them:
 *
 *     lea table(%rip), %a ... movslq (%a,%i,4), %t; add %a, %t; jmp *%t
 *     jmp *table(,%i,8)                              executables at fixed addresses
 *
 * A table is cloned with relocated targets, and the lea or the jump refers to the clone.
 *
 *     lea label(%rip), %b ... lea table(%rip), %a; movslq (%a,%i,4), %t; add %b, %t
 *     jmp *%t                                        computed gotos, as in printf
 *
 * Such a table stays as it is, and so does the jump: all labels that it may yield with
 * any of the function's bases are exposed.
 */
#ifndef TRAMMEL_CODE_RELOCATE_SWITCHES_H
#define TRAMMEL_CODE_RELOCATE_SWITCHES_H

#include "code/relocate/cfg.h"

/*
 * Fills in cfg.tables from cfg.instructions (cfg.block_of has the starts of instructions)
 * and makes the jumps through them CFG_SWITCH. False if an indirect jump looks like a
 * switch, but its table is not understood.
 */
bool switches_find(struct cfg *cfg, const struct scan *scan, const struct image *image);

/* The register with the address of the table that jump `index` goes through, at the
 * instruction that reads the entry; false if it does not go through one by a register. */
bool switches_base(const struct cfg *cfg, size_t index, int *ret_register,
		   size_t *ret_load);

/* Whether an indirect jump remains that is neither a switch nor labelled. */
bool switches_has_tail(const struct cfg *cfg);

/* The target of an entry, link-time; for a table of labels the word. */
uint64_t switches_entry(const struct cfg *cfg, const struct cfg_table *table,
			uint32_t index);

/* Whether an instruction is a RIP-relative lea; writes its destination register: 0 is
 * rax. */
bool switches_is_lea(const struct cfg *cfg, const struct cfg_instruction *row,
		     int *ret_register);

/* The table at this address; NULL if none is known. */
const struct cfg_table *switches_find_table(const struct cfg *cfg, uint64_t address);

/* The table to which a lea instruction, or a jump with an absolute operand, refers; NULL
 * if there is none. */
const struct cfg_table *switches_named(const struct cfg *cfg,
				       const struct cfg_instruction *instruction);

#endif
