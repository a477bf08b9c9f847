/*
 * Memory shared by the tracer and a measured program: one arena (a memfd) for each
 * program image, that is from one exec to the next, and all processes forked from it.
 *
 *     arena file                          mapped in the program
 *     0          resident code            read, execute
 *     0x6000     struct wire_control      read, write
 *     0x8f000    banks, in chunks         read, write; chunks beyond the first anywhere
 *     ...        trampolines of modules   read, execute, near their module
 *
 * A bank belongs to one thread, whose GS base is its address: a header with mailbox,
 * saved registers and the resident's stack, then the counters. Both sides are built
 * together; programs of other versions never read it, and WIRE_VERSION guards the cache
 * files with code made for this layout.
 *
 * The offsets are plain numbers since the resident's assembly uses them; layout.c checks
 * them against the structures.
 */
#ifndef TRAMMEL_WIRE_LAYOUT_H
#define TRAMMEL_WIRE_LAYOUT_H

#define WIRE_VERSION 56

#define WIRE_RESIDENT_SIZE  0x6000 /* bytes for the resident's code in the arena */
#define WIRE_CONTROL_OFFSET 0x6000
#define WIRE_BANKS_OFFSET   0x8f000
#define WIRE_BANK_HEADER    0x4000 /* bytes in front of the counters of a bank */
#define WIRE_CONTROL_STACK                                                               \
	0x1000 /* in wire_control: initial stack pointer of injected code */

/* In a bank, relative to %gs. */
#define WIRE_BANK_SELF      0x00
#define WIRE_BANK_ENTRY     0x08
#define WIRE_BANK_BACK      0x10
#define WIRE_BANK_NUMBER    0x18
#define WIRE_BANK_QUIET     0x1c
#define WIRE_BANK_CONTROL   0x20
#define WIRE_BANK_TID       0x30
#define WIRE_BANK_UNTIMED   0x34
#define WIRE_BANK_RETURNS   0x38
#define WIRE_BANK_RAX       0x40
#define WIRE_BANK_RCX       0x48
#define WIRE_BANK_RDX       0x50
#define WIRE_BANK_RBX       0x58
#define WIRE_BANK_RSP       0x60
#define WIRE_BANK_RBP       0x68
#define WIRE_BANK_RSI       0x70
#define WIRE_BANK_RDI       0x78
#define WIRE_BANK_R8        0x80
#define WIRE_BANK_R9        0x88
#define WIRE_BANK_R10       0x90
#define WIRE_BANK_R11       0x98
#define WIRE_BANK_R12       0xa0
#define WIRE_BANK_R13       0xa8
#define WIRE_BANK_R14       0xb0
#define WIRE_BANK_R15       0xb8
#define WIRE_BANK_FLAGS     0xc0
#define WIRE_BANK_MASK      0xc8
#define WIRE_BANK_STACK_END 0xd0
#define WIRE_BANK_ARC       0xd8
#define WIRE_BANK_ENTER     0xe0
#define WIRE_BANK_LEAVE     0xe8
#define WIRE_BANK_TALLY     0xf0
#define WIRE_BANK_SPAN      0xf8
#define WIRE_BANK_SPAN_END  0x100
#define WIRE_BANK_STACK_TOP 0x4000

/* struct wire_rest of a bank, relative to %gs. */
#define WIRE_REST_RIP 0x2df0
#define WIRE_REST_RBX 0x2df8
#define WIRE_REST_RDI 0x2e00
#define WIRE_REST_RSI 0x2e08
#define WIRE_REST_RDX 0x2e10
#define WIRE_REST_R10 0x2e18
#define WIRE_REST_R8  0x2e20
#define WIRE_REST_R9  0x2e28

#define WIRE_BANK_LOOK 0x2fe8

/* In the flags register: a debug exception behind each instruction. */
#define WIRE_TRAP_FLAG 0x100

/* Offset of the system call in a signal restorer, behind mov $15, %rax. */
#define WIRE_RESTORER_CALL 7

/* Mark on the stack of a signal return that searches its address map, in front of the
 * addresses of the context and of the restorer. */
#define WIRE_RETURNS_MARK 0x6b63616279617774

/* Mark on the stack while return addresses are restored, in front of the hook's frame. */
#define WIRE_LOOK_MARK 0x6b6f6f6c616b6f6f

