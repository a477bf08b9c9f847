/*
 * Writing code and relocating instructions into it.
 */
#ifndef TRAMMEL_CODE_EMIT_EMIT_H
#define TRAMMEL_CODE_EMIT_EMIT_H

#include "code/plan/plan.h"
#include "x86/decode.h"

/* The meaning of an offset of emitted code: see struct plan_position. */
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

/* A jump in the code that replaces a call or a jump to another function. */
struct emit_jump {
	uint32_t offset; /* of its displacement of 4 bytes */
	bool counted;    /* a probe is right in front of it */
	uint64_t site;   /* address of the original */
};
struct emit_jumps VECTOR(struct emit_jump);

/* Offsets behind calls with inline caches. */
struct emit_ends VECTOR(uint32_t);

/* Bytes that must change if the code is moved away from `address`. */
enum emit_shift_kind {
	EMIT_SHIFT_OUT,    /* 4 bytes: a displacement that leads out of the moved code */
	EMIT_SHIFT_WORD32, /* 4 bytes: an address in the moved code */
	EMIT_SHIFT_WORD64, /* 8 bytes: an address in the moved code */
};
struct emit_shift {
	uint32_t offset;
	uint32_t kind; /* enum emit_shift_kind */
};
struct emit_shifts VECTOR(struct emit_shift);

/* Writes code to code[count] on. The caller owns the memory. */
struct emitter {
	uint8_t *code;
	size_t count, capacity;
	uint64_t address;           /* link-time address of code[0] */
	enum plan_reason reason;    /* the first failure; 0: none */
	bool full;                  /* the code did not fit and is incomplete */
	struct plan *plan;          /* takes fixups; NULL: they are dropped */
	struct emit_marks *marks;   /* takes marks; NULL: they are dropped */
	struct emit_jumps *jumps;   /* takes jumps; NULL: they are dropped */
	struct emit_shifts *shifts; /* takes shifts; NULL: they are dropped */
	struct emit_ends
		*cached; /* takes ends of calls with caches; NULL: they are dropped */
	size_t own;      /* offset in `code` where the part begins that may be moved */
};

static inline uint64_t emit_here(const struct emitter *emitter)
{
	return emitter->address + emitter->count;
}

/* Whether an address is in the code being written, or will be soon. */
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

/* Writes int3 up to a multiple of `to`. */
void emit_align(struct emitter *emitter, size_t to);

/* Writes the last 4 bytes of an operand that addresses `target` relative to the end of
 * the instruction, `behind` bytes further on. Beyond +-2 GiB emitter->reason becomes
 * PLAN_OUT_OF_REACH. */
void emit_relative(struct emitter *emitter, uint64_t target, size_t behind);

/* Writes 4 bytes that the processor extends to the address `target` in the emitter's own
 * code. Beyond the first 2 GiB emitter->reason becomes PLAN_OUT_OF_REACH. */
void emit_absolute(struct emitter *emitter, uint64_t target);

/* Notes in emitter->jumps that the displacement written next is that of a jump for the
 * call or jump at `site`. */
void emit_note_jump(struct emitter *emitter, uint64_t site, bool counted);

/* Writes and notes a jump to `target`, for the call at `site`. */
void emit_call_jump(struct emitter *emitter, uint64_t target, uint64_t site);

/* Writes a jump to `target`. */
void emit_jump(struct emitter *emitter, uint64_t target);

/* Notes a fixup of the bytes that are written next. */
void emit_fixup(struct emitter *emitter, enum plan_fixup_kind kind);

/* Writes the displacement in the bank of a counter, without the module's own, and its
 * fixup. */
void emit_slot(struct emitter *emitter, uint32_t slot);

/* Adds a mark for the code written next; fills in its offset. */
void emit_mark(struct emitter *emitter, struct emit_mark mark);

/* The most bytes of a function that can be relocated together. */
enum { RELOCATION_SIZE_MAX = 160 };

/* State of relocating instructions together. */
struct relocation {
	uint64_t entry, patch; /* branches to these lead to `start` instead */
	uint64_t start;        /* address of the first relocated instruction */
	uint64_t return_word;  /* address of the word with the emulated call's return
				  address; 0: the caller writes it, see `pending` */
	size_t pending; /* offset of the displacement, left open, that must address that
			   word; 0: there is none */
	uint64_t pending_value; /* link-time return address to put there */
	unsigned index;         /* index of the instruction, for marks */
	uint64_t end;   /* [patch, end) is relocated together; 0: only branches to `start`
			   are retargeted */
	bool ahead;     /* a forward branch within that range was met */
	bool all_known; /* offsets[] is complete */
	uint16_t offsets[RELOCATION_SIZE_MAX]; /* offset of each relocated instruction
						  from `start`, by the offset of its
						  original from `entry` */
};

#endif
