#include "x86/flags.h"

/* Effect of an opcode on the flags, or the operand that decides it. */
enum effect {
	UNKNOWN, /* reads all, writes none */
	NOTHING,
	WRITES,      /* all */
	CARRIES,     /* reads carry, writes all */
	WRITES_SOME, /* some, or not always: as good as nothing */
	BIT_TEST,    /* writes carry; others are undefined */
	BIT_SCAN,    /* writes zero; others are undefined, or carry */
	CONDITION,   /* reads what the low 4 bits of the opcode say */
	GROUP1,      /* add or adc sbb and sub xor cmp */
	GROUP2,      /* rotates and shifts by a constant */
	GROUP2_CL,   /* by a register: the count may be 0 */
	GROUP3,      /* test - not neg mul imul div idiv */
	GROUP5,      /* inc dec, calls, jumps, push */
	X87,
	SAHF,
	LAHF,
	LOOPS,
};

/* clang-format off */
#define ALU(effect) effect, effect, effect, effect, effect, effect, UNKNOWN, UNKNOWN
#define SIXTEEN(effect) effect, effect, effect, effect, effect, effect, effect, effect, \
	effect, effect, effect, effect, effect, effect, effect, effect
#define EIGHT(effect) effect, effect, effect, effect, effect, effect, effect, effect

static const uint8_t one_byte[256] = {
	/* 0x00 */ ALU(WRITES), ALU(WRITES),
	/* 0x10 */ ALU(CARRIES), ALU(CARRIES),
	/* 0x20 */ ALU(WRITES), ALU(WRITES),
	/* 0x30 */ ALU(WRITES), ALU(WRITES),
	/* 0x40 */ SIXTEEN(UNKNOWN),
	/* 0x50 */ SIXTEEN(NOTHING),
	/* 0x60 */ UNKNOWN, UNKNOWN, UNKNOWN, NOTHING, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
	/* 0x68 */ NOTHING, WRITES, NOTHING, WRITES, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
	/* 0x70 */ SIXTEEN(CONDITION),
	/* 0x80 */ GROUP1, GROUP1, UNKNOWN, GROUP1, WRITES, WRITES, NOTHING, NOTHING,
	/* 0x88 */ NOTHING, NOTHING, NOTHING, NOTHING, UNKNOWN, NOTHING, UNKNOWN, NOTHING,
	/* 0x90 */ EIGHT(NOTHING),
	/* 0x98 */ NOTHING, NOTHING, UNKNOWN, NOTHING, UNKNOWN, UNKNOWN, SAHF, LAHF,
	/* 0xa0 */ NOTHING, NOTHING, NOTHING, NOTHING,
	/* 0xa4 */ NOTHING, NOTHING, WRITES_SOME, WRITES_SOME,
	/* 0xa8 */ WRITES, WRITES, NOTHING, NOTHING, NOTHING, NOTHING, WRITES_SOME, WRITES_SOME,
	/* 0xb0 */ SIXTEEN(NOTHING),
	/* 0xc0 */ GROUP2, GROUP2, NOTHING, NOTHING, UNKNOWN, UNKNOWN, NOTHING, NOTHING,
	/* 0xc8 */ NOTHING, NOTHING, UNKNOWN, UNKNOWN, NOTHING, UNKNOWN, UNKNOWN, UNKNOWN,
	/* 0xd0 */ GROUP2, GROUP2, GROUP2_CL, GROUP2_CL, UNKNOWN, UNKNOWN, UNKNOWN, NOTHING,
	/* 0xd8 */ NOTHING, NOTHING, X87, X87, NOTHING, NOTHING, NOTHING, NOTHING,
	/* 0xe0 */ LOOPS, LOOPS, NOTHING, NOTHING, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
	/* 0xe8 */ NOTHING, NOTHING, UNKNOWN, NOTHING, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
	/* 0xf0 */ UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, NOTHING, UNKNOWN, GROUP3, GROUP3,
	/* 0xf8 */ WRITES_SOME, WRITES_SOME, UNKNOWN, UNKNOWN, NOTHING, NOTHING, GROUP5, GROUP5,
};

