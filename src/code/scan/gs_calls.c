/*
 * Arguments of system calls, as far as the code of one function tells: values of
 * registers and of words on the stack are tracked through it, from its first instruction
 * on, until nothing changes.
 */
#include "code/scan/gs_calls.h"

#include "base/table.h"
#include "code/scan/gs.h"
#include "code/scan/plt.h"
#include "image/find.h"
#include "image/imports.h"
#include "x86/decode.h"

#include <string.h>

/* Kinds of values; a value may be any of several. */
enum value_kind {
	VALUE_NUMBER = 1,   /* SYS_arch_prctl */
	VALUE_SET_GS = 2,   /* ARCH_SET_GS */
	VALUE_OTHER = 4,    /* another constant */
	VALUE_ARGUMENT = 8, /* what a register had at the entry */
	VALUE_STACKED = 16, /* above the return address at the entry */
	VALUE_FRAME = 32,   /* an address: that of the entry's rsp, and `at` */
	VALUE_ANY = 64,
};

enum { NUMBER = 158, SET_GS = 0x1001 };
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, REGISTERS = 16 };
enum {
	CALL_CHANGES = 0xfc7,
	/* rax, rcx, rdx, rsi, rdi, r8 to r11 */ KERNEL_CHANGES = 0x803
};
enum { SWEEPS_MAX = 64, SIZE_MAX_FOLLOWED = 32 << 10, WINDOW = 24 };

struct value {
	uint8_t kinds; /* enum value_kind; 0: nothing leads here yet */
	int32_t at;
};

struct state {
	struct value registers[REGISTERS];
};

/* A word on the stack: all that is ever stored there. */
struct slot {
	int32_t at;
	uint8_t kinds;
};

struct flow {
	const struct scan *scan;
	const struct image *image;
	const struct code_segment *segment;
	uint64_t start;
	size_t size;
	const uint8_t *bytes;
	struct table labels; /* by offset: 1 + index of states */
	struct VECTOR(struct state) states;
	struct VECTOR(struct slot) slots;
	bool indirect; /* it has an indirect jump, which may lead to any of it */
	bool grows;    /* a sweep found something new */
	bool settled;  /* the next one will not */
	enum gs_verdict verdict;
};

static struct value make_constant(int64_t number)
{
	uint32_t low = (uint32_t)number;

	return (struct value){.kinds = low == NUMBER   ? VALUE_NUMBER
				       : low == SET_GS ? VALUE_SET_GS
						       : VALUE_OTHER};
}

static void fill_state(struct state *state, uint8_t kinds)
{
	for (int i = 0; i < REGISTERS; i++)
		state->registers[i] = (struct value){.kinds = kinds};
}

static bool merge_value(struct value *into, struct value from)
{
	const struct value before = *into;

	if ((into->kinds & from.kinds & VALUE_FRAME) && into->at != from.at)
		from.kinds |= VALUE_ANY;
	if (!(into->kinds & VALUE_FRAME))
		into->at = from.at;
	into->kinds |= from.kinds;
	return into->kinds != before.kinds;
}

static struct slot *slot_at(struct flow *flow, int32_t at)
{
	vector_for_each (&flow->slots, slot)
		if (slot->at == at)
			return slot;
	struct slot *slot = vector_add(&flow->slots);

	slot->at = at;
	return slot;
}

static void store_value(struct flow *flow, int32_t at, uint8_t kinds)
{
	struct slot *slot = slot_at(flow, at);

	if (kinds & VALUE_FRAME)
		kinds = (kinds & ~VALUE_FRAME) | VALUE_ANY;
	flow->grows |= (slot->kinds | kinds) != slot->kinds;
	slot->kinds |= kinds;
}

static struct value load_value(struct flow *flow, struct value base, int64_t displacement)
{
	enum { WORD = 8 };
	int64_t at = base.at + displacement;
	uint8_t kinds;

	if (base.kinds != VALUE_FRAME || at != (int32_t)at)
		return (struct value){.kinds = VALUE_ANY};
	if (at >= WORD)
		return (struct value){.kinds = VALUE_STACKED};
	kinds = slot_at(flow, (int32_t)at)->kinds;
	return (struct value){.kinds = kinds ? kinds : VALUE_ANY};
}

