#include "x86/length.h"

#include <pthread.h>

/* More bytes than are read for any instruction: prefixes and the longest of all else. */
enum { READ_MAX = 40 };

/* What follows an opcode: bit 7 examine further or invalid, bit 6 a ModRM byte, bit 5 the
 * ModRM byte decides the kind or validity, bits 0-3 size of the immediate. */
enum {
	NONE,
	IMM8,
	IMM16,
	IMMZ,   /* 4 bytes; 2 with an operand size prefix */
	IMMV,   /* 2 or 4 bytes, and 8 with REX.W */
	REL32,  /* 4 bytes whatever the prefixes */
	OFFSET, /* 8 bytes; 4 with an address size prefix */
	ENTER,  /* 3 bytes */
	GROUP3, /* of the operand size with /0 and /1, else none */
	IMM_MASK = 15,
	R = 0x60,
	M = 0x40,
	X = 0x80,
	REFINE = 0x20,
};

/* clang-format off */
static const uint8_t one_byte[256] = {
	/* 0x00 */ M, M, M, M, IMM8, IMMZ, X, X, M, M, M, M, IMM8, IMMZ, X, X,
	/* 0x10 */ M, M, M, M, IMM8, IMMZ, X, X, M, M, M, M, IMM8, IMMZ, X, X,
	/* 0x20 */ M, M, M, M, IMM8, IMMZ, X, X, M, M, M, M, IMM8, IMMZ, X, X,
	/* 0x30 */ M, M, M, M, IMM8, IMMZ, X, X, M, M, M, M, IMM8, IMMZ, X, X,
	/* 0x40 */ X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	/* 0x50 */ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* 0x60 */ X, X, X, M, X, X, X, X, IMMZ, M | IMMZ, IMM8, M | IMM8, 0, 0, 0, 0,
	/* 0x70 */ IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8,
	/* 0x78 */ IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8,
	/* 0x80 */ M | IMM8, M | IMMZ, X, M | IMM8, M, M, M, M, M, M, M, M, M, R, R, X | M,
	/* 0x90 */ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, X, 0, 0, 0, 0, 0,
	/* 0xa0 */ OFFSET, OFFSET, OFFSET, OFFSET, 0, 0, 0, 0, IMM8, IMMZ, 0, 0, 0, 0, 0, 0,
	/* 0xb0 */ IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8,
	/* 0xb8 */ IMMV, IMMV, IMMV, IMMV, IMMV, IMMV, IMMV, IMMV,
	/* 0xc0 */ M | IMM8, M | IMM8, IMM16, 0, X, X, R | IMM8, R | IMMZ,
	/* 0xc8 */ ENTER, 0, IMM16, 0, 0, IMM8, X, 0,
	/* 0xd0 */ M, M, M, M, X, X, X, 0, M, M, M, M, M, M, M, M,
	/* 0xe0 */ IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8,
	/* 0xe8 */ REL32, REL32, X, IMM8, 0, 0, 0, 0,
	/* 0xf0 */ X, 0, X, X, 0, 0, X | M | GROUP3, X | M | GROUP3, 0, 0, 0, 0, 0, 0, R, R,
};