/* In wire_control. */
#define WIRE_CONTROL_RAN        0x38
#define WIRE_CONTROL_UNFILTERED 0x3c
#define WIRE_CONTROL_WINDOW     0x50
#define WIRE_CONTROL_SPANS      0x58
#define WIRE_CONTROL_BATCH      0x100
#define WIRE_CONTROL_TEXTS      0x1000 /* number of rows, then struct wire_text's */
#define WIRE_TEXT_SIZE          16

/* A hook's frame on the program's stack, from its low end: struct wire_registers, the
 * return address in the trampoline, the hook's number, and the red zone below which it
 * begins. */
#define WIRE_HOOK_REGISTERS 136
#define WIRE_HOOK_FRAME     (WIRE_HOOK_REGISTERS + 16 + 128)

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

/*
 * Where functions are regions (spans), the first counters of each bank are struct
 * wire_spans: a library in the program is told of their beginnings and ends, on a stack
 * of its own and with signals deferred.
 */
#define WIRE_SPANS_BUSY      0x4000
#define WIRE_SPANS_MASKED    0x4004
#define WIRE_SPANS_STATE     0x4008 /* components of xsave; 0: fxsave */
#define WIRE_SPANS_RBX       0x4010
#define WIRE_SPANS_RSI       0x4018
#define WIRE_SPANS_RDI       0x4020
#define WIRE_SPANS_R10       0x4028
#define WIRE_SPANS_R11       0x4030
#define WIRE_SPANS_RSP       0x4038
#define WIRE_SPANS_MASK      0x4040
#define WIRE_SPANS_VECTORS   0x4080
#define WIRE_SPANS_STACK_TOP 0x45000

/* Reasons to restore a thread's mask behind a span. */
#define WIRE_MASKED_SPAN  1 /* a signal came meanwhile */
#define WIRE_MASKED_TIMER 2 /* with a dead tracer: a timer's signal was blocked */

/* Hook numbers: reasons for which the resident calls the tracer. 0: none. */
#define WIRE_HOOK_LINK_MAP 1 /* _dl_debug_state: modules come or go */
#define WIRE_HOOK_PTRACE   2 /* ptrace(request, pid, ...) */
#define WIRE_HOOK_EXEC     3 /* execve(path, ...) */
#define WIRE_HOOK_EXECAT   4 /* execveat(fd, path, ...), fexecve */
#define WIRE_HOOK_SYSCALL  5 /* syscall(number, ...) */
#define WIRE_HOOK_PRCTL    6 /* prctl(option, ...) */
#define WIRE_HOOK_LAZY     7 /* a function that is not planned yet: code/planner/lazy.h */
#define WIRE_HOOK_ARCH     8 /* arch_prctl(code, ...) */
#define WIRE_HOOK_LOADED   9 /* ld.so has mapped the initial modules */
/* Functions that may set the GS base (code/scan/gs.h): on every call, */
#define WIRE_HOOK_GS      10
#define WIRE_HOOK_GS_CODE 11 /* if an argument is ARCH_SET_GS, */
#define WIRE_HOOK_GS_CALL 12 /* if another argument is SYS_arch_prctl as well */
#define WIRE_HOOK_EXIT    13 /* exit(status), in programs with LeakSanitizer */
/* Functions whose calls begin or end counting. Their numbers minus WIRE_HOOK_EXIT are
 * bits of wire_control.window: the tracer wants to be told of their calls. */
#define WIRE_HOOK_START 14
#define WIRE_HOOK_STOP  15
#define WIRE_HOOK_BOTH  16
/* From here on calls that may change the program's code: resident.S passes those that do
 * not concern a text of the table in wire_control. */
#define WIRE_HOOK_MPROTECT 17 /* mprotect(address, size, rights), pkey_mprotect */
#define WIRE_HOOK_MMAP     18 /* mmap(address, size, rights, flags, ...) */
#define WIRE_HOOK_MREMAP   19 /* mremap(address, size, new size, flags, to) */
#define WIRE_HOOK_MADVISE  20 /* madvise(address, size, advice): pages are dropped */
/* From here on functions that read return addresses: the resident restores the original
 * ones, without the tracer. */
#define WIRE_HOOK_OWN   21 /* of the function's own frame */
#define WIRE_HOOK_STACK 22 /* of all frames */
/* Of the function's own frame; the tracer is also asked, if code behind the call may be
 * patched, since the function reads it or goes on there. */
#define WIRE_HOOK_BEYOND 23

#ifndef __ASSEMBLER__

