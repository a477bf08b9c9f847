#include "code/scan/return_use.h"

#include "base/vector.h"
#include "code/scan/plt.h"
#include "x86/decode.h"

#include <Zydis/Zydis.h>
#include <string.h>

enum { RAX = 0, RCX = 1, RDX = 2, RSP = 4, RBP = 5, RSI = 6, RDI = 7, REGISTERS = 16 };
enum { WORD = 8, KEPT_MAX = 12, DEPTH_MAX = 2 };

/* The most instructions and branch targets that are examined; a larger function does not
 * use its return address in its own ways. */
enum { STEPS_MAX = 8000, PLACES_MAX = 250 };

/* A value, as far as it matters. */
enum value_kind {
	VALUE_OTHER,
	VALUE_STACK,   /* the place of the return address + offset */
	VALUE_RETURN,  /* the return address + offset */
	VALUE_DERIVED, /* somewhere near the return address, or its place */
	VALUE_PLACE,   /* the place of a caller's return address + offset */
};
struct value {
	enum value_kind kind;
	int32_t offset;
};

static const struct value other = {VALUE_OTHER, 0}, derived = {VALUE_DERIVED, 0};

/* A word of the stack. */
struct kept {
	int32_t at; /* from the return address's place */
	struct value value;
};

/* State in front of an instruction. */
struct state {
	struct value registers[REGISTERS];
	struct value slot; /* contents of the return address's word */
	struct kept kept[KEPT_MAX];
	unsigned kept_count;
	bool used;   /* the address was stored, compared or passed on */
	bool stored; /* outside of the stack */
};

struct place {
	uint64_t address;
	struct state state;
	bool waits; /* to be gone through */
};

struct following {
	const struct scan *scan;
	const struct image *image;
	ZydisDecoder decoder;
	uint64_t start, end; /* of the function */
	struct VECTOR(struct place) places;
	unsigned steps, depth;
	bool foreign; /* the return address is another function's, in a register */
	enum return_use found;
};

/* An instruction, and the state in front of it. */
struct moment {
	struct following *following;
	struct state *state;
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t address, next;
};

static void note_use(struct following *following, enum return_use use)
{
	if (use > following->found)
		following->found = use;
}

static bool is_return(struct value value)
{
	return value.kind == VALUE_RETURN || value.kind == VALUE_DERIVED;
}

/* Whether a value comes from a caller's return address. */
static bool is_given(struct value value)
{
	return is_return(value) || value.kind == VALUE_PLACE;
}

static bool is_same(struct value a, struct value b)
{
	return a.kind == b.kind && a.offset == b.offset;
}

static struct value merge_values(struct value a, struct value b)
{
	if (is_same(a, b))
		return a;
	return is_given(a) || is_given(b) ? derived : other;
}

static struct value register_value(const struct state *state, ZydisRegister name)
{
	int number = decode_register_number(name);

	return number < 0 ? other : state->registers[number];
}

static struct value read_stack(const struct state *state, int32_t at)
{
	if (!at)
		return state->slot;
	for (unsigned i = 0; i < state->kept_count; i++)
		if (state->kept[i].at == at)
			return state->kept[i].value;
	return other;
}

/* `size` bytes are written. Only a whole word is one of the values. */
static void write_stack(struct state *state, int32_t at, int32_t size, struct value value)
{
	unsigned i = 0;

	if (at > -size && at < WORD) {
		state->slot = at || size != WORD ? derived : value;
		/* It was popped, and is pushed again. */
		state->used |= is_return(value);
		return;
	}
	if (size != WORD)
		value = other;
	while (i < state->kept_count && state->kept[i].at != at)
		i++;
	if (i == state->kept_count) {
		if (value.kind == VALUE_OTHER || i == KEPT_MAX)
			return;
		state->kept_count++;
	}
	state->kept[i] = (struct kept){at, value};
}

/* The address of a memory operand. */
static struct value address_of(const struct state *state,
			       const ZydisDecodedOperand *operand)
{
	struct value base = register_value(state, operand->mem.base);
	struct value index = register_value(state, operand->mem.index);

	if (operand->mem.segment == ZYDIS_REGISTER_FS ||
	    operand->mem.segment == ZYDIS_REGISTER_GS)
		return other;
	if (operand->mem.index != ZYDIS_REGISTER_NONE)
		return is_given(base) || index.kind == VALUE_RETURN ||
				       index.kind == VALUE_PLACE
			       ? derived
			       : other;
	if (base.kind == VALUE_STACK || base.kind == VALUE_RETURN ||
	    base.kind == VALUE_PLACE)
		base.offset += (int32_t)operand->mem.disp.value;
	return base;
}

