/* Tables of calls in each bank: pairs of call site and function, and the tree of
 * contexts. */
#ifndef TRAMMEL_WIRE_GRAPH_H
#define TRAMMEL_WIRE_GRAPH_H

/*
 * Where calls are counted by call site, counters of each bank begin with a table:
 * struct wire_arcs, behind struct wire_spans, which is a hole if no functions are
 * regions. A gate (code/calls/gates.h) uses it only for callers that its function's cells
 * in the bank do not know. Offsets are relative to %gs.
 */
#define WIRE_ARCS_USED        0x45000
#define WIRE_ARCS_INDEX       0x45008
#define WIRE_ARCS_ENTRIES     0xc5008
#define WIRE_ARCS_BITS        17 /* of the index */
#define WIRE_ARCS_MASK        0x1ffff
#define WIRE_ARCS_MAX         98304 /* entries */
#define WIRE_ARCS_STEPS       1024  /* rows of the index that are probed */
#define WIRE_ARCS_RECENT      0x305008
#define WIRE_ARCS_RECENT_MASK 0xfff
#define WIRE_CELL_MASK        0xf0 /* PLAN_CELL_MASK of code/plan/plan.h */
#define WIRE_CELL_LOST        0x100 /* from the cells on: the counter for pairs without room */

/*
 * For the context-sensitive call graph, struct wire_graph lies behind that table, which
 * is a hole if calls are not counted by call site as well. Nodes and frames are
 * named by their offset from the first one; 0 is the root, and the outermost frame. All-
 * zero is an empty tree.
 */
#define WIRE_GRAPH_BASE        0x30a000
#define WIRE_GRAPH_TOP         (WIRE_GRAPH_BASE + 0x0)
#define WIRE_GRAPH_LAST        (WIRE_GRAPH_BASE + 0x8)
#define WIRE_GRAPH_USED        (WIRE_GRAPH_BASE + 0x10)
#define WIRE_GRAPH_AT          (WIRE_GRAPH_BASE + 0x18)
#define WIRE_GRAPH_INDEX       (WIRE_GRAPH_BASE + 0x40)
#define WIRE_GRAPH_FRAMES      (WIRE_GRAPH_BASE + 0x400040)
#define WIRE_GRAPH_NODES       (WIRE_GRAPH_BASE + 0x600080)
#define WIRE_GRAPH_LEAVES      (WIRE_GRAPH_BASE + 0x38)
#define WIRE_GRAPH_STACK       (WIRE_GRAPH_BASE + 0x20)
#define WIRE_GRAPH_NEXT        (WIRE_GRAPH_BASE + 0x28)
#define WIRE_GRAPH_RANDOM      (WIRE_GRAPH_BASE + 0x30)
#define WIRE_GRAPH_STACKS      (WIRE_GRAPH_BASE + 0x36001c0)
#define WIRE_GRAPH_STACKS_SIZE 0x40000 /* bytes of all stacks */
#define WIRE_GRAPH_STACK_SHIFT 10      /* a stack has 1 << this bytes */
#define WIRE_GRAPH_STACK_MAX   1008    /* bytes of a stack's frames */
#define WIRE_GRAPH_AROUND      9       /* see struct wire_graph_frame.around */
#define WIRE_GRAPH_NEAR        0x4000  /* bytes: nearer frames are on the same stack */
#define WIRE_GRAPH_BITS        20      /* of the index */
#define WIRE_GRAPH_MASK        0xfffff
#define WIRE_GRAPH_MIX         0x1e3779b1
#define WIRE_GRAPH_TRIED       8 /* timed calls after which a node's duration is known */
#define WIRE_GRAPH_SHORT       8 /* calls of less than 1 << this many ticks are short */
#define WIRE_GRAPH_SKIPS       0x7f /* most calls that are skipped: 63.5 on average */
#define WIRE_GRAPH_DRAW        0x5851f42d /* multiplier of the random numbers */
#define WIRE_GRAPH_STEPS       1024       /* rows of the index that are probed */
#define WIRE_GRAPH_DEPTH       0x200000   /* bytes of frames */
#define WIRE_GRAPH_LEFT_AT     28 /* offset in a node of struct wire_graph_node.left */
#define WIRE_GRAPH_CHILDREN_AT 32
#define WIRE_GRAPH_CHILDREN    32        /* in a node */
#define WIRE_GRAPH_NODE        160       /* bytes of a node */
#define WIRE_GRAPH_MAX         0x2800000 /* bytes of nodes, without the root and the last */
#define WIRE_GRAPH_BEYOND      0x28000a0 /* the last node: for all calls without room */
#define WIRE_GRAPH_LEAF        8  /* added to the name of a function that is a leaf */
#define WIRE_GRAPH_LEAF_NODE   16 /* bytes of a leaf */
#define WIRE_GRAPH_LEAF_MAX    0x800000  /* bytes of leaves */
#define WIRE_GRAPH_LEAF_AT     0x2800140 /* offset of the first leaf from the root */