#include "wire/unwind.h"

#include <stdint.h>

#define WIRE_BATCH_MAX 24
#define WIRE_TEXTS_MAX 1023

/* A system call to make in the program. */
struct wire_call {
	uint32_t number;
	uint32_t added_to;     /* index of the argument to which `addend` is added */
	uint64_t arguments[6]; /* WIRE_RESULT(i) stands for the result of call i */
	uint64_t addend;
	int64_t result; /* as returned by the kernel: negative errno */
};

#define WIRE_RESULT(i)      (0x7261746c75736500ull + (i))
#define WIRE_IS_RESULT(arg) (((arg) & ~0xffull) == 0x7261746c75736500ull)

/* System calls to make in sequence. */
struct wire_batch {
	uint32_t count;
	uint32_t together; /* no call is begun once the tracer is known dead */
	struct wire_call calls[WIRE_BATCH_MAX];
};

enum wire_request { /* wire_bank.request: written by the program */
		    WIRE_IDLE,
		    WIRE_POSTED, /* the thread waits for a reply */
		    WIRE_RAN, /* the batch was run; the thread waits for the next reply */
};

enum wire_reply { /* wire_bank.reply: written by the tracer, cleared by the program */
		  WIRE_NONE,
		  WIRE_DONE,  /* go on */
		  WIRE_RUN,   /* run wire_bank.batch, then post WIRE_RAN */
		  WIRE_ALONE, /* go on as if the tracer were dead */
		  WIRE_AGAIN, /* WIRE_HOOK_LAZY: start again, WIRE_AGAIN_BYTES behind the
				 hook's return address */
};

#define WIRE_AGAIN_BYTES 2

/* In wire_bank.quiet: there is no tracer to answer; and another thread may use the bank.
 */
#define WIRE_QUIET_ALONE 2

/* A patched text in some process that shares the control page. `end` is 0 in a free row;
 * it is written last and cleared first. */
struct wire_text {
	uint64_t start, end; /* run-time addresses, whole pages */
};

/* Bytes of a patched text: if they match, the text is mapped and patched. */
struct wire_seal {
	uint64_t address; /* the bytes do not cross a page; 0: none */
	uint8_t bytes[8];
};

/*
 * Data with which a program restores a text by itself, because the tracer is dead: the
 * identity of the file, as by fstat(2), which is mapped from `path`. If the file is gone,
 * written pages are dropped (madvise(2)).
 */
#define WIRE_PATH_MAX 392
struct wire_undo {
	uint64_t device, inode, size;
	uint64_t modified_ns;
	uint64_t file_offset; /* of the text's start */
	/* Bytes of the first and of the last patch. The tracer may have died while it
	 * wrote or removed patches: at least one of the two matches then. */
	struct wire_seal seals[2];
	uint64_t ways;            /* address of its struct wire_ways; 0: none */
	uint64_t code, code_size; /* of its trampolines */
	/* Run-time addresses of .eh_frame_hdr and of its segment; 0: none. */
	uint64_t unwind_header, unwind_start, unwind_end;
	char path[WIRE_PATH_MAX];
};

/*
 * The new address of an instruction that is covered by a patch at a function's entry. The
 * tracer writes a row when such an instruction has faulted and its handler is about to
 * see the original address: the handler returns by these rows, also when the tracer is
 * dead. Processes that share the control page have equal code at equal addresses, as far
 * as the patch is present.
 */
#define WIRE_LEADS_MAX 256
struct wire_lead {
	uint64_t original; /* run-time address; 0: no row yet, or it is being written */
	uint64_t code;     /* of the instruction in the trampoline */
	uint64_t patch;    /* start of the patch */
	uint8_t size;      /* bytes of the patch */
	uint8_t bytes[39]; /* the patch itself */
};

/* The share of threads' time spent on walking stacks (WIRE_HOOK_STACK), as far as
 * reported. */
struct wire_looks {
	uint64_t count;
	uint64_t ticks, elapsed; /* of the time-stamp counter: in walks, and in total */
};

