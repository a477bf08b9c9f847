/* Values of the program in recipes. */
#include "code/points/recipe_values.h"

#include "code/points/recipe.h"
#include "code/points/recipe_code.h"
#include "code/points/recipe_state.h"
#include "code/points/recipe_vectors.h"
#include "x86/operands.h"

#include <sys/auxv.h>

enum {
	WORD = 8,
	ARGUMENTS = 6, /* in registers */
	FSGSBASE = 2,  /* of AT_HWCAP2: programs may read the FS base */
	/* Offsets in the word that lahf and seto make of the flags. */
	CARRY_BIT = 8,
	PARITY_BIT = 10,
	ZERO_BIT = 14,
	SIGN_BIT = 15,
	OVERFLOW_BIT = 0,
	/* Memory where an argument of a call lies, from rsp on: behind the return address
	 * at an entry. */
	LOOP_FIRST = 0xe0,
	LOOP = 0xe2,
	LOOP_RCX = 0xe3,
	RETURN = 0xc3,
	RETURN_BYTES = 0xc2,
};

/* to += the FS base: itself a word there by the ABI of thread-local storage. */
static void add_thread_base(struct recipe *recipe, int to)
{
	static const uint8_t load_base[] = {0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0};
	const int base = recipe_take(recipe);
	struct emitter *emitter = recipe->emitter;

	if (getauxval(AT_HWCAP2) & FSGSBASE) { /* rdfsbase */
		emit_byte(emitter, 0xf3);
		emit_byte(emitter, (uint8_t)(0x48 | base >> 3));
		emit_bytes(emitter, (const uint8_t[]){0x0f, 0xae}, 2);
		emit_byte(emitter, (uint8_t)(0xc0 | (base & 7)));
	} else {
		uint8_t bytes[sizeof(load_base)];

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = load_base[i];
		bytes[1] |= (uint8_t)(base >> 3 << 2);
		bytes[3] |= (uint8_t)((base & 7) << 3);
		emit_bytes(emitter, bytes, sizeof(bytes));
	}
	recipe_op_indexed(recipe, OP_LEA, to, to, base, 1, 0);
	recipe_give_back(recipe, base);
}

/* lea target(%rip), to */
static void load_module_address(struct recipe *recipe, int to, uint64_t target)
{
	struct emitter *emitter = recipe->emitter;

	emit_byte(emitter, (uint8_t)(0x48 | to >> 3 << 2));
	emit_byte(emitter, OP_LEA);
	emit_byte(emitter, (uint8_t)((to & 7) << 3 | 5));
	emit_relative(emitter, target, 0);
}

/* to += index * scale. `to` may be the register of the index. */
static void add_index(struct recipe *recipe, int to, const struct operands_memory *memory)
{
	uint32_t offset = 0;
	int index = memory->index;

	if (recipe_is_in_place(recipe, index, &offset) && index != to) {
		recipe_op_indexed(recipe, OP_LEA, to, to, index, memory->scale, 0);
		return;
	}
	index = recipe_take(recipe);
	recipe_load_register(recipe, index, memory->index);
	recipe_op_indexed(recipe, OP_LEA, to, to, index, memory->scale, 0);
	recipe_give_back(recipe, index);
}

/* Bytes by which the address of an operand is other behind the instruction: by the change
 * of the stack pointer. Fails if it is not known there. */
static int64_t moved_by(struct recipe *recipe, const struct operands *operands,
			const struct operands_memory *memory)
{
	uint16_t names = 0;

	if (recipe->place->where != POINT_AFTER)
		return 0;
	names |= memory->base >= 0 && memory->base < OPERANDS_RIP
			 ? (uint16_t)(1u << memory->base)
			 : 0;
	names |= memory->index >= 0 ? (uint16_t)(1u << memory->index) : 0;
	if (operands->stack_change)
		names &= (uint16_t) ~(1u << RSP);
	/* The return address of a call is gone. */
	if (names & operands->changed || (memory->stack && !operands->stack_change) ||
	    recipe->place->behind_call)
		recipe_fail(recipe, POINT_UNREADABLE);
	return memory->base == RSP ? -operands->stack_change : 0;
}

