/*
 * The control-flow graph of one function, for relocating it whole: instructions, basic
 * blocks, edges, jump tables, and which status flags are alive.
 *
 * A block ends in a branch, a return, or before a leader; calls do not end it, so one
 * counter serves it, and what a call that never comes back makes of that is recorded
 * when it happens. The graph of a function is trusted only if everything in it was
 * understood: see graph_build.
 */
#ifndef TRAMMEL_CODE_GRAPH_H
#define TRAMMEL_CODE_GRAPH_H

#include "base/vector.h"
#include "code/scan.h"

#include <stdbool.h>
#include <stdint.h>

enum graph_kind {
	GRAPH_PLAIN,
	GRAPH_JUMP,          /* direct, inside or out of the function */
	GRAPH_CONDITION,     /* jcc */
	GRAPH_LOOP,          /* loop, jrcxz: 8 bits of displacement alone */
	GRAPH_SWITCH,        /* indirect, through a table of graph.tables */
	GRAPH_TAIL_INDIRECT, /* indirect, out of the function */
	GRAPH_RETURN,
	GRAPH_CALL, /* direct */
	GRAPH_CALL_INDIRECT,
	GRAPH_KERNEL, /* syscall: made where it is, like a call */
	GRAPH_STOP,   /* ud2, hlt: raises a signal where it is */
};

struct graph_instruction {
	uint32_t offset; /* from the start of the function */
	uint8_t length;
	uint8_t kind;     /* enum graph_kind */
	uint8_t relative; /* offset of the displacement of a RIP-relative operand; 0: none
			   */
	uint8_t opcode;   /* the last byte of it */
	uint8_t read, written; /* flags: see code/flags.h */
	uint8_t map;           /* of the opcode: see struct brief */
	uint64_t target;       /* of a direct branch or RIP-relative operand; link-time */
};

struct graph_block {
	uint32_t first, count; /* instructions */
	uint8_t live_in;       /* flags */
	uint8_t live_out;
	bool exposed; /* something beside the function's own branches may lead here */
	uint32_t first_edge, edge_count;
};

enum { GRAPH_OUT = UINT32_MAX }; /* as a block's number: out of the function */

struct graph_edge {
	uint32_t from, to; /* blocks */
	uint8_t kind;      /* enum graph_edge_kind */
};
enum graph_edge_kind {
	GRAPH_EDGE_TAKEN,
	GRAPH_EDGE_FALL,
	GRAPH_EDGE_SWITCH,
	GRAPH_EDGE_RETURN,
};

/* A table that a switch jumps through. */
struct graph_table {
	uint64_t address;
	uint32_t count;     /* entries; perhaps more than the switch uses */
	uint8_t entry_size; /* 4: distances from its own start; 8: addresses */
	const uint8_t *bytes;
};

struct graph {
	uint64_t address; /* of the function, link-time */
	uint64_t size;
	const uint8_t *bytes;
	struct VECTOR(struct graph_instruction) instructions;
	struct VECTOR(struct graph_block) blocks; /* in the order of the code */
	struct VECTOR(struct graph_edge) edges;   /* by from */
	struct VECTOR(struct graph_table) tables; /* by address */
	struct VECTOR(uint64_t) flag_calls; /* what calls lead to behind which flags are
					       alive */
	bool returns_flags; /* set by the caller: its returns keep flags alive */
	struct VECTOR(uint32_t) block_of; /* scratch: by offset, 1 + number of the block
					     that begins there */
};

/* Why a function has no graph. */
enum graph_trouble {
	GRAPH_FINE,
	GRAPH_UNDECODABLE, /* not all of its bytes are known instructions */
	GRAPH_INDIRECT,    /* an indirect jump that was not understood */
	GRAPH_ODD, /* instructions that cannot run elsewhere; branches into others */
};

/*
 * Makes the graph of function `index` of the image, in storage that is used again for
 * the next one (all-zero at first). `scan` must have map.exposed.
 */
enum graph_trouble graph_build(struct graph *graph, const struct scan *scan,
			       const struct image *image, uint32_t index);
void graph_deinit(struct graph *graph);

/* The number of the block that begins at a link-time address; GRAPH_OUT if none does. */
uint32_t graph_block_at(const struct graph *graph, uint64_t address);

/* The flags alive in front of an instruction, of those alive behind it. */
uint8_t graph_live_before(const struct graph_instruction *instruction, uint8_t live);

/* Whether nothing runs on from it in the same block. */
bool graph_ends_block(const struct graph_instruction *instruction);

/* Whether an instruction is executed at its own place, and comes back behind it. */
static inline bool graph_is_in_place(const struct graph_instruction *instruction)
{
	return instruction->kind == GRAPH_CALL ||
	       instruction->kind == GRAPH_CALL_INDIRECT ||
	       instruction->kind == GRAPH_KERNEL || instruction->kind == GRAPH_STOP;
}

#endif