static const uint8_t two_byte[256] = {
	/* 0x00 */ UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
	/* 0x08 */ UNKNOWN, UNKNOWN, UNKNOWN, NOTHING, UNKNOWN, NOTHING, UNKNOWN, UNKNOWN,
	/* 0x10 */ EIGHT(NOTHING), EIGHT(NOTHING),
	/* 0x20 */ EIGHT(UNKNOWN),
	/* 0x28 */ NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, WRITES, WRITES,
	/* 0x30 */ UNKNOWN, NOTHING, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
	/* 0x38 */ EIGHT(UNKNOWN),
	/* 0x40 */ SIXTEEN(CONDITION),
	/* 0x50 */ SIXTEEN(NOTHING),
	/* 0x60 */ SIXTEEN(NOTHING),
	/* 0x70 */ SIXTEEN(NOTHING),
	/* 0x80 */ SIXTEEN(CONDITION),
	/* 0x90 */ SIXTEEN(CONDITION),
	/* 0xa0 */ NOTHING, NOTHING, NOTHING, BIT_TEST,
	/* 0xa4 */ WRITES_SOME, WRITES_SOME, UNKNOWN, UNKNOWN,
	/* 0xa8 */ NOTHING, NOTHING, UNKNOWN, BIT_TEST,
	/* 0xac */ WRITES_SOME, WRITES_SOME, NOTHING, WRITES,
	/* 0xb0 */ WRITES, WRITES, UNKNOWN, BIT_TEST, UNKNOWN, UNKNOWN, NOTHING, NOTHING,
	/* 0xb8 */ WRITES_SOME, UNKNOWN, BIT_TEST, BIT_TEST,
	/* 0xbc */ BIT_SCAN, BIT_SCAN, NOTHING, NOTHING,
	/* 0xc0 */ WRITES, WRITES, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, WRITES_SOME,
	/* 0xc8 */ EIGHT(NOTHING),
	/* 0xd0 */ SIXTEEN(NOTHING),
	/* 0xe0 */ SIXTEEN(NOTHING),
	/* 0xf0 */ SIXTEEN(NOTHING),
};

/* clang-format on */

/* The flags read by a condition code (the low 4 bits of jcc, setcc, cmovcc). */
static uint8_t flags_of_condition(unsigned condition)
{
	static const uint8_t sets[8] = {
		FLAGS_OVERFLOW,
		FLAGS_CARRY,
		FLAGS_ZERO,
		FLAGS_CARRY | FLAGS_ZERO,
		FLAGS_SIGN,
		FLAGS_PARITY,
		FLAGS_SIGN | FLAGS_OVERFLOW,
		FLAGS_SIGN | FLAGS_OVERFLOW | FLAGS_ZERO,
	};

	return sets[condition >> 1 & 7];
}

/* Rotates and shifts by a constant; by 0 they leave all as it is. */
static struct flags_effect flags_of_shift(const uint8_t *bytes, const struct brief *brief)
{
	unsigned operation = brief->modrm >> 3 & 7;
	bool through_carry = operation == 2 || operation == 3;
	unsigned count = brief->immediate ? bytes[brief->length - 1] : 1;

	if (operation < 4)
		return (struct flags_effect){through_carry ? FLAGS_CARRY : 0, 0};
	/* 63 with REX.W; a count of 32 is 0 without. */
	return (struct flags_effect){0, count & 31 ? FLAGS_ALL : 0};
}

static struct flags_effect look_closer(enum effect effect, const uint8_t *bytes,
				       const struct brief *brief)
{
	unsigned operation = brief->modrm >> 3 & 7;
	const uint8_t arithmetic = FLAGS_ALL & ~FLAGS_OVERFLOW;

	switch (effect) {
	case GROUP1:
		return (struct flags_effect){
			operation == 2 || operation == 3 ? FLAGS_CARRY : 0, FLAGS_ALL};
	case GROUP2:
		return flags_of_shift(bytes, brief);
	case GROUP2_CL:
		return (struct flags_effect){
			operation == 2 || operation == 3 ? FLAGS_CARRY : 0, 0};
	case GROUP3:
		return (struct flags_effect){0, operation == 2 ? 0 : FLAGS_ALL};
	case GROUP5:
		return (struct flags_effect){0, operation < 2 ? FLAGS_INCREMENT : 0};
	case X87: /* fcmovcc */
		return (struct flags_effect){brief->modrm >= 0xc0 ? FLAGS_ALL : 0, 0};
	case SAHF:
		return (struct flags_effect){0, arithmetic};
	case LAHF:
		return (struct flags_effect){arithmetic, 0};
	case LOOPS:
		return (struct flags_effect){FLAGS_ZERO, 0};
	case BIT_TEST:
		return (struct flags_effect){0, FLAGS_CARRY};
	case BIT_SCAN:
		return (struct flags_effect){0, FLAGS_ZERO};
	default:
		return (struct flags_effect){FLAGS_ALL, 0};
	}
}

struct flags_effect flags_effect(const uint8_t *bytes, const struct brief *brief)
{
	static const struct flags_effect simple[] = {
		[UNKNOWN] = {FLAGS_ALL, 0}, [NOTHING] = {0, 0},
		[WRITES] = {0, FLAGS_ALL},  [CARRIES] = {FLAGS_CARRY, FLAGS_ALL},
		[WRITES_SOME] = {0, 0},
	};
	enum effect effect;

	if (brief->map > 3)
		return simple[UNKNOWN];
	/* adcx and adox are the only ones of these maps that read flags. */
	if (brief->map >= 2)
		return simple[brief->map == 2 && brief->opcode == 0xf6 ? UNKNOWN
								       : NOTHING];
	effect = brief->map ? two_byte[brief->opcode] : one_byte[brief->opcode];
	if (effect == CONDITION)
		return (struct flags_effect){flags_of_condition(brief->opcode & 15), 0};
	if (effect <= WRITES_SOME)
		return simple[effect];
	return look_closer(effect, bytes, brief);
}
