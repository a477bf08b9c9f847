/*
 * Writing code, and relocating instructions into it.
 */
#ifndef TRAMMEL_CODE_EMIT_EMIT_H
#define TRAMMEL_CODE_EMIT_EMIT_H

#include "code/plan/plan.h"
#include "x86/decode.h"

/* What starts at an offset of emitted code: see struct plan_position. */
struct emit_mark {
	size_t offset; /* in emitter.code */
	uint64_t original;
	uint8_t kind; /* enum plan_position_kind */
	uint8_t instruction;
	uint8_t stack;
	uint8_t kept;
	bool inside, pushed, flags;
	bool word; /* as plan_position.word */
};

enum { EMIT_MARKS_MAX = 192 };

struct emit_marks {
	struct emit_mark items[EMIT_MARKS_MAX];
	size_t count;
};

/* A jump in the code that stands for a call or for a jump to another function. */
struct emit_jump {
	uint32_t offset; /* of its displacement of 4 bytes */
	bool counted;    /* a probe is right in front of it */
	uint64_t site;   /* address of the original */
};
struct emit_jumps VECTOR(struct emit_jump);

/* Where calls with inline caches end. */
struct emit_ends VECTOR(uint32_t);

/* Bytes that are to change if the code comes to lie elsewhere than at `address`. */
enum emit_shift_kind {
	EMIT_SHIFT_OUT,    /* 4 bytes: a displacement that leads out of it */
	EMIT_SHIFT_WORD32, /* 4 bytes: an address in it */
	EMIT_SHIFT_WORD64, /* 8 bytes: the same */
};
struct emit_shift {
	uint32_t offset;
	uint32_t kind; /* enum emit_shift_kind */
};
struct emit_shifts VECTOR(struct emit_shift);

/* Code is written to code[count] on. The caller owns the memory. */
struct emitter {
	uint8_t *code;
	size_t count, capacity;
	uint64_t address;           /* link-time address of code[0] */
	enum plan_reason reason;    /* the first thing that went wrong; 0: nothing */
	bool full;                  /* the code did not fit: it is not whole */
	struct plan *plan;          /* takes fixups; NULL: they are dropped */
	struct emit_marks *marks;   /* takes marks; NULL: they are dropped */
	struct emit_jumps *jumps;   /* takes these; NULL: they are dropped */
	struct emit_shifts *shifts; /* takes these; NULL: they are dropped */
	struct emit_ends *cached;   /* takes ends of calls with caches; NULL: as above */
	size_t own;                 /* where in `code` begins what would lie elsewhere */
};

static inline uint64_t emit_here(const struct emitter *emitter)
{
	return emitter->address + emitter->count;
}

/* Whether an address is in what is written, or follows soon. */
static inline bool emit_is_own(const struct emitter *emitter, uint64_t address)
{
	enum { AHEAD = 4096 };
	uint64_t offset = address - emitter->address;

	return offset >= emitter->own && offset < emitter->count + AHEAD;
}

void emit_note_shift(struct emitter *emitter, size_t offset, enum emit_shift_kind kind);

void emit_bytes(struct emitter *emitter, const void *bytes, size_t size);
void emit_byte(struct emitter *emitter, uint8_t byte);
void emit_word32(struct emitter *emitter, uint32_t word);

/* int3 up to a multiple of `to`. */
void emit_align(struct emitter *emitter, size_t to);

/* The last 4 bytes of an instruction that names `target` relative to its end, `behind`
 * bytes after them. Out of +-2 GiB: emitter->reason becomes PLAN_OUT_OF_REACH. */
void emit_relative(struct emitter *emitter, uint64_t target, size_t behind);

/* Notes, in emitter->jumps, that the displacement written next is that of a jump that
 * stands for the call or jump at `site`. */
void emit_note_jump(struct emitter *emitter, uint64_t site, bool counted);

/* jmp target, for the call at `site`: noted. */
void emit_call_jump(struct emitter *emitter, uint64_t target, uint64_t site);

/* jmp target */
void emit_jump(struct emitter *emitter, uint64_t target);

/* Notes a fixup of the bytes that are written next. */
void emit_fixup(struct emitter *emitter, enum plan_fixup_kind kind);

/* The displacement in the bank of a counter, without the module's own, and its fixup. */
void emit_slot(struct emitter *emitter, uint32_t slot);

/* Marks the place of what is written next; its offset is filled in. */
void emit_mark(struct emitter *emitter, struct emit_mark mark);

/* Bytes of a function that can be relocated together. */
enum { RELOCATION_SIZE_MAX = 160 };

/* How relocated instructions hang together. */
struct relocation {
	uint64_t entry, patch; /* branches to these lead to `start` instead */
	uint64_t start;        /* address of the first relocated instruction */
	uint64_t return_word;  /* address of the word with the emulated call's return
				  address;  0: to be written by the caller, see below */
	size_t pending; /* where the displacement that must name this word was left open;
			   0: there is no such word */
	uint64_t pending_value; /* link-time return address to put there */
	unsigned index;         /* of the instruction, for marks */
	uint64_t end;           /* what lies in [patch, end) is relocated together; 0: no
				   branch is led to anything but `start` */
	bool ahead;             /* a branch was met that leads ahead in that range */
	bool all_known;         /* offsets[] is filled in */
	uint16_t offsets[RELOCATION_SIZE_MAX]; /* of relocated instructions from `start`
						  on, by their offset from `entry` */
};

#endif