static void load_base(struct recipe *recipe, int to, const struct operands_memory *memory)
{
	if (memory->base == OPERANDS_RIP)
		load_module_address(recipe, to,
				    recipe->place->address + recipe->place->length +
					    (uint64_t)memory->displacement);
	else if (memory->base >= 0)
		recipe_load_register(recipe, to, memory->base);
}

/* By one instruction, if what it names is in its registers. */
static bool load_at_once(struct recipe *recipe, int to,
			 const struct operands_memory *memory, int64_t displacement)
{
	uint32_t offset;

	if (memory->base < 0 || memory->base >= OPERANDS_RIP ||
	    !recipe_is_in_place(recipe, memory->base, &offset) ||
	    (memory->index >= 0 && !recipe_is_in_place(recipe, memory->index, &offset)))
		return false;
	if (memory->base == RSP)
		displacement += recipe_depth(recipe);
	if (displacement != (int32_t)displacement || memory->index == RSP)
		return false;
	if (memory->index >= 0)
		recipe_op_indexed(recipe, OP_LEA, to, memory->base, memory->index,
				  memory->scale, (int32_t)displacement);
	else
		recipe_op_memory(recipe, OP_LEA, true, to, memory->base,
				 (int32_t)displacement);
	return true;
}

/* Instruction by instruction. */
static void add_up_address(struct recipe *recipe, int to,
			   const struct operands_memory *memory, int64_t displacement)
{
	load_base(recipe, to, memory);
	if (memory->base == OPERANDS_RIP)
		displacement = 0;
	else if (memory->base < 0)
		recipe_move_constant(recipe, to, displacement);
	if (memory->index >= 0)
		add_index(recipe, to, memory);
	if (memory->base >= 0 && displacement)
		recipe_op_memory(recipe, OP_LEA, true, to, to, (int32_t)displacement);
}

static void load_address(struct recipe *recipe, int to, unsigned number)
{
	struct operands operands;
	const struct operands_memory *memory;
	int64_t displacement;

	if (!operands_read(recipe->place->bytes, recipe->place->length, &operands) ||
	    number >= operands.memory_count || operands.memory[number].odd ||
	    operands.memory[number].segment == OPERANDS_GS) {
		recipe_fail(recipe, POINT_UNREADABLE);
		return;
	}
	memory = &operands.memory[number];
	displacement = memory->displacement + moved_by(recipe, &operands, memory);
	if (!load_at_once(recipe, to, memory, displacement))
		add_up_address(recipe, to, memory, displacement);
	if (memory->narrow)
		recipe_op(recipe, OP_STORE, false, to, to);
	if (memory->segment == OPERANDS_FS)
		add_thread_base(recipe, to);
}

/* to = what is at address `to` + displacement; 0 if that cannot be read. */
static void load_checked(struct recipe *recipe, int to, int32_t displacement,
			 unsigned size)
{
	const int error = recipe_label(recipe), end = recipe_label(recipe);
	const int base = recipe_take(recipe);

	recipe_op(recipe, OP_STORE, true, to, base);
	recipe_load(recipe, to, base, displacement, size, false, error);
	recipe_skip(recipe, end);
	recipe_place_label(recipe, error);
	recipe_move_constant(recipe, to, 0);
	recipe_place_label(recipe, end);
	recipe_give_back(recipe, base);
}

static void load_operand(struct recipe *recipe, int to, const struct recipe_value *value)
{
	struct recipe_operand operands[RECIPE_OPERANDS_MAX];
	const size_t count =
		recipe_operands(recipe->place->bytes, recipe->place->length, operands);
	unsigned size = value->size;

	if (!size && value->number < count)
		size = operands[value->number].unit;
	if (size > WORD)
		size = WORD;
	load_address(recipe, to, value->number);
	load_checked(recipe, to, 0, size);
}