static const uint8_t two_byte[256] = {
	/* 0x00 */ M, M, M, M, X, 0, 0, 0, 0, 0, X, 0, X, M, 0, M | IMM8,
	/* 0x10 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 0x20 */ X, X, X, X, X, X, X, X, M, M, M, M, M, M, M, M,
	/* 0x30 */ 0, 0, 0, 0, 0, 0, X, 0, X, X, X, X, X, X, X, X,
	/* 0x40 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 0x50 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 0x60 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 0x70 */ M | IMM8, M | IMM8, M | IMM8, M | IMM8, M, M, M, 0, M, M, M, M, M, M, M, M,
	/* 0x80 */ REL32, REL32, REL32, REL32, REL32, REL32, REL32, REL32,
	/* 0x88 */ REL32, REL32, REL32, REL32, REL32, REL32, REL32, REL32,
	/* 0x90 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 0xa0 */ 0, 0, 0, M, M | IMM8, M, X, X, 0, 0, 0, M, M | IMM8, M, R, M,
	/* 0xb0 */ M, M, M, M, M, M, M, M, M, M, M | IMM8, M, M, M, M, M,
	/* 0xc0 */ M, M, M | IMM8, M, M | IMM8, M | IMM8, M | IMM8, M, 0, 0, 0, 0, 0, 0, 0, 0,
	/* 0xd0 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 0xe0 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 0xf0 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
};

/* clang-format on */

/* Kinds that the opcode alone decides. */
static const uint8_t one_byte_kind[256] = {
	[0x70 ... 0x7f] = BRIEF_CONDITION8,
	[0x90] = BRIEF_NOP,
	[0xb8 ... 0xbf] = BRIEF_CONSTANT,
	[0xc2 ... 0xc3] = BRIEF_STOP,
	[0xca ... 0xcb] = BRIEF_STOP,
	[0xcc] = BRIEF_NOP,
	[0xcf] = BRIEF_STOP,
	[0xe0 ... 0xe3] = BRIEF_CONDITION8,
	[0xe8] = BRIEF_CALL32,
	[0xe9] = BRIEF_JUMP32,
	[0xeb] = BRIEF_JUMP8,
	[0xf4] = BRIEF_STOP,
};

static const uint8_t two_byte_kind[256] = {
	[0x05] = BRIEF_SYSCALL, [0x0b] = BRIEF_STOP,
	[0x1f] = BRIEF_NOP,     [0x80 ... 0x8f] = BRIEF_CONDITION32,
	[0xa9] = BRIEF_SEGMENT, /* pop %gs */
	[0xb5] = BRIEF_SEGMENT, /* lgs */
};

struct state {
	const uint8_t *at;
	bool operand16, address32, wide, vector;
	uint8_t attributes;
};

static bool is_prefix(uint8_t byte)
{
	static const uint32_t sets[8] = {
		[1] = 1u << 6 | 1u << 14 | 1u << 22 | 1u << 30, /* 26 2e 36 3e */
		[3] = 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7,    /* 64 65 66 67 */
		[7] = 1u << 16 | 1u << 18 | 1u << 19,           /* f0 f2 f3 */
	};

	return sets[byte >> 5] >> (byte & 31) & 1;
}

/* Takes legacy prefixes and REX. False if there are more than an instruction can have. */
static bool take_prefixes(struct state *state, struct brief *brief)
{
	for (unsigned count = 0; count < 15; count++) {
		uint8_t byte = *state->at;

		if ((byte & 0xf0) == 0x40) {
			state->wide = byte & 8;
		} else if (is_prefix(byte)) {
			state->wide = false; /* a REX before other prefixes is ignored */
			state->operand16 |= byte == 0x66;
			state->address32 |= byte == 0x67;
			if ((byte & 0xfe) == 0xf2)
				brief->prefix = byte;
		} else {
			return true;
		}
		state->at++;
	}
	return false;
}

/* VEX, EVEX and XOP: the opcode map, then what an opcode of this map has behind it. */
static bool take_vector(struct state *state, struct brief *brief, uint8_t lead)
{
	state->vector = true;
	if (lead == 0xc5) {
		brief->map = 1;
		state->at += 1;
	} else {
		brief->map = *state->at & (lead == 0x62 ? 0x07 : 0x1f);
		state->at += lead == 0x62 ? 3 : 2;
	}
	brief->opcode = *state->at++;
	switch (brief->map) {
	case 1:
		state->attributes = two_byte[brief->opcode];
		return !(state->attributes & X) && (brief->opcode & 0xf0) != 0x80;
	case 2:
	case 5:
	case 6:
	case 9:
		state->attributes = M;
		return true;
	case 3:
	case 8:
		state->attributes = M | IMM8;
		return true;
	case 10:
		state->attributes = M | REL32;
		return true;
	default:
		return false;
	}
}

static bool take_escaped(struct state *state, struct brief *brief)
{
	brief->opcode = *state->at++;
	if (brief->opcode == 0x38 || brief->opcode == 0x3a) {
		brief->map = brief->opcode == 0x38 ? 2 : 3;
		state->attributes = brief->map == 2 ? M : M | IMM8;
		brief->opcode = *state->at++;
		return true;
	}
	brief->map = 1;
	brief->kind = two_byte_kind[brief->opcode];
	state->attributes = two_byte[brief->opcode];
	/* vmread and AMD's extrq, insertq share 78, 79 and are of different lengths. */
	return !(state->attributes & X) && (brief->opcode & 0xfe) != 0x78;
}

static bool take_opcode(struct state *state, struct brief *brief)
{
	uint8_t opcode = *state->at++;

	if (opcode == 0x0f)
		return take_escaped(state, brief);
	if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62 ||
	    (opcode == 0x8f && (*state->at & 0x1f) >= 8))
		return take_vector(state, brief, opcode);
	brief->opcode = opcode;
	brief->kind = one_byte_kind[opcode];
	state->attributes = one_byte[opcode];
	/* f6, f7 and 8f (pop) only take the slow way; they are instructions. */
	return !(state->attributes & X) || (state->attributes & M);
}