static struct value read_operand(const struct state *state,
				 const ZydisDecodedOperand *operand)
{
	struct value address;

	if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
		return operand->size == 64 ? register_value(state, operand->reg.value)
					   : other;
	if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY || operand->size != 64)
		return other;
	address = address_of(state, operand);
	return address.kind == VALUE_STACK ? read_stack(state, address.offset) : other;
}

static void write_operand(struct state *state, const ZydisDecodedOperand *operand,
			  struct value value)
{
	struct value address;
	int number;

	if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		number = decode_register_number(operand->reg.value);
		if (number >= 0)
			state->registers[number] = operand->size == 64 ? value : other;
		return;
	}
	if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY)
		return;
	address = address_of(state, operand);
	if (address.kind == VALUE_STACK)
		write_stack(state, address.offset, operand->size / 8, value);
	else
		state->used |= is_return(value);
	state->stored |= address.kind != VALUE_STACK && value.kind == VALUE_RETURN &&
			 !value.offset;
}

/* Whether `size` bytes there are no code, or the return address of a caller. */
static bool is_beyond(struct value address, int32_t size)
{
	return is_return(address) || (address.kind == VALUE_PLACE &&
				      address.offset > -size && address.offset < WORD);
}

/* Handles memory operands: anything that an instruction reads or writes near the return
 * address is no code. */
static void look_at_memory(const struct moment *moment)
{
	const ZydisOperandActions accesses =
		ZYDIS_OPERAND_ACTION_MASK_READ | ZYDIS_OPERAND_ACTION_MASK_WRITE;

	if (moment->instruction.mnemonic == ZYDIS_MNEMONIC_NOP ||
	    moment->instruction.meta.category == ZYDIS_CATEGORY_PREFETCH)
		return;
	for (unsigned i = 0; i < moment->instruction.operand_count; i++) {
		const ZydisDecodedOperand *operand = &moment->operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    operand->mem.type == ZYDIS_MEMOP_TYPE_MEM &&
		    (operand->actions & accesses) &&
		    is_beyond(address_of(moment->state, operand), operand->size / 8))
			note_use(moment->following, RETURN_USE_BEYOND);
	}
}

static struct value *stack_pointer(struct state *state)
{
	return &state->registers[RSP];
}

static void push_value(struct state *state, struct value value)
{
	struct value *rsp = stack_pointer(state);

	rsp->offset -= WORD;
	if (rsp->kind == VALUE_STACK)
		write_stack(state, rsp->offset, WORD, value);
	else
		*rsp = other;
}

static struct value pop_value(struct state *state)
{
	struct value *rsp = stack_pointer(state), value = other;

	if (rsp->kind == VALUE_STACK) {
		value = read_stack(state, rsp->offset);
		rsp->offset += WORD;
	}
	return value;
}

static struct value add_constant(struct value value, int64_t by)
{
	if (value.kind == VALUE_STACK || value.kind == VALUE_RETURN ||
	    value.kind == VALUE_PLACE)
		value.offset += (int32_t)by;
	return value;
}

/* The sum or difference of something and a value that is not known. */
static struct value blur_value(struct value value)
{
	return is_given(value) ? derived : other;
}

static void step_add(struct moment *moment, int sign)
{
	const ZydisDecodedOperand *to = &moment->operands[0], *by = &moment->operands[1];
	struct value value = read_operand(moment->state, to), second;

	if (by->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		write_operand(moment->state, to,
			      add_constant(value, sign * by->imm.value.s));
		return;
	}
	second = read_operand(moment->state, by);
	write_operand(moment->state, to,
		      is_return(value) || is_return(second) ? derived
							    : blur_value(value));
}