static void load_argument(struct recipe *recipe, int to, unsigned number)
{
	static const uint8_t registers[ARGUMENTS] = {RDI, RSI, RDX, RCX, 8, 9};
	const bool entered = recipe->place->where == POINT_ENTRY;

	if (number < ARGUMENTS) {
		recipe_load_register(recipe, to, registers[number]);
		return;
	}
	recipe_load_register(recipe, to, RSP);
	load_checked(recipe, to, (int32_t)(WORD * (number - ARGUMENTS + entered)), WORD);
}

/* The condition code of the branch at the point; -1: it is none. */
static int condition_of(const struct recipe_place *place)
{
	const uint8_t *bytes = place->bytes;

	if (place->length == 2 && (*bytes & 0xf0) == 0x70)
		return *bytes & 15;
	return place->length == 6 && *bytes == 0x0f && (bytes[1] & 0xf0) == 0x80
		       ? bytes[1] & 15
		       : -1;
}

/* to = a bit of the word with the saved flags, in `word`. */
static void take_bit(struct recipe *recipe, int to, int word, unsigned bit)
{
	recipe_op(recipe, OP_STORE, true, word, to);
	recipe_shift(recipe, RECIPE_RIGHT, to, bit);
	recipe_compute_constant(recipe, RECIPE_AND, to, 1);
}

/* to = the word with the saved flags. */
static void load_saved(struct recipe *recipe, int to)
{
	if (recipe->known_aside)
		recipe_op_memory(recipe, OP_LOAD, true, to, RSP, 0);
	else
		recipe_op(recipe, OP_STORE, true, RAX, to);
}

/* The flags are saved for it, also if they are dead. */
static void load_status(struct recipe *recipe, int to)
{
	enum { LOW = 0xd5, OVERFLOW = 11 };
	const int bit = recipe_take(recipe);

	recipe->flags = true;
	load_saved(recipe, to);
	recipe_op(recipe, OP_STORE, true, to, bit);
	recipe_compute_constant(recipe, RECIPE_AND, bit, 1);
	recipe_shift(recipe, RECIPE_LEFT, bit, OVERFLOW);
	recipe_shift(recipe, RECIPE_RIGHT, to, CARRY_BIT);
	recipe_compute_constant(recipe, RECIPE_AND, to, LOW);
	recipe_compute(recipe, RECIPE_OR, to, bit);
	recipe_give_back(recipe, bit);
}

static void load_data(struct recipe *recipe, int to, int64_t distance)
{
	const struct plan_point_layout *layout = recipe->place->layout;

	recipe_op_bank(recipe, OP_LOAD, true, to, layout->control);
	recipe_op_memory(recipe, OP_LOAD, true, to, to, (int32_t)layout->data);
	recipe_op_memory(recipe, OP_LEA, true, to, to, (int32_t)distance);
}

/* to = whether a condition is true by the saved flags. */
static void test_saved(struct recipe *recipe, int to, unsigned condition)
{
	/* Up to three bits, joined by xor of the first two, then or. */
	static const struct {
		uint8_t first, second, third; /* 0xff: none */
		bool exclusive;
	} bits[] = {
		{OVERFLOW_BIT, 0xff, 0xff, false},
		{CARRY_BIT, 0xff, 0xff, false},
		{ZERO_BIT, 0xff, 0xff, false},
		{CARRY_BIT, ZERO_BIT, 0xff, false},
		{SIGN_BIT, 0xff, 0xff, false},
		{PARITY_BIT, 0xff, 0xff, false},
		{SIGN_BIT, OVERFLOW_BIT, 0xff, true},
		{SIGN_BIT, OVERFLOW_BIT, ZERO_BIT, true},
	};
	const int word = recipe_take(recipe), bit = recipe_take(recipe);
	const uint8_t second = bits[condition >> 1].second;
	const uint8_t third = bits[condition >> 1].third;

	load_saved(recipe, word);
	take_bit(recipe, to, word, bits[condition >> 1].first);
	if (second != 0xff) {
		take_bit(recipe, bit, word, second);
		recipe_compute(recipe,
			       bits[condition >> 1].exclusive ? RECIPE_XOR : RECIPE_OR,
			       to, bit);
	}
	if (third != 0xff) {
		take_bit(recipe, bit, word, third);
		recipe_compute(recipe, RECIPE_OR, to, bit);
	}
	if (condition & 1)
		recipe_compute_constant(recipe, RECIPE_XOR, to, 1);
	recipe_give_back(recipe, bit);
	recipe_give_back(recipe, word);
}