static void take_modrm(struct state *state, struct brief *brief, const uint8_t *start)
{
	uint8_t modrm = *state->at++, mod = modrm >> 6, rm = modrm & 7;

	brief->modrm = modrm;
	if (mod == 3)
		return;
	if (rm == 4) {
		uint8_t sib = *state->at++;

		if (mod == 0 && (sib & 7) == 5)
			state->at += 4;
	} else if (mod == 0 && rm == 5) {
		brief->relative = (uint8_t)(state->at - start);
		state->at += 4;
	}
	state->at += mod == 1 ? 1 : mod == 2 ? 4 : 0;
}

static uint8_t immediate_size(const struct state *state, const struct brief *brief)
{
	uint8_t operand = state->operand16 && !state->wide ? 2 : 4;

	switch (state->attributes & IMM_MASK) {
	case IMM8:
		return 1;
	case IMM16:
		return 2;
	case IMMZ:
		return operand;
	case IMMV:
		return state->wide ? 8 : operand;
	case REL32:
		return 4;
	case OFFSET:
		return state->address32 ? 4 : 8;
	case ENTER:
		return 3;
	case GROUP3:
		if (brief->modrm & 0x30)
			return 0;
		return brief->opcode == 0xf6 ? 1 : operand;
	default:
		return 0;
	}
}

/* Kinds that depend on the ModRM byte. False: no instruction has this one. */
static bool refine_kind(struct brief *brief)
{
	static const uint8_t group5[8] = {
		[2] = BRIEF_CALL_INDIRECT,
		[3] = BRIEF_CALL_INDIRECT,
		[4] = BRIEF_JUMP_INDIRECT,
		[5] = BRIEF_JUMP_INDIRECT,
	};
	unsigned extension = brief->modrm >> 3 & 7;

	if (brief->map == 1) {
		/* wrgsbase */
		if (brief->opcode == 0xae && brief->prefix == 0xf3 &&
		    brief->modrm >= 0xd8 && brief->modrm <= 0xdf)
			brief->kind = BRIEF_SEGMENT;
		return true;
	}
	if (brief->map)
		return true;
	switch (brief->opcode) {
	case 0xff:
		brief->kind = group5[extension];
		return extension != 7;
	case 0xfe:
		return extension < 2;
	case 0x8e:
		if (extension == 5)
			brief->kind = BRIEF_SEGMENT;
		return extension != 1 && extension < 6;
	case 0x8d:
		return brief->modrm < 0xc0;
	case 0xc6:
	case 0xc7:
		if (brief->modrm == 0xf8)
			brief->kind =
				brief->opcode == 0xc7 ? BRIEF_CONDITION32 : BRIEF_PLAIN;
		return extension == 0 || brief->modrm == 0xf8;
	default:
		return true;
	}
}

static size_t finish_brief(struct brief *brief, size_t length)
{
	brief->length = (uint8_t)length;
	return length <= 15 ? length : 0;
}

/* Any instruction. */
static size_t walk_slowly(const uint8_t *bytes, struct brief *brief)
{
	struct state state = {.at = bytes};

	memset(brief, 0, sizeof(*brief));
	if (!take_prefixes(&state, brief) || !take_opcode(&state, brief))
		return 0;
	if (state.attributes & M)
		take_modrm(&state, brief, bytes);
	if (!state.vector && (state.attributes & M) && !refine_kind(brief))
		return 0;
	brief->immediate = immediate_size(&state, brief);
	state.at += brief->immediate;
	return finish_brief(brief, (size_t)(state.at - bytes));
}

/* SIB and displacement behind a ModRM byte, by its mod and rm. */
static const uint8_t behind_modrm[32] = {
	0, 0, 0, 0, 1, 4, 0, 0, 1, 1, 1, 1, 2, 1, 1, 1,
	4, 4, 4, 4, 5, 4, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0,
};

/* Immediates without prefixes. */
static const uint8_t immediate_sizes[16] = {
	[IMM8] = 1,  [IMM16] = 2,  [IMMZ] = 4,  [IMMV] = 4,
	[REL32] = 4, [OFFSET] = 8, [ENTER] = 3,
};

/*
 * Instructions with no prefix but REX, nearly without branches: they would be
 * mispredicted once an instruction, which is what the time goes into.
 */
