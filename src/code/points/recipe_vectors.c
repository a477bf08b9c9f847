/* Vector registers in recipes. Encoding: Intel SDM volume 2, chapter 2. */
#include "code/points/recipe_vectors.h"

#include "code/points/recipe_code.h"
#include "code/points/recipe_state.h"

#include <stdbool.h>

enum {
	GS = 0x65,
	STORE = 0x7f, /* movdqu, vmovdqu, vmovdqu64: register to memory */
	MOVQ = 0x7e,  /* to a general register */
	REGISTERS = 16,
	REGISTERS_512 = 32,
};

/* Whether a register exists; those from 16 on belong to AVX-512. */
static bool has_register(unsigned number)
{
	return number < (__builtin_cpu_supports("avx512f") ? REGISTERS_512 : REGISTERS);
}

/* The EVEX prefix of an opcode of map 1; `pp` and `length` as the manual has them. */
static void emit_evex(struct emitter *emitter, unsigned reg, unsigned rm, unsigned pp,
		      unsigned length)
{
	const uint8_t bytes[] = {
		0x62,
		(uint8_t)((~reg >> 3 & 1) << 7 | 1 << 6 | (~rm >> 3 & 1) << 5 |
			  (~reg >> 4 & 1) << 4 | 1),
		(uint8_t)(0xfc | pp),
		(uint8_t)(length << 5 | 8),
	};

	emit_bytes(emitter, bytes, sizeof(bytes));
}

/* The prefixes of the store of a whole register. */
static void emit_store_prefix(struct emitter *emitter, unsigned number)
{
	enum { F3 = 2, BITS_512 = 2 };

	if (__builtin_cpu_supports("avx512f")) {
		emit_evex(emitter, number, 0, F3, BITS_512);
	} else if (__builtin_cpu_supports("avx")) {
		emit_byte(emitter, 0xc5);
		emit_byte(emitter, (uint8_t)((~number >> 3 & 1) << 7 | 0x7e));
	} else {
		emit_byte(emitter, 0xf3);
		emit_byte(emitter, (uint8_t)(0x40 | (number >> 3 & 1) << 2));
		emit_byte(emitter, 0x0f);
	}
}

void recipe_vector_copy(struct recipe *recipe, int to, unsigned number)
{
	const struct plan_point_layout *layout = recipe->place->layout;
	const uint32_t place = recipe->copy_count++ * RECIPE_VECTOR_SIZE;
	struct emitter *emitter = recipe->emitter;

	if (!has_register(number) || recipe->copy_count > RECIPE_COPIES_MAX) {
		recipe_fail(recipe, POINT_UNREADABLE);
		return;
	}
	emit_byte(emitter, GS);
	emit_store_prefix(emitter, number);
	emit_byte(emitter, STORE);
	emit_byte(emitter, (uint8_t)((number & 7) << 3 | 4));
	emit_byte(emitter, 0x25);
	emit_word32(emitter, layout->copies + place);
	recipe_op_bank(recipe, OP_LOAD, true, to, layout->self);
	recipe_op_memory(recipe, OP_LEA, true, to, to, (int32_t)(layout->copies + place));
}

void recipe_vector_low(struct recipe *recipe, int to, unsigned number)
{
	enum { P66 = 1 };
	struct emitter *emitter = recipe->emitter;

	if (!has_register(number)) {
		recipe_fail(recipe, POINT_UNREADABLE);
		return;
	}
	if (number >= REGISTERS) {
		emit_evex(emitter, number, (unsigned)to, P66, 0);
	} else {
		emit_byte(emitter, 0x66);
		emit_byte(emitter,
			  (uint8_t)(0x48 | (number >> 3) << 2 | (unsigned)to >> 3));
		emit_byte(emitter, 0x0f);
	}
	emit_byte(emitter, MOVQ);
	emit_byte(emitter, (uint8_t)(0xc0 | (number & 7) << 3 | ((unsigned)to & 7)));
}