static struct value source_of(struct flow *flow, const struct state *state,
			      const struct decode_transfer *transfer)
{
	struct value base = {.kinds = VALUE_ANY};

	if (transfer->base >= 0)
		base = state->registers[transfer->base];
	switch (transfer->from) {
	case DECODE_CONSTANT:
		return make_constant(transfer->constant);
	case DECODE_REGISTER:
		return state->registers[transfer->source];
	case DECODE_MEMORY:
		return load_value(flow, base, transfer->displacement);
	case DECODE_ADDRESS:
		base.at += (int32_t)transfer->displacement;
		return base.kinds == VALUE_FRAME ? base
						 : (struct value){.kinds = VALUE_ANY};
	default:
		return (struct value){.kinds = VALUE_ANY};
	}
}

/* Applies an instruction to the values. */
static void step_instruction(struct flow *flow, struct state *state, const uint8_t *bytes,
			     const struct brief *brief)
{
	struct decode_transfer transfer;
	struct value value, base = {0};
	uint32_t changed = 0;

	if (brief->kind == BRIEF_CALL32 || brief->kind == BRIEF_CALL_INDIRECT)
		changed = CALL_CHANGES;
	else if (brief->kind == BRIEF_SYSCALL)
		changed = KERNEL_CHANGES;
	else if (!decode_transfer(bytes, brief->length, &transfer))
		changed = UINT16_MAX;
	for (int i = 0; i < REGISTERS; i++)
		if (changed >> i & 1)
			state->registers[i] = (struct value){.kinds = VALUE_ANY};
	if (changed)
		return;
	state->registers[RSP].at -= transfer.pushed;
	value = source_of(flow, state, &transfer);
	if (transfer.base >= 0)
		base = state->registers[transfer.base];
	for (int i = 0; i < REGISTERS; i++)
		if (transfer.written >> i & 1)
			state->registers[i] = (struct value){.kinds = VALUE_ANY};
	if (transfer.to == DECODE_REGISTER)
		state->registers[transfer.target] = value;
	if (transfer.stores && base.kinds == VALUE_FRAME)
		store_value(flow, base.at + (int32_t)transfer.displacement,
			    transfer.to == DECODE_MEMORY ? value.kinds : VALUE_ANY);
	/* Others may write there, if they get the address. */
	if (transfer.from == DECODE_ADDRESS && value.kinds == VALUE_FRAME &&
	    transfer.target != RSP && transfer.target != RBP)
		store_value(flow, value.at, VALUE_ANY);
}

static void raise_verdict(struct flow *flow, enum gs_verdict verdict)
{
	if (verdict > flow->verdict)
		flow->verdict = verdict;
}

static void judge_kernel(struct flow *flow, const struct state *state)
{
	const uint8_t unknown = VALUE_ARGUMENT | VALUE_FRAME | VALUE_ANY;
	uint8_t number = state->registers[RAX].kinds, code = state->registers[RDI].kinds;
	bool is_call = number & VALUE_NUMBER, is_code = code & VALUE_SET_GS;

	if (number & VALUE_STACKED)
		number |= is_code ? VALUE_ANY : 0;
	if (code & VALUE_STACKED)
		code |= is_call ? VALUE_ANY : 0;
	if (!(number & (VALUE_NUMBER | unknown)) || !(code & (VALUE_SET_GS | unknown)))
		return;
	if (number == VALUE_NUMBER && code == VALUE_SET_GS)
		raise_verdict(flow, GS_SET);
	else if (is_call && is_code)
		raise_verdict(flow, GS_PERHAPS);
	else if (is_call)
		raise_verdict(flow, (code & unknown) == VALUE_ARGUMENT ? GS_BY_CODE
								       : GS_PERHAPS);
	else if (is_code)
		raise_verdict(flow, GS_PERHAPS);
	else if (((number | code) & unknown) == VALUE_ARGUMENT)
		raise_verdict(flow, GS_BY_ARGUMENTS);
	else
		raise_verdict(flow, GS_UNKNOWN);
}

/* The name of what a call or jump leads to, be it in another module; NULL: none. */
static const char *callee_name(const struct flow *flow, uint64_t target,
			       bool through_word)
{
	const struct image *image = flow->image;
	uint64_t word = through_word ? target : plt_word(image, target);
	const struct image_link *link = word ? image_link_at(image, word) : NULL;
	size_t index;

	if (word && !link)
		return image_import_at(image, word);
	index = image_function_at(image, link ? link->function : target);
	return index < image->functions.count
		       ? image->names.items + image->functions.items[index].name
		       : NULL;
}