static size_t walk_bytes(const uint8_t *bytes, struct brief *brief)
{
	size_t at = (bytes[0] & 0xf0) == 0x40, wide = at & bytes[0] >> 3;
	uint8_t opcode = bytes[at++], attributes = one_byte[opcode], map = 0;
	uint8_t kind = one_byte_kind[opcode], modrm, relative;
	size_t has_modrm, immediate;

	if (opcode == 0x0f) {
		map = 1;
		opcode = bytes[at++];
		attributes = two_byte[opcode] | ((opcode & 0xfe) == 0x78 ? X : 0);
		kind = two_byte_kind[opcode];
	}
	if (attributes & X)
		return walk_slowly(bytes, brief);
	has_modrm = attributes >> 6 & 1;
	modrm = bytes[at] & (uint8_t)-has_modrm;
	relative = (uint8_t)((has_modrm & ((modrm & 0xc7) == 0x05)) * (at + 1));
	at += (size_t)((modrm & 0xc7) == 0x04 && (bytes[at + 1] & 7) == 5) * 4 *
	      has_modrm;
	at += has_modrm * (1u + behind_modrm[modrm >> 6 << 3 | (modrm & 7)]);
	immediate = immediate_sizes[attributes & IMM_MASK];
	immediate += wide * ((attributes & IMM_MASK) == IMMV) * 4;
	*brief = (struct brief){.kind = kind,
				.relative = relative,
				.map = map,
				.immediate = (uint8_t)immediate,
				.opcode = opcode,
				.modrm = modrm};
	if ((attributes & REFINE) && !refine_kind(brief))
		return 0;
	return finish_brief(brief, at + immediate);
}

/* Near the end of what may be read: decodes a copy with zero bytes behind it. */
static __attribute__((noinline)) size_t walk_copy(const uint8_t *bytes, size_t available,
						  struct brief *brief)
{
	uint8_t copy[READ_MAX] = {0};
	size_t length;

	memcpy(copy, bytes, available);
	length = walk_bytes(copy, brief);
	return length <= available ? length : 0;
}

const uint8_t length_branches[256] = {
	[0x70 ... 0x7f] = 2,
	[0xe0 ... 0xe3] = 2,
	[0xe8 ... 0xe9] = 5,
	[0xeb] = 2,
};

const uint8_t length_branch_kinds[256] = {
	[0x70 ... 0x7f] = BRIEF_CONDITION8,
	[0xe0 ... 0xe3] = BRIEF_CONDITION8,
	[0xe8] = BRIEF_CALL32,
	[0xe9] = BRIEF_JUMP32,
	[0xeb] = BRIEF_JUMP8,
};

size_t length_decode(const uint8_t *bytes, size_t available, struct brief *ret_brief)
{
	if (available < READ_MAX)
		return walk_copy(bytes, available, ret_brief);
	if (length_branch(bytes, ret_brief))
		return ret_brief->length;
	return walk_bytes(bytes, ret_brief);
}

/* The kind of an instruction whose ModRM byte decides about that. False: it takes a
 * closer look. */
static bool refine_brief(unsigned opcode, unsigned modrm, struct brief *brief)
{
	unsigned extension = modrm >> 3 & 7;

	switch (opcode) {
	case 0x8d:
		return modrm < 0xc0;
	case 0xc6:
	case 0xc7:
		return extension == 0;
	case 0xff:
		if (extension >= 2 && extension <= 5)
			brief->kind = BRIEF_CALL_INDIRECT; /* or a jump */
		return extension != 7;
	default:
		return false;
	}
}

/* The properties of an opcode that decide its row. */
struct opcode_class {
	uint8_t length; /* without what a ModRM byte says */
	uint8_t immediate, kind;
	bool unknown, has_modrm;
	uint8_t refined; /* the opcode, if the ModRM byte decides about more */
};

/* The class of an opcode that has `lead` bytes in front of it. */
static struct opcode_class class_of(unsigned map, unsigned lead, unsigned opcode)
{
	uint8_t attributes = map ? two_byte[opcode] : one_byte[opcode];
	struct opcode_class class = {
		.immediate = immediate_sizes[attributes & IMM_MASK],
		.kind = map ? two_byte_kind[opcode] : one_byte_kind[opcode],
		.has_modrm = attributes & M,
	};