#ifndef __ASSEMBLER__

#include <stdint.h>

/*
 * Calls of each function by call site, for pairs without a stub of their own. An entry is
 * complete before its number is in the index, and before it counts.
 */
struct wire_arc {
	uint64_t site; /* return address of the call */
	uint32_t gate; /* the function: displacement of its cells in the bank */
	uint32_t seen; /* the tracer's: the count at its last look, modulo 1 << 32 */
	uint64_t count;
};
struct wire_arcs {
	uint64_t used;                       /* entries */
	uint32_t index[1 << WIRE_ARCS_BITS]; /* by hash: 1 + number of the entry */
	struct wire_arc entries[WIRE_ARCS_MAX];
	uint32_t recent[WIRE_ARCS_RECENT_MASK + 1];
};

/*
 * The call tree of a thread. A call's function is the displacement of its gate's counters
 * in the bank (PLAN_GRAPH_SLOTS), plus WIRE_GRAPH_LEAF if its returns are not seen: then
 * it is a leaf, with a node of another type. A node's parent has a lower offset.
 */
struct wire_graph_node {
	uint32_t function, parent; /* 0, 0: not used yet */
	uint64_t calls;
	/* Of the time-stamp counter, in it and in untimed calls below it. */
	uint64_t ticks;
	/* timed: calls whose return was timed, as far as they can be counted. left: minus
	 * the number of calls until the next timed one: each adds 1; the call that makes
	 * it 0 is timed, and so are the next ones until one has returned. A call may be
	 * reported twice. */
	uint32_t timed;
	int32_t left;
	/* Children by the last bits of function / 32, of several the one called most; 0:
	 * none. With these most calls touch three cache lines: two of the caller's node
	 * and one of their own. */
	uint32_t children[WIRE_GRAPH_CHILDREN];
};
/* A leaf begins like other nodes. Often half of all nodes are leaves; their small size
 * saves cache. They are in an array of their own, so that offsets of nodes stay valid if
 * threads that share a bank add some at once. */
struct wire_graph_leaf {
	uint32_t function, parent;
	uint64_t calls;
};
/*
 * A call that has not returned; or the point where frames of another stack begin. Then
 * `place` is an address at or above all of that stack's, the node is the innermost one
 * when the thread switched to it, and `around` says where the enclosing stack begins
 * (from bit WIRE_GRAPH_AROUND on, relative to the first frame; 0: there) and, in the bits
 * below, which of wire_graph.stacks will keep its frames; bit 0 is 0. A frame thus
 * describes itself, also where threads share a bank and overwrite each other's frames: a
 * number used as a node is one, and nothing is written anywhere else.
 */
struct wire_graph_frame {
	/* Address of the return address on the stack, minus one if the call is timed; the
	 * root's is above all. */
	uint64_t place;
	uint32_t node;
	uint32_t around; /* of a timed call: 1 + the node that had the clock before it,
			    and will again behind it, an odd number; of others 0 */
};
/* Saved frames of a stack from which the thread has switched away. */
struct wire_graph_stack {
	uint64_t place; /* of the frame in front of them; 0: free */
	uint64_t size;  /* bytes of frames */
	struct wire_graph_frame frames[WIRE_GRAPH_STACK_MAX / 16];
};
struct wire_graph {
	uint64_t top;    /* the innermost frame */
	uint64_t last;   /* ticks: when the clock was last read */
	uint64_t used;   /* bytes of nodes, without the root */
	uint64_t at;     /* the innermost node at that time */
	uint64_t stack;  /* the first frame of the current stack; 0: the first of all */
	uint64_t next;   /* of stacks[], round robin */
	uint64_t random; /* the last random number */
	uint64_t leaves_used; /* bytes of leaves */
	/* Nodes by wire_graph_row, or one of the rows behind it; 0: none. */
	uint32_t index[1 << WIRE_GRAPH_BITS];
	struct wire_graph_frame frames[WIRE_GRAPH_DEPTH / 16 + 4];
	struct wire_graph_node nodes[WIRE_GRAPH_MAX / WIRE_GRAPH_NODE + 2];
	struct wire_graph_leaf leaves[WIRE_GRAPH_LEAF_MAX / WIRE_GRAPH_LEAF_NODE];
	struct wire_graph_stack stacks[WIRE_GRAPH_STACKS_SIZE >> WIRE_GRAPH_STACK_SHIFT];
};

/* The first row of the index for a child. Children of a node with nearby functions share
 * a cache line, like many of those that a loop calls in turn. */
static inline uint32_t wire_graph_row(uint32_t parent, uint32_t function)
{
	return ((parent * WIRE_GRAPH_MIX >> (32 - WIRE_GRAPH_BITS)) + function / 32) &
	       WIRE_GRAPH_MASK;
}

#endif

#endif
