/*
 * Stack walking by call-frame information: for both sides, since the program walks its
 * stacks itself when the tracer is dead, and needs no library for it.
 *
 * It finds return addresses exactly. Searching a stack for words that look like return
 * addresses is not enough: in a part of a frame that is not written yet, an old return
 * address may still lie, partly overwritten.
 *
 * Formats: Linux Standard Base Core, "Exception Frames" and .eh_frame_hdr; instructions:
 * DWARF 5, section 6.4.2; numbers of registers: System V ABI for AMD64, figure 3.36.
 */
#ifndef TRAMMEL_WIRE_UNWIND_H
#define TRAMMEL_WIRE_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

enum {
	UNWIND_RBX = 3,
	UNWIND_RBP = 6,
	UNWIND_RSP = 7,
	UNWIND_R12 = 12,
	UNWIND_REGISTERS = 16,
	UNWIND_KEPT = 6, /* callee-saved registers among them: rbx, rbp, r12 to r15 */
};

/* Where a caller's register is saved, as seen from one address in a function. */
struct unwind_saved {
	uint8_t how;    /* enum of unwind.c */
	uint8_t base;   /* the register to which an offset is relative */
	int32_t offset; /* bytes */
};
struct unwind_rule {
	uint8_t base; /* register; UNWIND_REGISTERS: not understood */
	bool loaded;  /* the frame's address is the word at base + offset, not the sum */
	bool outermost; /* no caller: a thread's first code */
	bool signal;    /* a handler returns here */
	int32_t offset; /* bytes */
	struct unwind_saved registers[UNWIND_KEPT];
};

/* What a CIE says for its functions. */
struct unwind_common {
	struct unwind_rule rule; /* where they begin */
	int64_t code_factor, data_factor;
	uint8_t encoding; /* of pointers */
};

/* The part of a module's memory that contains .eh_frame_hdr and .eh_frame. */
struct unwind_tables {
	uint64_t header;      /* run-time address of .eh_frame_hdr; 0: none */
	uint64_t start, end;  /* run-time addresses of the part */
	const uint8_t *bytes; /* of the part, readable for the caller */
};

/* State of a thread in a frame, or behind the return of a function. */
struct unwind_place {
	uint64_t pc;
	bool exact; /* pc is the next instruction; else it is a return address */
	uint64_t registers[UNWIND_REGISTERS];
};

/* Access of the walk to the program. */
struct unwind_view {
	void *context;
	/* Finds the rule for a run-time address: by unwind_find_rule or from a cache.
	 * False if there is none. */
	bool (*find_rule)(void *context, uint64_t pc, struct unwind_rule *ret_rule);
	/* Reads a word of the stack. False if it cannot be read. */
	bool (*read)(void *context, uint64_t address, uint64_t *ret_word);
	/* Reads a word that is a return address. It may change it in memory; writes the
	 * return address in the original text. */
	bool (*read_return)(void *context, uint64_t address, uint64_t *ret_pc);
	/* Whether the walk may end at the return of a handler, since the frames from
	 * there on are known. NULL: never. */
	bool (*is_known)(void *context, uint64_t rsp);
};

/* Finds the rule for an address in the module of the tables. False if there is none or it
 * is not understood. */
bool unwind_find_rule(const struct unwind_tables *tables, uint64_t pc,
		      struct unwind_rule *ret_rule);

/*
 * Runs instructions up to the first that advances, beginning with the rule of `common`.
 * The tables contain nothing but these; `header` is not used. False if they are damaged
 * or not known.
 */
bool unwind_first_rule(const struct unwind_tables *instructions,
		       const struct unwind_common *common, struct unwind_rule *ret_rule);

/* Whether code with this first rule is a part of a function that lies elsewhere: its
 * frame is not what a call makes, or registers are saved. */
bool unwind_is_displaced(const struct unwind_rule *rule,
			 const struct unwind_common *common);

/* Whether the frame is at an offset from rsp or rbp, and the caller's rbp is unchanged
 * (*ret_rbp is 0) or saved in the frame (at offset *ret_rbp). Most are. */
bool unwind_is_plain(const struct unwind_rule *rule, int32_t *ret_rbp);

#define UNWIND_DONE UINT64_MAX

/* What came of leaving one frame. */
enum unwind_step {
	UNWIND_LEFT,      /* `place` is in the caller */
	UNWIND_OUTERMOST, /* there is no caller */
	UNWIND_STUCK, /* it is not understood, or cannot be read: `place` is as before */
};

/* Leaves the innermost frame. `ret_signal`: a handler returned, or would. */
enum unwind_step unwind_leave(const struct unwind_view *view, struct unwind_place *place,
			      bool *ret_signal);

/*
 * Calls view.read_return for each return address of a stack, innermost first, across the
 * frames of signal handlers. Returns UNWIND_DONE if it reached the outermost frame, a
 * return address of 0 or a known frame; else an address in the stack: from there on the
 * stack is not understood.
 */
uint64_t unwind_walk(const struct unwind_view *view, struct unwind_place place);

#endif