	/* Behind REX a constant may have 8 bytes; extrq and its like as above. */
	if ((attributes & X) || (!map && opcode == 0x0f) ||
	    (map && ((opcode & 0xfe) == 0x78 || (attributes & REFINE))) ||
	    (lead && !map && (attributes & IMM_MASK) == IMMV))
		return (struct opcode_class){.unknown = true};
	class.length = (uint8_t)(lead + 1 + class.immediate);
	if (attributes & REFINE)
		class.refined = (uint8_t)opcode;
	return class;
}

/* 0: it takes a closer look. */
static uint8_t classify_row(const struct opcode_class *class, unsigned modrm)
{
	unsigned mod = modrm >> 6, rm = modrm & 7;
	struct brief brief = {
		.length = class->length,
		.immediate = class->immediate,
		.kind = class->kind,
	};

	if (!class->has_modrm)
		return (uint8_t)length_classify_brief(&brief);
	/* Behind ModRM bytes like 04 the SIB byte tells. */
	if ((mod == 0 && rm == 4) ||
	    (class->refined && !refine_brief(class->refined, modrm, &brief)))
		return 0;
	brief.length = (uint8_t)(brief.length + 1 + behind_modrm[mod << 3 | rm]);
	brief.relative = mod == 0 && rm == 5;
	return (uint8_t)length_classify_brief(&brief);
}

static struct classify_tables classify_tables;

/* The number of a class, which is added if it is new. 0, whose row is empty, is that of
 * opcodes that take a closer look. */
static unsigned number_of(const struct opcode_class *class, struct opcode_class *classes,
			  unsigned *count)
{
	unsigned number = 1;

	if (class->unknown)
		return 0;
	while (number < *count && memcmp(&classes[number], class, sizeof(*class)) != 0)
		number++;
	if (number < *count)
		return number;
	if (number == OPCODE_CLASSES)
		return 0;
	classes[(*count)++] = *class;
	for (unsigned modrm = 0; modrm < 256; modrm++)
		classify_tables.rows[number][modrm] = classify_row(class, modrm);
	return number;
}

static void make_tables(void)
{
	struct opcode_class classes[OPCODE_CLASSES];
	unsigned count = 1;

	for (unsigned i = 0; i < 4 * 256; i++) {
		struct opcode_class class =
			class_of(i >> 9, (i >> 9) + (i >> 8 & 1), i & 255);

		classify_tables.classes[i >> 8][i & 255] =
			(uint8_t)number_of(&class, classes, &count);
	}
}

const struct classify_tables *length_classify_tables(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_tables);
	return &classify_tables;
}

static uint32_t classify_at(const struct classify_tables *tables, unsigned variant,
			    uint8_t opcode, uint8_t next)
{
	return tables->rows[tables->classes[variant][opcode]][next];
}

/* The class of an instruction with no prefix but REX, with a SIB byte read where needed;
 * 0 if that is not enough. READ_MAX bytes must be readable. */
static uint32_t classify_closer(const struct classify_tables *tables,
				const uint8_t *bytes)
{
	unsigned variant = (bytes[0] & 0xf0) == 0x40;
	uint32_t class;

	bytes += variant;
	if (bytes[0] == 0x0f) {
		variant += 2;
		bytes++;
	}
	class = classify_at(tables, variant, bytes[0], bytes[1]);
	if (class || (bytes[1] & 0xc7) != 4)
		return class;
	/* With a SIB byte it is one longer than the one like it that has none. */
	class = classify_at(tables, variant, bytes[0], bytes[1] & 0xf8);
	if (!class)
		return 0;
	return class + ((bytes[2] & 7) == 5 ? 5 : 1);
}

/* Legacy prefixes make no difference to most instructions but their own length. */
static uint32_t classify_behind_prefixes(const struct classify_tables *tables,
					 const uint8_t *bytes)
{
	uint32_t count = 0, class;

	/* With the longest of all else, this is not too long. */
	while (count < 3 && is_prefix(bytes[count]) && bytes[count] != 0x67)
		count++;
	class = classify_closer(tables, bytes + count);
	if (!count || !class)
		return class;
	return class & (CLASSIFY_KIND | CLASSIFY_WORD) ? 0 : class + count;
}

uint32_t length_classify_any(const struct classify_tables *tables, const uint8_t *bytes,
			     size_t available)
{
	uint32_t class = 0;
	struct brief brief;

	if (available >= READ_MAX)
		class = classify_behind_prefixes(tables, bytes);
	if (class)
		return class;
	return length_decode(bytes, available, &brief) ? length_classify_brief(&brief)
						       : 0;
}