/* setcc, while the flags are the program's; they stay. */
static void test_flags(struct recipe *recipe, int to, unsigned condition)
{
	recipe_op(recipe, (uint16_t)(0x0f90 | condition), false, 0, to);
	recipe_op(recipe, OP_LOAD_BYTE, false, to, to);
}

/* loop and jrcxz, of those that do not look at flags. */
static void load_loops(struct recipe *recipe, int to)
{
	const uint8_t opcode = recipe->place->bytes[0];

	if (recipe->place->length != 2 || (opcode != LOOP && opcode != LOOP_RCX)) {
		recipe_fail(recipe, POINT_UNREADABLE);
		return;
	}
	recipe_load_register(recipe, to, RCX);
	recipe_spoil_flags(recipe);
	recipe_op(recipe, OP_GROUP1_BYTE, true, 7, to);
	emit_byte(recipe->emitter, opcode == LOOP);
	recipe_op(recipe, (uint16_t)(opcode == LOOP ? 0x0f95 : 0x0f94), false, 0, to);
	recipe_op(recipe, OP_LOAD_BYTE, false, to, to);
}

static void load_taken(struct recipe *recipe, int to)
{
	const int condition = condition_of(recipe->place);

	if (condition < 0)
		load_loops(recipe, to);
	else if (recipe->known_flags)
		test_saved(recipe, to, (unsigned)condition);
	else
		test_flags(recipe, to, (unsigned)condition);
}

/* Register number of an indirect jump or call through a register. */
static int target_register(const struct recipe_place *place)
{
	unsigned at = 0, rex = 0;

	while (at + 2 < place->length && place->bytes[at] != 0xff) {
		if ((place->bytes[at] & 0xf0) == 0x40)
			rex = place->bytes[at] & 1u;
		at++;
	}
	if (at + 2 != place->length || place->bytes[at] != 0xff ||
	    place->bytes[at + 1] >> 6 != 3)
		return -1;
	return (int)((place->bytes[at + 1] & 7u) | rex << 3);
}

/* Of a return, an indirect jump or call: through a register, or its first operand in
 * memory. */
static void load_target(struct recipe *recipe, int to)
{
	const int number = target_register(recipe->place);

	if (number >= 0)
		recipe_load_register(recipe, to, number);
	else
		load_operand(recipe, to, &(struct recipe_value){.size = WORD});
}

/* rdtsc */
static void load_time(struct recipe *recipe, int to)
{
	const int end = recipe_label(recipe), result = recipe_take_aside(recipe);
	const int low = recipe_borrow(recipe, RAX), high = recipe_borrow(recipe, RDX);

	recipe_spoil_flags(recipe);
	recipe_move_constant(recipe, result, 0);
	recipe_op_bank(recipe, OP_GROUP1_BYTE, false, 7, recipe->place->layout->untimed);
	emit_byte(recipe->emitter, 0);
	recipe_branch(recipe, 0x80 | RECIPE_NOT_EQUAL, end);
	emit_bytes(recipe->emitter, (const uint8_t[]){0x0f, 0x31}, 2);
	recipe_op(recipe, OP_STORE, true, RDX, result);
	recipe_shift(recipe, RECIPE_LEFT, result, 32);
	recipe_op(recipe, OP_OR_TO, true, RAX, result);
	recipe_place_label(recipe, end);
	recipe_return_borrowed(recipe, RDX, high);
	recipe_return_borrowed(recipe, RAX, low);
	recipe_op(recipe, OP_STORE, true, result, to);
	recipe_give_back(recipe, result);
}