/* Anything else: what it writes is no such value any more. */
static void step_other(struct moment *moment)
{
	for (unsigned i = 0; i < moment->instruction.operand_count; i++) {
		const ZydisDecodedOperand *operand = &moment->operands[i];

		moment->state->used |=
			(operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) &&
			is_return(read_operand(moment->state, operand));
	}
	for (unsigned i = 0; i < moment->instruction.operand_count; i++)
		if (moment->operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			write_operand(moment->state, &moment->operands[i], other);
}

static void step_exchange(struct moment *moment)
{
	struct value first = read_operand(moment->state, &moment->operands[0]);
	struct value second = read_operand(moment->state, &moment->operands[1]);

	write_operand(moment->state, &moment->operands[0], second);
	write_operand(moment->state, &moment->operands[1], first);
}

/* Handles an instruction with one of two results. */
static void step_either(struct moment *moment)
{
	write_operand(moment->state, &moment->operands[0],
		      merge_values(read_operand(moment->state, &moment->operands[0]),
				   read_operand(moment->state, &moment->operands[1])));
}

/* Barriers: lock orq $0, (%rsp). */
static bool changes_nothing(const struct moment *moment)
{
	switch (moment->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_XOR:
		return moment->operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		       !moment->operands[1].imm.value.s;
	default:
		return false;
	}
}

static void step_plain(struct moment *moment)
{
	struct state *state = moment->state;

	if (changes_nothing(moment))
		return;
	switch (moment->instruction.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		write_operand(state, &moment->operands[0],
			      read_operand(state, &moment->operands[1]));
		break;
	case ZYDIS_MNEMONIC_LEA:
		write_operand(state, &moment->operands[0],
			      address_of(state, &moment->operands[1]));
		break;
	case ZYDIS_MNEMONIC_ADD:
		step_add(moment, 1);
		break;
	case ZYDIS_MNEMONIC_SUB:
		step_add(moment, -1);
		break;
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
		write_operand(
			state, &moment->operands[0],
			add_constant(read_operand(state, &moment->operands[0]),
				     moment->instruction.mnemonic == ZYDIS_MNEMONIC_INC
					     ? 1
					     : -1));
		break;
	case ZYDIS_MNEMONIC_PUSH:
		push_value(state, read_operand(state, &moment->operands[0]));
		break;
	case ZYDIS_MNEMONIC_PUSHFQ:
		push_value(state, other);
		break;
	case ZYDIS_MNEMONIC_POP:
		write_operand(state, &moment->operands[0], pop_value(state));
		break;
	case ZYDIS_MNEMONIC_POPFQ:
		pop_value(state);
		break;
	case ZYDIS_MNEMONIC_XCHG:
		step_exchange(moment);
		break;
	case ZYDIS_MNEMONIC_LEAVE:
		*stack_pointer(state) = state->registers[RBP];
		state->registers[RBP] = pop_value(state);
		break;
	default:
		if (moment->instruction.meta.category == ZYDIS_CATEGORY_CMOV)
			step_either(moment);
		else
			step_other(moment);
	}
}

/* Whether it is another value than before. */
static bool merge_value(struct value *into, struct value from)
{
	struct value merged = merge_values(*into, from);
	bool changed = !is_same(merged, *into);

	*into = merged;
	return changed;
}

static bool merge_states(struct state *into, const struct state *from)
{
	bool changed = merge_value(&into->slot, from->slot);

	for (unsigned i = 0; i < REGISTERS; i++)
		changed |= merge_value(&into->registers[i], from->registers[i]);
	for (unsigned i = 0; i < into->kept_count; i++)
		changed |= merge_value(&into->kept[i].value,
				       read_stack(from, into->kept[i].at));
	changed |= (into->used && !from->used) || (into->stored && !from->stored);
	into->used &= from->used;
	into->stored &= from->stored;
	return changed;
}

static struct place *place_at(const struct following *following, uint64_t address)
{
	vector_for_each (&following->places, place)
		if (place->address == address)
			return place;
	return NULL;
}

/* The code at an address is to be gone through, too. */
static void lead_to(struct following *following, uint64_t address,
		    const struct state *state)
{
	struct place *place = place_at(following, address);

	if (place)
		place->waits |= merge_states(&place->state, state);
	else if (following->places.count < PLACES_MAX)
		vector_push(&following->places, ((struct place){address, *state, true}));
}

/* Whether the return address is what the function returns, and nothing else was done with
 * it: its caller has asked where it is. */
static bool tells_address(const struct state *state)
{
	return !state->used && state->registers[RAX].kind == VALUE_RETURN;
}

/* The function is left, or another called, by way of a value. `behind`: whether the
 * return address is no longer on the stack then. */
static void leave_to(struct moment *moment, struct value to, bool behind)
{
	struct following *following = moment->following;

	if (following->foreign)
		return;
	if (to.kind == VALUE_RETURN && to.offset == 1)
		note_use(following, RETURN_USE_NEXT);
	else if (is_return(to) ? to.kind == VALUE_DERIVED || to.offset : behind)
		note_use(following, RETURN_USE_BEYOND);
}

static void step_return(struct moment *moment)
{
	const struct value rsp = *stack_pointer(moment->state);
	struct value to = other;

	if (rsp.kind != VALUE_STACK || moment->following->foreign)
		return;
	to = read_stack(moment->state, rsp.offset);
	/* vfork's and its like keep it elsewhere meanwhile. Further up the depth is most
	 * likely wrong, as behind calls that do not come back. */
	leave_to(moment, to,
		 rsp.offset >= 0 && rsp.offset <= WORD && !moment->state->stored);
	if (tells_address(moment->state))
		note_use(moment->following, RETURN_USE_TOLD);
}

/* Whether rsp is known to be right above the return address's place. */
static bool is_dropped(const struct state *state)
{
	const struct value rsp = state->registers[RSP];

	return rsp.kind == VALUE_STACK && rsp.offset == WORD;
}

/* The link-time address that a direct branch leads to, through the linkage table. */
static bool find_target(const struct moment *moment, uint64_t *ret_target)
{
	const struct following *following = moment->following;
	uint64_t target = moment->next + (uint64_t)moment->operands[0].imm.value.s;
	uint64_t function = plt_function(following->image, target);

	*ret_target = function ? function : target;
	return code_map_find(&following->scan->map, *ret_target, 1) &&
	       !ranges_meet(following->image->plt.items, following->image->plt.count,
			    *ret_target, *ret_target + 1);
}

static bool is_inside(const struct following *following, uint64_t address)
{
	return address - following->start < following->end - following->start;
}

static void step_jump(struct moment *moment)
{
	const ZydisDecodedOperand *operand = &moment->operands[0];
	uint64_t target;

	if (operand->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		leave_to(moment, read_operand(moment->state, operand),
			 is_dropped(moment->state));
	else if (find_target(moment, &target))
		lead_to(moment->following, target, moment->state);
	else
		leave_to(moment, other, is_dropped(moment->state));
}

static const uint8_t arguments[] = {RDI, RSI, RDX, RCX, 8, 9};

static enum return_use follow_function(struct following *following);

/* The form in which a value of a return address is passed on by a call. */
static struct value given_value(const struct following *following, struct value value)
{
	if (!following->foreign && value.kind == VALUE_STACK && !value.offset)
		return (struct value){VALUE_PLACE, 0};
	return is_given(value) ? value : other;
}

static bool passes_place(const struct following *following, const struct state *state)
{
	for (unsigned i = 0; i < sizeof(arguments); i++)
		if (given_value(following, state->registers[arguments[i]]).kind ==
		    VALUE_PLACE)
			return true;
	return false;
}

/* Whether a function of the module that receives the return address in registers, or its
 * stack address, uses the bytes there. */
static bool uses_argument(const struct following *own, const struct state *given,
			  uint64_t target)
{
	struct following inner = {.scan = own->scan,
				  .image = own->image,
				  .decoder = own->decoder,
				  .start = target,
				  .end = target + 1,
				  .steps = own->steps,
				  .depth = own->depth + 1,
				  .foreign = true};
	struct state state = {0};

	*stack_pointer(&state) = (struct value){VALUE_STACK, 0};
	for (unsigned i = 0; i < sizeof(arguments); i++)
		state.registers[arguments[i]] =
			given_value(own, given->registers[arguments[i]]);
	lead_to(&inner, target, &state);
	return follow_function(&inner) == RETURN_USE_BEYOND ||
	       (inner.steps >= STEPS_MAX && passes_place(own, given));
}

/* Forgets registers that a call changes. Returns whether the call received the return
 * address. */
static bool forget_registers(struct state *state)
{
	static const uint8_t lost[] = {RAX, RCX, RDX, RSI, RDI, 8, 9, 10, 11};
	bool given = false;

	for (unsigned i = 0; i < sizeof(arguments); i++)
		given |= is_return(state->registers[arguments[i]]);
	for (unsigned i = 0; i < sizeof(lost); i++)
		state->registers[lost[i]] = other;
	return given;
}

/* Whether the callee of a call that receives the return address, or its stack address,
 * may use the bytes there. Functions of other modules may if they receive the stack
 * address directly; otherwise it is most likely left over in a register. */
static bool gives_away(const struct following *following, const struct state *before,
		       const uint64_t *target)
{
	bool place = passes_place(following, before);

	if (!target)
		return place && !following->foreign;
	if (following->depth == DEPTH_MAX)
		return place;
	return uses_argument(following, before, *target);
}

static void step_call(struct moment *moment)
{
	const ZydisDecodedOperand *operand = &moment->operands[0];
	struct following *following = moment->following;
	const struct state before = *moment->state;
	struct state inner = before;
	uint64_t target = 0;
	bool known = false, given;

	if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		known = find_target(moment, &target);
	else
		leave_to(moment, read_operand(moment->state, operand), false);
	if (known && is_inside(following, target) && target != following->start) {
		push_value(&inner, other);
		lead_to(following, target, &inner);
	}
	given = forget_registers(moment->state);
	moment->state->used |= given;
	if ((given || passes_place(following, &before)) &&
	    gives_away(following, &before, known ? &target : NULL))
		note_use(following, RETURN_USE_BEYOND);
}

/* Handles an instruction. Returns whether the next one is executed next. */
static bool step_instruction(struct moment *moment)
{
	struct state *state = moment->state;
	uint64_t target;

	look_at_memory(moment);
	switch (moment->instruction.meta.category) {
	case ZYDIS_CATEGORY_RET:
		step_return(moment);
		return false;
	case ZYDIS_CATEGORY_UNCOND_BR:
		step_jump(moment);
		return false;
	case ZYDIS_CATEGORY_COND_BR:
		if (find_target(moment, &target))
			lead_to(moment->following, target, state);
		return true;
	case ZYDIS_CATEGORY_CALL:
		step_call(moment);
		return true;
	case ZYDIS_CATEGORY_SYSCALL:
		state->registers[RAX] = state->registers[RCX] = state->registers[11] =
			other;
		return true;
	case ZYDIS_CATEGORY_INTERRUPT:
		return false;
	default:
		break;
	}
	if (moment->instruction.mnemonic == ZYDIS_MNEMONIC_UD2 ||
	    moment->instruction.mnemonic == ZYDIS_MNEMONIC_HLT)
		return false;
	step_plain(moment);
	return true;
}

static bool decode_next(struct moment *moment)
{
	const struct following *following = moment->following;
	const struct code_segment *segment =
		code_map_find(&following->scan->map, moment->address, 1);
	size_t offset;

	if (!segment)
		return false;
	offset = moment->address - segment->address;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(
		    &following->decoder, segment->bytes + offset, segment->size - offset,
		    &moment->instruction, moment->operands)))
		return false;
	moment->next = moment->address + moment->instruction.length;
	return true;
}