static void judge_call(struct flow *flow, const struct state *state, size_t at,
		       const struct brief *brief)
{
	const uint8_t *end = flow->bytes + at + brief->length;
	uint8_t first = state->registers[RDI].kinds, second = state->registers[RSI].kinds;
	bool numbered = first == VALUE_NUMBER && second == VALUE_SET_GS;
	uint64_t behind = flow->start + at + brief->length, target;
	const char *name;

	if (!numbered && first != VALUE_SET_GS)
		return;
	if (brief->relative)
		target = behind +
			 length_displacement(flow->bytes + at + brief->relative, 4);
	else if (brief->kind == BRIEF_CALL32 || brief->kind == BRIEF_JUMP32)
		target = behind + length_distance(end, brief);
	else
		return;
	name = callee_name(flow, target, brief->relative);
	if (name && !strcmp(name, numbered ? "syscall" : "arch_prctl"))
		raise_verdict(flow, GS_SET);
}

static void judge_instruction(struct flow *flow, const struct state *state, size_t at,
			      const struct brief *brief)
{
	switch (brief->kind) {
	case BRIEF_SYSCALL:
		judge_kernel(flow, state);
		break;
	case BRIEF_CALL32:
	case BRIEF_CALL_INDIRECT:
	case BRIEF_JUMP32:
	case BRIEF_JUMP_INDIRECT:
		judge_call(flow, state, at, brief);
		break;
	default:
		break;
	}
}

static bool leaves_code(const struct brief *brief)
{
	return brief->kind == BRIEF_JUMP8 || brief->kind == BRIEF_JUMP32 ||
	       brief->kind == BRIEF_JUMP_INDIRECT || brief->kind == BRIEF_STOP;
}

static struct state *label_at(struct flow *flow, size_t offset)
{
	bool new;
	uint64_t *index = table_insert(&flow->labels, offset, &new);

	if (new) {
		vector_add(&flow->states);
		*index = flow->states.count - 1;
	}
	return &flow->states.items[*index];
}

static void merge_into(struct flow *flow, size_t offset, const struct state *from)
{
	struct state *label = label_at(flow, offset);

	for (int i = 0; i < REGISTERS; i++)
		flow->grows |= merge_value(&label->registers[i], from->registers[i]);
}

/* Whether it is a branch to an offset of the range. */
static bool count_branches(const struct flow *flow, size_t at, const struct brief *brief,
			   size_t *ret_target)
{
	const uint8_t *end = flow->bytes + at + brief->length;

	if (brief->kind != BRIEF_JUMP8 && brief->kind != BRIEF_JUMP32 &&
	    brief->kind != BRIEF_CONDITION8 && brief->kind != BRIEF_CONDITION32)
		return false;
	*ret_target = at + brief->length + length_distance(end, brief);
	return *ret_target < flow->size;
}

static void find_labels(struct flow *flow)
{
	struct brief brief;
	size_t target;

	for (size_t at = 0; at < flow->size; at += brief.length) {
		if (!length_decode(flow->bytes + at, flow->size - at, &brief))
			return;
		if (count_branches(flow, at, &brief, &target))
			label_at(flow, target);
	}
}

/* The state at an offset, with what leads there by branches. `runs`: the instruction in
 * front goes on there. False: nothing leads there. */
static bool enter_at(struct flow *flow, struct state *state, size_t at, bool runs,
		     bool padding)
{
	size_t base = flow->start - flow->segment->address;
	uint64_t index;

	if (runs && table_find(&flow->labels, at, NULL))
		merge_into(flow, at, state);
	if (table_find(&flow->labels, at, &index)) {
		*state = flow->states.items[index];
		return state->registers[RSP].kinds != 0;
	}
	if (runs)
		return true;
	fill_state(state, VALUE_ANY);
	return !padding &&
	       (flow->indirect || bit_test(flow->segment->reached, base + at));
}

