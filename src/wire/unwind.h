/*
 * Stacks, frame by frame, by call-frame information: for both sides, since the program
 * walks its stacks itself when the tracer is dead, and needs no library for it.
 *
 * Only return addresses are found so. Looking through a stack for words that look like
 * one is not enough: where a function has not yet written to all of its frame, an old
 * return address may still lie, with some of its bytes in use by now.
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
	UNWIND_KEPT =
		6, /* of these functions keep what callers had: rbx, rbp, r12 to r15 */
};

/* Where a caller's frame is, from one place in a function. */
struct unwind_saved {
	uint8_t how;    /* enum of unwind.c: where the caller's value of a register is */
	uint8_t base;   /* register that an address is relative to */
	int32_t offset; /* bytes */
};
struct unwind_rule {
	uint8_t base;   /* register; UNWIND_REGISTERS: it is not understood */
	bool loaded;    /* the frame is the word at base + offset, not that sum */
	bool outermost; /* there is no caller: a thread's first code */
	bool signal;    /* a handler returns here */
	int32_t offset; /* bytes */
	struct unwind_saved registers[UNWIND_KEPT];
};

/* A part of a module's memory that holds .eh_frame_hdr and .eh_frame. */
struct unwind_tables {
	uint64_t header;      /* run-time address of .eh_frame_hdr; 0: there is none */
	uint64_t start, end;  /* run-time addresses of the part */
	const uint8_t *bytes; /* of it, readable for the caller */
};

/* Where a thread is, or goes on once a function has returned. */
struct unwind_place {
	uint64_t pc;
	bool exact; /* pc is executed next; else it is a return address */
	uint64_t registers[UNWIND_REGISTERS];
};

/* How the walk sees the program. */
struct unwind_view {
	void *context;
	/* The rule for a run-time address: by unwind_find_rule, or as it was found
	 * before. False: there is none. */
	bool (*find_rule)(void *context, uint64_t pc, struct unwind_rule *ret_rule);
	/* A word of the stack. False: it cannot be read. */
	bool (*read)(void *context, uint64_t address, uint64_t *ret_word);
	/* The same of a word that is a return address. It may be changed in memory;
	 * what the frame returns to in the original text is written. */
	bool (*read_return)(void *context, uint64_t address, uint64_t *ret_pc);
	/* Whether the walk is done where a handler returns to, since the frames from
	 * there on need not be walked. NULL: it never is. */
	bool (*is_known)(void *context, uint64_t rsp);
};

/* The rule for an address in the module that the tables are of. False: nothing is known
 * of it, or it is not understood. */
bool unwind_find_rule(const struct unwind_tables *tables, uint64_t pc,
		      struct unwind_rule *ret_rule);

/* Whether a frame is at a distance from rsp or rbp, and rbp for the caller is what it is
 * (*ret_rbp is 0) or in the frame (at this distance). Most are so. */
bool unwind_is_plain(const struct unwind_rule *rule, int32_t *ret_rbp);

#define UNWIND_DONE UINT64_MAX

/*
 * Calls view.read_return for each return address of a stack, the innermost first, across
 * the frames of signal handlers. Returns UNWIND_DONE if the outermost frame, a
 * return address of 0 or a frame that is known was reached; else an address in the stack:
 * what lies there and behind is not understood.
 */
uint64_t unwind_walk(const struct unwind_view *view, struct unwind_place place);

#endif