/* The control page (several pages). */
struct wire_control {
	/* A robust mutex of glibc that the tracer holds as long as it lives. Its first
	 * word is a futex: the kernel sets FUTEX_OWNER_DIED there when the holder dies,
	 * in whatever way (futex(2), set_robust_list(2)). */
	uint32_t owner[12];
	uint32_t doorbell;   /* futex; a thread that posts a request adds 1 */
	uint32_t watch_exit; /* not 0: exit() must be hooked */
	uint32_t ran; /* not 0: the batch was run, and its thread waits to be stopped */
	/* Not 0: no system call filter, which might forbid sched_yield(2) and
	 * futex_waitv(2). The program clears it. */
	uint32_t unfiltered;
	/* The address at which injected code continues, and the mask that it sets then.
	 */
	uint64_t inject_back;
	uint64_t inject_mask;
	uint32_t window; /* bits: calls of which functions matter, see WIRE_HOOK_START */
	uint32_t texts_changed; /* incremented whenever texts[] changes */
	/* Callbacks for spans: addresses in the program, which writes them itself once
	 * the library is loaded; 0: none. */
	uint64_t span_begin; /* (address of the return address, name) */
	uint64_t span_end;   /* (address of the return address) */
	/* Faster callbacks, tried first: they change general registers only, and return 0
	 * if the others must be called. */
	uint64_t span_try_begin, span_try_end;
	struct wire_looks looks;
	uint32_t awake; /* not 0: the tracer polls the doorbell until this is 0 again */
	uint32_t pad1_;
	uint8_t pad2_[WIRE_CONTROL_BATCH - 0x80 - sizeof(struct wire_looks)];
	struct wire_batch batch; /* run by injected code */
	uint8_t stack[0x1000 - WIRE_CONTROL_BATCH - sizeof(struct wire_batch)];
	uint64_t text_count; /* rows in use, now or before */
	struct wire_text texts[WIRE_TEXTS_MAX];
	uint8_t pad3_[8];
	struct wire_undo undos[WIRE_TEXTS_MAX]; /* by row of texts[] */
	uint64_t lead_count;                    /* rows of leads[] ever written */
	uint8_t pad4_[sizeof(struct wire_undo) - 8];
	struct wire_lead leads[WIRE_LEADS_MAX];
};

/*
 * Address maps of functions relocated whole: behind a module's trampolines. A signal
 * handler that saw the original address returns by them (resident.S, returns). Rows are
 * sorted by address. Rows and steps are equal in all processes, and may be a file's.
 */
struct wire_way {
	uint64_t address; /* of the function, link-time */
	uint32_t size;    /* bytes */
	uint32_t code;    /* offset of its code from wire_ways.code */
	uint32_t first_map_row, map_row_count;
	uint32_t by_code; /* of the row at i: index of the row that is number i in the
			     order of code */
	uint32_t pad_;
};
struct wire_ways {
	uint64_t bias; /* run-time minus link-time address */
	uint64_t code; /* address of the module's trampolines */
	uint64_t count;
	int64_t rows, steps; /* offsets from here to the first ones */
};
/* Equal to struct map_row of code/plan/map_row.h, which may not know of this file. */
struct wire_step {
	uint16_t kind : 3;
	uint16_t original : 4;
	uint16_t code : 9;
};
#define WIRE_STEP_MOVED 0
#define WIRE_STEP_AWAY  4
#define WIRE_STEP_POINT 5

/* Bytes from a step to the next one, in the original and in the code. */
static inline int32_t wire_step_original(struct wire_step step)
{
	int32_t distance = step.code << 4 | step.original;

	if (step.kind == WIRE_STEP_POINT)
		return 0;
	return step.kind == WIRE_STEP_AWAY ? (distance ^ 0x1000) - 0x1000 : step.original;
}

static inline uint32_t wire_step_code(struct wire_step step)
{
	return step.kind == WIRE_STEP_AWAY ? 0 : step.code;
}

static inline const struct wire_way *wire_ways_rows(const struct wire_ways *ways)
{
	return (const struct wire_way *)((uintptr_t)ways + (uintptr_t)ways->rows);
}

static inline const struct wire_step *wire_ways_steps(const struct wire_ways *ways)
{
	return (const struct wire_step *)((uintptr_t)ways + (uintptr_t)ways->steps);
}

/* Saved registers in the order of the WIRE_BANK_R.. offsets. */
struct wire_registers {
	uint64_t rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
	uint64_t flags;
};

/* The registers behind the return of a function that was entered with registers `r`,
 * without pc, which is the word at rsp. Numbered as in call-frame information. */
static inline struct unwind_place wire_return_place(const struct wire_registers *r)
{
	return (struct unwind_place){
		.registers = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp,
			      r->rsp + sizeof(uint64_t), r->r8, r->r9, r->r10, r->r11,
			      r->r12, r->r13, r->r14, r->r15}};
}

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