/* Once through the code, in its order. */
static void sweep_range(struct flow *flow)
{
	struct state state;
	struct brief brief;
	size_t target;
	bool runs = true;

	fill_state(&state, VALUE_ARGUMENT);
	state.registers[RSP] = (struct value){.kinds = VALUE_FRAME};
	for (size_t at = 0; at < flow->size; at += brief.length) {
		if (!length_decode(flow->bytes + at, flow->size - at, &brief))
			return;
		runs = enter_at(flow, &state, at, runs, brief.kind == BRIEF_NOP);
		if (!runs)
			continue;
		if (flow->settled)
			judge_instruction(flow, &state, at, &brief);
		step_instruction(flow, &state, flow->bytes + at, &brief);
		if (count_branches(flow, at, &brief, &target))
			merge_into(flow, target, &state);
		runs = !leaves_code(&brief);
	}
}

/* Gives unknown values to targets of jump tables. */
static void expose_labels(struct flow *flow)
{
	size_t base = flow->start - flow->segment->address;
	struct state any;

	fill_state(&any, VALUE_ANY);
	for (size_t at = bits_next(flow->segment->reached, base + 1, base + flow->size);
	     at < base + flow->size;
	     at = bits_next(flow->segment->reached, at + 1, base + flow->size))
		merge_into(flow, at - base, &any);
}

/* Computes the state in front of an instruction from the straight line of the last ones.
 */
static void replay_window(struct flow *flow, const size_t *window, size_t count,
			  struct state *ret_state)
{
	fill_state(ret_state, VALUE_ANY);
	for (size_t i = count < WINDOW ? 0 : count - WINDOW; i < count; i++) {
		size_t at = window[i % WINDOW];
		struct brief brief;

		length_decode(flow->bytes + at, flow->size - at, &brief);
		step_instruction(flow, ret_state, flow->bytes + at, &brief);
	}
}

/* mov $ARCH_SET_GS to a register */
static bool is_code(const uint8_t *bytes, const struct brief *brief)
{
	return brief->kind == BRIEF_CONSTANT && brief->immediate >= 4 &&
	       length_displacement(bytes + brief->length - brief->immediate, 4) == SET_GS;
}

/* Examines only the straight line in front of each call: enough for most calls, and fast.
 */
static void follow_lines(struct flow *flow)
{
	size_t window[WINDOW], count = 0;
	size_t base = flow->start - flow->segment->address;
	bool code = false;
	struct brief brief;

	for (size_t at = 0; at < flow->size; at += brief.length) {
		struct state state;

		if (!length_decode(flow->bytes + at, flow->size - at, &brief))
			return;
		if (bit_test(flow->segment->reached, base + at))
			count = 0, code = false;
		if (brief.kind == BRIEF_SYSCALL ||
		    (code &&
		     (brief.kind == BRIEF_CALL32 || brief.kind == BRIEF_CALL_INDIRECT ||
		      brief.kind == BRIEF_JUMP32 || brief.kind == BRIEF_JUMP_INDIRECT))) {
			replay_window(flow, window, count, &state);
			judge_instruction(flow, &state, at, &brief);
		}
		code |= is_code(flow->bytes + at, &brief);
		window[count++ % WINDOW] = at;
		if (leaves_code(&brief))
			count = 0, code = false;
	}
}

/* All of it, until nothing new is found. */
static void follow_ways(struct flow *flow)
{
	unsigned sweeps = 0;

	find_labels(flow);
	if (flow->indirect)
		expose_labels(flow);
	do {
		flow->grows = false;
		sweep_range(flow);
	} while (flow->grows && ++sweeps < SWEEPS_MAX);
	flow->settled = true;
	flow->verdict = GS_NEVER;
	sweep_range(flow);
}

enum gs_verdict gs_of_calls(const struct scan *scan, const struct image *image,
			    const struct gs_suspect *suspect)
{
	struct flow flow = {.scan = scan,
			    .image = image,
			    .segment = code_map_find(&scan->map, suspect->start, 1),
			    .start = suspect->start,
			    .size = suspect->stop - suspect->start,
			    .indirect = suspect->indirect};

	if (!flow.segment)
		return GS_NEVER;
	flow.bytes = flow.segment->bytes + (suspect->start - flow.segment->address);
	follow_lines(&flow);
	if (flow.size <= SIZE_MAX_FOLLOWED && flow.verdict)
		follow_ways(&flow);
	/* The entry of a large range is not the only one, and says nothing of it. */
	else if (flow.verdict < GS_PERHAPS)
		flow.verdict = GS_NEVER;
	table_deinit(&flow.labels);
	vector_deinit(&flow.states);
	vector_deinit(&flow.slots);
	return flow.verdict;
}