/* Whether a call never returns, judged by the bytes behind it: another function, or
 * padding in front of it. */
static bool is_end(const struct moment *moment, bool called)
{
	const struct following *following = moment->following;

	if (!called)
		return false;
	return moment->next == following->end ||
	       code_map_function_at(&following->scan->map, moment->next) >= 0 ||
	       (moment->instruction.mnemonic == ZYDIS_MNEMONIC_NOP &&
		!is_inside(following, moment->address));
}

/* From one place to where nothing runs on, or another is. */
static void follow_one(struct following *following, size_t number)
{
	struct state state = following->places.items[number].state;
	struct moment moment = {.following = following,
				.state = &state,
				.address = following->places.items[number].address};

	bool called = false;

	following->places.items[number].waits = false;
	while (following->found != RETURN_USE_BEYOND && following->steps++ < STEPS_MAX &&
	       decode_next(&moment) && step_instruction(&moment)) {
		if (moment.instruction.mnemonic != ZYDIS_MNEMONIC_NOP)
			called = moment.instruction.meta.category == ZYDIS_CATEGORY_CALL;
		if (is_end(&moment, called))
			return;
		moment.address = moment.next;
		if (place_at(following, moment.address)) {
			lead_to(following, moment.address, &state);
			return;
		}
	}
}

static enum return_use follow_function(struct following *following)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < following->places.count; i++) {
			if (!following->places.items[i].waits)
				continue;
			more = true;
			follow_one(following, i);
		}
	}
	vector_deinit(&following->places);
	return following->found;
}

enum return_use return_use_find(const struct scan *scan, const struct image *image,
				uint64_t address, uint64_t start, uint64_t end)
{
	struct following following = {
		.scan = scan, .image = image, .start = start, .end = end};
	struct state state = {0};

	ZydisDecoderInit(&following.decoder, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	*stack_pointer(&state) = (struct value){VALUE_STACK, 0};
	state.slot = (struct value){VALUE_RETURN, 0};
	lead_to(&following, address, &state);
	return follow_function(&following);
}