static void load_caller(struct recipe *recipe, int to)
{
	if (recipe->place->where != POINT_ENTRY) {
		recipe_fail(recipe, POINT_UNREADABLE);
		return;
	}
	recipe_op_memory(recipe, OP_LOAD, true, to, RSP, (int32_t)recipe_depth(recipe));
}

/* The library of contexts writes the address of what it has of the thread to the bank. */
static void load_context(struct recipe *recipe, int to)
{
	const struct plan_point_layout *layout = recipe->place->layout;
	const int none = recipe_label(recipe), end = recipe_label(recipe);
	const int from = recipe_take(recipe), half = recipe_take(recipe);

	recipe_op_bank(recipe, OP_LOAD, true, from, layout->context);
	recipe_skip_if_constant(recipe, from, RECIPE_EQUAL, 0, none);
	recipe_load(recipe, half, from, (int32_t)layout->context_thread, 4, false, none);
	recipe_load(recipe, from, from, (int32_t)layout->context_node, 8, false, none);
	recipe_load(recipe, from, from, (int32_t)layout->context_number, 4, false, none);
	recipe_skip_if_constant(recipe, from, RECIPE_EQUAL, 0, none);
	recipe_shift(recipe, RECIPE_LEFT, half, 32);
	recipe_compute(recipe, RECIPE_OR, from, half);
	recipe_op(recipe, OP_STORE, true, from, to);
	recipe_skip(recipe, end);
	recipe_place_label(recipe, none);
	recipe_move_constant(recipe, to, 0);
	recipe_place_label(recipe, end);
	recipe_give_back(recipe, half);
	recipe_give_back(recipe, from);
}

void recipe_value(struct recipe *recipe, int number, struct recipe_value value)
{
	const struct plan_point_layout *layout = recipe->place->layout;

	switch (value.kind) {
	case RECIPE_CONSTANT:
		recipe_move_constant(recipe, number, value.constant);
		break;
	case RECIPE_REGISTER:
		recipe_load_register(recipe, number, value.number & 15);
		break;
	case RECIPE_ARGUMENT:
		load_argument(recipe, number, value.number);
		break;
	case RECIPE_RETURN:
		recipe_load_register(recipe, number, RAX);
		break;
	case RECIPE_ADDRESS:
		load_address(recipe, number, value.number);
		break;
	case RECIPE_LOADED:
		load_operand(recipe, number, &value);
		break;
	case RECIPE_TAKEN:
		load_taken(recipe, number);
		break;
	case RECIPE_TARGET:
		load_target(recipe, number);
		break;
	case RECIPE_CALLER:
		load_caller(recipe, number);
		break;
	case RECIPE_PC:
		load_module_address(recipe, number, recipe->place->address);
		break;
	case RECIPE_MODULE:
		load_module_address(recipe, number, (uint64_t)value.constant);
		break;
	case RECIPE_THREAD:
		recipe_op_bank(recipe, OP_LOAD, false, number, layout->thread);
		break;
	case RECIPE_TIME:
		load_time(recipe, number);
		break;
	case RECIPE_STATUS:
		load_status(recipe, number);
		break;
	case RECIPE_DATA:
		load_data(recipe, number, value.constant);
		break;
	case RECIPE_VECTOR:
		recipe_vector_copy(recipe, number, value.number);
		break;
	case RECIPE_VECTOR_LOW:
		recipe_vector_low(recipe, number, value.number);
		break;
	case RECIPE_CONTEXT:
		load_context(recipe, number);
		break;
	case RECIPE_BANK:
		recipe_op_bank(recipe, OP_LOAD, true, number, layout->self);
		break;
	case RECIPE_TAKEN_REGISTER:
		if (value.number != number)
			recipe_op(recipe, OP_STORE, true, value.number, number);
		break;
	default:
		recipe_fail(recipe, POINT_UNREADABLE);
	}
}
