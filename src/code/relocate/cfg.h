/*
 * The control-flow graph of one function, for relocating it whole: instructions, basic
 * blocks, edges, jump tables, and live status flags.
 *
 * A block ends in a branch, a return, or before a leader; calls do not end it, so one
 * counter serves it, and a call that never returns is recorded when that happens. The
 * graph of a function is used only if all of the function was understood: see cfg_build.
 */
#ifndef TRAMMEL_CODE_RELOCATE_CFG_H
#define TRAMMEL_CODE_RELOCATE_CFG_H

#include "base/vector.h"
#include "code/plan/plan.h"
#include "code/scan/scan.h"
#include "x86/length.h"

#include <stdbool.h>
#include <stdint.h>

enum cfg_kind {
	CFG_PLAIN,
	CFG_JUMP,          /* direct, inside or out of the function */
	CFG_CONDITION,     /* jcc */
	CFG_LOOP,          /* loop, jrcxz: 8 bits of displacement alone */
	CFG_SWITCH,        /* indirect, through a table of cfg.tables */
	CFG_TAIL_INDIRECT, /* indirect, out of the function */
	CFG_RETURN,
	CFG_CALL, /* direct */
	CFG_CALL_INDIRECT,
	CFG_KERNEL, /* syscall: executed at its original address, like a call */
	CFG_STOP,   /* ud2, hlt: raises a signal at its original address */
};

struct cfg_instruction {
	uint32_t offset; /* from the start of the function */
	uint8_t length;
	uint8_t kind;     /* enum cfg_kind */
	uint8_t relative; /* offset of the displacement of a RIP-relative operand; 0: none
			   */
	uint8_t opcode;   /* its last byte */
	uint8_t read, written; /* flags: see x86/flags.h */
	uint8_t map;           /* of the opcode: see struct brief */
	bool labelled;         /* an indirect jump to labels, all of which are exposed */
	bool ends;             /* a jump at which a span's call ends: set by spans.c */
	bool tail; /* a jump in place of a return, in call graphs: set by blocks.c */
	uint64_t target; /* link-time, of a direct branch or RIP-relative operand; of a
			    switch its table, 0: any table of the function */
};

struct cfg_block {
	uint32_t first, count; /* instructions */
	uint8_t read, passed; /* flags: read before they are written, and neither read nor
				 written */
	uint8_t live_in, live_out; /* flags */
	bool exposed; /* may be entered other than by the function's own branches */
	uint32_t first_edge, edge_count;
};

/* State of an offset while leaders are searched. */
enum cfg_start { CFG_NO_START, CFG_START, CFG_LEADER };

enum { CFG_OUT = UINT32_MAX }; /* as a block's number: out of the function */

struct cfg_edge {
	uint32_t from, to; /* blocks */
	uint8_t kind;      /* enum cfg_edge_kind */
};

/* The jump table of a switch. */
struct cfg_table {
	uint64_t address;
	uint32_t count;       /* entries; may include some that the switch does not use */
	uint8_t entry_size;   /* 4: distances from its own start; 8: addresses */
	const uint8_t *bytes; /* NULL: of labels, see code/relocate/labels.h */
	uint32_t first_word;  /* with labels: its first row in cfg.words */
};

/* An entry of a table of labels. */
struct cfg_word {
	uint64_t value;
	bool address; /* an address in the module: the load bias is added */
	bool label;   /* the start of a block of the function */
};

struct cfg {
	uint64_t address; /* of the function, link-time */
	uint64_t size;
	const uint8_t *bytes;
	struct VECTOR(struct cfg_instruction) instructions;
	struct VECTOR(struct cfg_block) blocks; /* in the order of the code */
	struct VECTOR(struct cfg_edge) edges;   /* by from */
	struct VECTOR(struct cfg_table) tables; /* by address */
	struct VECTOR(struct cfg_word) words;   /* of tables of labels */
	struct VECTOR(uint64_t)
		flag_calls;  /* targets of calls behind which flags are alive */
	uint8_t label_flags; /* alive at exposed blocks */
	bool returns_flags;  /* set by the caller: flags are alive at its returns */
	bool exits; /* set by the caller: what leaves the function begins a block */
	bool keeps_labels; /* set by the caller: tables of labels stay as they are */
	bool part;         /* a cold part: its jumps out may lead to the same function */
	struct VECTOR(uint32_t) marks;    /* scratch */
	struct VECTOR(uint32_t) block_of; /* scratch: by offset, 1 + number of the block
					     that begins there; before there are blocks,
					     enum cfg_start */
};

/* Reasons why a function has no graph. */
enum cfg_trouble {
	CFG_FINE,
	CFG_UNDECODABLE, /* not all of its bytes are known instructions */
	CFG_INDIRECT,    /* an indirect jump that was not understood */
	CFG_ODD, /* an instruction that must not be moved, a branch into the middle of
		    one, or code that another function shares */
};

/*
 * Builds the graph of function `index` of the image, in storage that is reused for the
 * next one (all-zero at first). `scan` must have map.exposed.
 */
enum cfg_trouble cfg_build(struct cfg *cfg, const struct scan *scan,
			   const struct image *image, uint32_t index);
void cfg_deinit(struct cfg *cfg);

/* The number of the block that begins at a link-time address; CFG_OUT if there is none.
 */
uint32_t cfg_block_at(const struct cfg *cfg, uint64_t address);

/* The kind of an instruction; an indirect jump is CFG_TAIL_INDIRECT. */
enum cfg_kind cfg_kind_of(const struct brief *brief);

/* The flags that the code at `target` reads before it writes them, as far as can be seen
 * without following branches: arguments in assembly. */
uint8_t cfg_flags_taken(const struct scan *scan, uint64_t target);

/* The flags alive in front of an instruction, given the flags alive behind it. */
uint8_t cfg_live_before(const struct cfg_instruction *instruction, uint8_t live);

/* Whether control never falls through to the next instruction of the same block. */
bool cfg_ends_block(const struct cfg_instruction *instruction);

/* Whether a thread that enters the block may never leave it by its edges: it contains a
 * call, or a similar instruction, that may not return. */
bool cfg_may_stay(const struct cfg *cfg, uint32_t block);

/* Whether a row is two instructions: see length_is_pair. */
static inline bool cfg_is_pair(const struct cfg *cfg,
			       const struct cfg_instruction *instruction)
{
	return instruction->kind == CFG_PLAIN &&
	       length_is_pair(cfg->bytes + instruction->offset, instruction->length);
}

/* The number of instructions that the processor executes in a block. */
uint32_t cfg_executed(const struct cfg *cfg, uint32_t block);

/* Whether an instruction is executed at its original address, and returns behind it. */
static inline bool cfg_is_in_place(const struct cfg_instruction *instruction)
{
	return instruction->kind == CFG_CALL || instruction->kind == CFG_CALL_INDIRECT ||
	       instruction->kind == CFG_KERNEL || instruction->kind == CFG_STOP;
}

/* Whether an instruction is padding in front of a loop: nop with an operand, or prefixes.
 * It need not be aligned in relocated code. */
bool cfg_is_padding(const struct cfg *cfg, const struct cfg_instruction *row);

#endif