/* State of spans of one thread; all-zero at first. */
struct wire_spans {
	uint32_t busy;   /* the library is being called */
	uint32_t masked; /* WIRE_MASKED_...: the thread's mask must become `mask` */
	uint32_t state;  /* components of xsave; 0: fxsave */
	uint32_t pad_;
	uint64_t rbx, rsi, rdi, r10, r11, rsp; /* the program's */
	uint64_t mask;
	uint8_t pad2_[0x38];
	uint8_t vectors[0xf80]; /* area of xsave */
	uint8_t stack[0x40000];
};

/* Caches of the thread itself: unwinding rules by address, and originals of return
 * addresses. `key` is the address with wire_control.texts_changed in its upper 16 bits; 0
 * while the row is written. */
#define WIRE_RULES 128
struct wire_rule {
	uint64_t key;
	struct unwind_rule rule;
};
#define WIRE_MOVED 64
struct wire_moved {
	uint64_t key, original;
};

/* Positions that signal handlers were shown, innermost last: see
 * session/position/signal_frames.h. */
#define WIRE_SHOWN 16
struct wire_shown {
	uint64_t rsp, rip; /* as shown */
	uint64_t code; /* where the thread continues instead, behind what it has counted;
			  0: at rip */
	uint64_t went; /* the address where it continued; 0: it has not yet */
};

/* A system call that was cut short by a stop, and whose rest the thread makes by itself:
 * resident.S, rest. Registers are the program's. */
#define WIRE_REST_VECTORS 24
struct wire_rest {
	uint64_t rip; /* behind its system call */
	uint64_t rbx, rdi, rsi, rdx, r10, r8, r9;
	uint64_t message[7];                    /* struct msghdr for the rest */
	uint64_t vectors[WIRE_REST_VECTORS][2]; /* struct iovec's for the rest; or its
						   timeout, a struct timespec */
};

/* The header of a bank; counters follow at WIRE_BANK_HEADER. */
struct wire_bank {
	uint64_t self;   /* address of this bank in the program */
	uint64_t entry;  /* address of resident_hook */
	uint64_t back;   /* where resident.S's finish continues */
	uint32_t number; /* WIRE_HOOK_... of the hook that posted a request */
	uint32_t quiet; /* not 0: make no system call and do not ask the tracer (a seccomp
			   filter) */
	uint64_t control; /* address of wire_control in the program */
	uint32_t request; /* enum wire_request; a futex */
	uint32_t reply;   /* enum wire_reply; a futex */
	uint32_t tid;     /* of the thread; for the tracer */
	uint32_t untimed; /* not 0: the thread may not read the time-stamp counter */
	uint64_t returns; /* address of resident.S's returns */
	struct wire_registers registers; /* of the thread that posted a request */
	uint64_t mask;                   /* its signal mask */
	uint64_t stack_end;              /* end of the thread's own stack; 0: unknown */
	uint64_t arc;                    /* address of resident.S's arc */
	uint64_t enter, leave,
		tally; /* addresses of resident.S's routines for call graphs */
	uint64_t span_begin, span_end; /* addresses of resident.S's routines for spans */
	struct wire_batch batch;
	uint64_t look_count;                /* stack walks: look.c */
	uint64_t look_ticks, look_since;    /* as in wire_looks; the time-stamp counter */
	struct wire_rule rules[WIRE_RULES]; /* by address: look.c */
	struct wire_moved moved[WIRE_MOVED];
	uint32_t shown_count;
	uint32_t owner; /* the process whose counts it holds; 0: none; for the tracer */
	struct wire_shown shown[WIRE_SHOWN];
	struct wire_rest rest;
	uint64_t
		look_frame; /* of the hook in which return addresses were last restored */
	uint64_t stack_known; /* all pages from here to stack_end can be read; 0: unknown
			       */
	uint64_t
		stack_gap; /* a page below stack_end that cannot be read; 0: none found */
	uint64_t stepped; /* a handler has set the trap flag and returned to here; 0: none
			     has, or the program has seen the step */
	uint64_t stepped_code; /* where the thread continued instead */
	uint64_t asked_ticks;  /* time-stamp counter at its last request; 0: it may not be
				  read */
	uint64_t context; /* address of the thread's struct context_thread, written by the
			     library of contexts; 0: none */
};

#endif
#endif
