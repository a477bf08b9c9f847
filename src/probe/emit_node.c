#include "probe/emit_node.h"

#include "base/array.h"
#include "probe/emit_float.h"
#include "wire/bank.h"
#include "wire/probes.h"

#include <string.h>

static struct probe_node node_of(const struct probe_emit *emit, uint32_t node)
{
	return emit->site->nodes.items[node];
}

/* A register with a value of the program. */
static int load_value(struct probe_emit *emit, struct recipe_value value)
{
	int number = recipe_take(emit->recipe);

	recipe_value(emit->recipe, number, value);
	return number;
}

int probe_emit_bank(struct probe_emit *emit)
{
	return load_value(emit, (struct recipe_value){.kind = RECIPE_BANK});
}

enum { REGISTER_RSP = 4, CALL_SIZE_BITS = 7, LOOP_DISTANCE = 5003 };

_Static_assert(sizeof(struct wire_probe_call) == 1 << CALL_SIZE_BITS,
	       "rows of calls are found by shifts");

int probe_emit_ticks(struct probe_emit *emit)
{
	int ticks = recipe_take(emit->recipe);

	recipe_value(emit->recipe, ticks, (struct recipe_value){.kind = RECIPE_TIME});
	return ticks;
}

void probe_emit_row(struct probe_emit *emit)
{
	struct recipe *recipe = emit->recipe;
	int bank = probe_emit_bank(emit);

	recipe_value(
		recipe, emit->frame,
		(struct recipe_value){.kind = RECIPE_REGISTER, .number = REGISTER_RSP});
	recipe_shift(recipe, RECIPE_RIGHT, emit->frame, WIRE_PROBE_CALL_SHIFT);
	/* Rows of loops that are in the same call must not be the same. */
	if (emit->loop >= WIRE_PROBE_CELLS)
		recipe_compute_constant(recipe, RECIPE_PLUS, emit->frame,
					emit->loop / WIRE_PROBE_CELLS * LOOP_DISTANCE);
	recipe_compute_constant(recipe, RECIPE_AND, emit->frame,
				emit->loop < 0 ? WIRE_PROBE_CALLS - 1
					       : WIRE_PROBE_LOOPS - 1);
	recipe_shift(recipe, RECIPE_LEFT, emit->frame, CALL_SIZE_BITS);
	recipe_compute(recipe, RECIPE_PLUS, emit->frame, bank);
	recipe_compute_constant(recipe, RECIPE_PLUS, emit->frame,
				emit->loop < 0 ? PROBE_AREA(emit, calls)
					       : PROBE_AREA(emit, loops));
	recipe_give_back(recipe, bank);
}

/* Nodes that a value of recipes is. */
static const struct {
	bool is;
	uint8_t kind;
} values[] = {
	[PROBE_NODE_RESULT] = {true, RECIPE_RETURN},
	[PROBE_NODE_VECTOR] = {true, RECIPE_VECTOR_LOW},
	[PROBE_NODE_CALLER] = {true, RECIPE_CALLER},
	[PROBE_NODE_PC] = {true, RECIPE_PC},
	[PROBE_NODE_THREAD] = {true, RECIPE_THREAD},
	[PROBE_NODE_CONSTANT] = {true, RECIPE_CONSTANT},
	[PROBE_NODE_REGISTER] = {true, RECIPE_REGISTER},
	[PROBE_NODE_ARGUMENT] = {true, RECIPE_ARGUMENT},
	[PROBE_NODE_ADDRESS] = {true, RECIPE_MODULE},
};

static bool emit_simple(struct probe_emit *emit, const struct probe_node *node,
			int *ret_number)
{
	if (node->kind >= array_count(values) || !values[node->kind].is)
		return false;
	*ret_number = load_value(emit, (struct recipe_value){
					       .kind = values[node->kind].kind,
					       .number = (uint8_t)node->number,
					       .constant = node->number,
				       });
	return true;
}

/* Ticks since `from` become ns. */
static void make_ns(struct probe_emit *emit, int ticks, int from)
{
	int bank = probe_emit_bank(emit);

	recipe_compute(emit->recipe, RECIPE_MINUS, ticks, from);
	recipe_load_own(emit->recipe, bank, bank, PROBE_AREA(emit, scale));
	recipe_compute(emit->recipe, RECIPE_TIMES, ticks, bank);
	recipe_shift(emit->recipe, RECIPE_RIGHT, ticks, WIRE_PROBE_SCALE);
	recipe_give_back(emit->recipe, bank);
}

static int emit_time(struct probe_emit *emit, bool elapsed)
{
	int ticks = probe_emit_ticks(emit), from;

	if (elapsed) {
		from = recipe_take(emit->recipe);
		recipe_load_own(emit->recipe, from, emit->frame,
				offsetof(struct wire_probe_call, ticks));
	} else {
		from = probe_emit_bank(emit);
		recipe_load_own(emit->recipe, from, from, PROBE_AREA(emit, begin));
	}
	make_ns(emit, ticks, from);
	recipe_give_back(emit->recipe, from);
	return ticks;
}

static int emit_cell(struct probe_emit *emit, const struct probe_node *node)
{
	int number;

	if (node->kind == PROBE_NODE_CALL_CELL || node->kind == PROBE_NODE_TRIPS) {
		const size_t cell = node->kind == PROBE_NODE_TRIPS
					    ? (size_t)emit->loop % WIRE_PROBE_CELLS
					    : (size_t)node->number;

		number = recipe_take(emit->recipe);
		recipe_load_own(
			emit->recipe, number, emit->frame,
			(int32_t)(offsetof(struct wire_probe_call, cells) + 8 * cell));
		return number;
	}
	number = probe_emit_bank(emit);
	recipe_load_own(emit->recipe, number, number,
			PROBE_AREA(emit, variables) + 8 * (int32_t)node->number);
	return number;
}

static int emit_access(struct probe_emit *emit, const struct probe_node *node)
{
	uint8_t kind = node->kind == PROBE_NODE_ACCESS ? RECIPE_ADDRESS : RECIPE_LOADED;

	if (node->kind == PROBE_NODE_ACCESS_SIZE)
		return load_value(emit, (struct recipe_value){.kind = RECIPE_CONSTANT,
							      .constant = emit->size});
	return load_value(emit, (struct recipe_value){.kind = kind,
						      .number = (uint8_t)emit->operand});
}

/* An address that is a constant more than another goes into the instruction. */
static int emit_load(struct probe_emit *emit, const struct probe_node *node)
{
	struct probe_node base = node_of(emit, node->first);
	int32_t displacement = 0;
	uint32_t from = node->first;

	if (base.kind == PROBE_NODE_BINARY && base.symbol == PROBE_PLUS) {
		struct probe_node second = node_of(emit, base.second);

		if (second.kind == PROBE_NODE_CONSTANT &&
		    second.number == (int32_t)second.number) {
			displacement = (int32_t)second.number;
			from = base.first;
		}
	}
	int number = probe_emit_node(emit, from);

	recipe_load(emit->recipe, number, number, displacement, node->size,
		    node->is_signed, emit->error);
	return number;
}

static int emit_bits(struct probe_emit *emit, const struct probe_node *node)
{
	int number = probe_emit_node(emit, node->first);
	unsigned above = 64 - node->size - (unsigned)node->number;

	if (above)
		recipe_shift(emit->recipe, RECIPE_LEFT, number, above);
	if (node->size < 64)
		recipe_shift(emit->recipe,
			     node->is_signed ? RECIPE_RIGHT_SIGNED : RECIPE_RIGHT, number,
			     64u - node->size);
	return number;
}

static int emit_extend(struct probe_emit *emit, const struct probe_node *node)
{
	int number = probe_emit_node(emit, node->first);

	recipe_extend(emit->recipe, number, node->size, node->is_signed);
	return number;
}

/* 1 or 0. */
static int emit_truth(struct probe_emit *emit, uint32_t node)
{
	struct recipe *recipe = emit->recipe;
	int no = recipe_label(recipe), end = recipe_label(recipe), number;

	probe_emit_branch(emit, node, false, no);
	number = recipe_take(recipe);
	recipe_compute_constant(recipe, RECIPE_MOVE, number, 1);
	recipe_skip(recipe, end);
	recipe_place_label(recipe, no);
	recipe_compute_constant(recipe, RECIPE_MOVE, number, 0);
	recipe_place_label(recipe, end);
	return number;
}

static int emit_unary(struct probe_emit *emit, uint32_t index)
{
	struct probe_node node = node_of(emit, index);
	int number;

	if (node.symbol == PROBE_NOT)
		return emit_truth(emit, index);
	number = probe_emit_node(emit, node.first);
	recipe_compute_constant(emit->recipe, RECIPE_XOR, number, -1);
	if (node.symbol == PROBE_NEGATE)
		recipe_compute_constant(emit->recipe, RECIPE_PLUS, number, 1);
	return number;
}

static const struct {
	bool is;
	uint8_t operation; /* enum recipe_operation */
} operations[] = {
	[PROBE_BIT_OR] = {true, RECIPE_OR},   [PROBE_BIT_XOR] = {true, RECIPE_XOR},
	[PROBE_BIT_AND] = {true, RECIPE_AND}, [PROBE_PLUS] = {true, RECIPE_PLUS},
	[PROBE_MINUS] = {true, RECIPE_MINUS}, [PROBE_TIMES] = {true, RECIPE_TIMES},
};

static int emit_operation(struct probe_emit *emit, const struct probe_node *node)
{
	enum recipe_operation operation =
		(enum recipe_operation)operations[node->symbol].operation;
	struct probe_node second = node_of(emit, node->second);
	int number = probe_emit_node(emit, node->first), other;

	if (second.kind == PROBE_NODE_CONSTANT) {
		recipe_compute_constant(emit->recipe, operation, number, second.number);
		return number;
	}
	other = probe_emit_node(emit, node->second);
	recipe_compute(emit->recipe, operation, number, other);
	recipe_give_back(emit->recipe, other);
	return number;
}

/* A division by 0, and the one whose quotient has no room, have no value. */
static int emit_division(struct probe_emit *emit, const struct probe_node *node)
{
	struct recipe *recipe = emit->recipe;
	int number = probe_emit_node(emit, node->first);
	int other = probe_emit_node(emit, node->second);

	recipe_skip_if_constant(recipe, other, RECIPE_EQUAL, 0, emit->error);
	if (node->is_signed)
		recipe_skip_if_constant(recipe, other, RECIPE_EQUAL, -1, emit->error);
	recipe_divide(recipe, number, other, node->is_signed, node->symbol == PROBE_REST);
	recipe_give_back(recipe, other);
	return number;
}

static int emit_shift(struct probe_emit *emit, const struct probe_node *node)
{
	int number = probe_emit_node(emit, node->first);

	recipe_shift(emit->recipe,
		     node->symbol == PROBE_SHIFT_LEFT ? RECIPE_LEFT
		     : node->is_signed                ? RECIPE_RIGHT_SIGNED
						      : RECIPE_RIGHT,
		     number, (unsigned)node_of(emit, node->second).number);
	return number;
}

static int emit_binary(struct probe_emit *emit, uint32_t index)
{
	struct probe_node node = node_of(emit, index);

	if (node.symbol < array_count(operations) && operations[node.symbol].is)
		return emit_operation(emit, &node);
	if (node.symbol == PROBE_DIVIDE || node.symbol == PROBE_REST)
		return emit_division(emit, &node);
	if (node.symbol == PROBE_SHIFT_LEFT || node.symbol == PROBE_SHIFT_RIGHT)
		return emit_shift(emit, &node);
	return emit_truth(emit, index);
}

/* A word in the head of the bank, which the library in the program has written. */
static int emit_head(struct probe_emit *emit, size_t offset)
{
	int number = probe_emit_bank(emit);

	recipe_load_own(emit->recipe, number, number, (int32_t)offset);
	return number;
}

int probe_emit_node(struct probe_emit *emit, uint32_t index)
{
	struct probe_node node = node_of(emit, index);
	int number;

	if (emit_simple(emit, &node, &number))
		return number;
	switch (node.kind) {
	case PROBE_NODE_TIME:
	case PROBE_NODE_ELAPSED:
		return emit_time(emit, node.kind == PROBE_NODE_ELAPSED);
	case PROBE_NODE_THREAD_CELL:
	case PROBE_NODE_CALL_CELL:
	case PROBE_NODE_TRIPS:
		return emit_cell(emit, &node);
	case PROBE_NODE_ACCESS:
	case PROBE_NODE_ACCESS_SIZE:
	case PROBE_NODE_ACCESS_VALUE:
		return emit_access(emit, &node);
	case PROBE_NODE_REGION:
		return emit_head(emit, offsetof(struct wire_bank, context));
	case PROBE_NODE_PHASE:
		return emit_head(emit, offsetof(struct wire_bank, view));
	case PROBE_NODE_FLOAT:
		number = probe_emit_node(emit, node.first);
		probe_emit_float(emit, number, node.size, node.number);
		return number;
	case PROBE_NODE_LOAD:
		return emit_load(emit, &node);
	case PROBE_NODE_BITS:
		return emit_bits(emit, &node);
	case PROBE_NODE_EXTEND:
		return emit_extend(emit, &node);
	case PROBE_NODE_UNARY:
		return emit_unary(emit, index);
	case PROBE_NODE_BINARY:
		return emit_binary(emit, index);
	case PROBE_NODE_SAME_TEXT:
		return emit_truth(emit, index);
	case PROBE_NODE_STRING:
		return probe_emit_node(emit, node.first);
	default:
		return load_value(emit, (struct recipe_value){.kind = RECIPE_CONSTANT});
	}
}

/* Conditions of comparisons, of signed numbers and of unsigned ones. */
static const struct {
	bool is;
	uint8_t with_sign, without, otherwise, otherwise_without;
} comparisons[] = {
	[PROBE_EQUAL] = {true, RECIPE_EQUAL, RECIPE_EQUAL, RECIPE_NOT_EQUAL,
			 RECIPE_NOT_EQUAL},
	[PROBE_UNEQUAL] = {true, RECIPE_NOT_EQUAL, RECIPE_NOT_EQUAL, RECIPE_EQUAL,
			   RECIPE_EQUAL},
	[PROBE_LESS] = {true, RECIPE_LESS, RECIPE_BELOW, RECIPE_NOT_LESS,
			RECIPE_AT_LEAST},
	[PROBE_LESS_EQUAL] = {true, RECIPE_NOT_GREATER, RECIPE_AT_MOST, RECIPE_GREATER,
			      RECIPE_ABOVE},
	[PROBE_GREATER] = {true, RECIPE_GREATER, RECIPE_ABOVE, RECIPE_NOT_GREATER,
			   RECIPE_AT_MOST},
	[PROBE_GREATER_EQUAL] = {true, RECIPE_NOT_LESS, RECIPE_AT_LEAST, RECIPE_LESS,
				 RECIPE_BELOW},
};

static enum recipe_condition condition_of(const struct probe_node *node, bool when)
{
	if (node->is_signed)
		return (enum recipe_condition)(
			when ? comparisons[node->symbol].with_sign
			     : comparisons[node->symbol].otherwise);
	return (enum recipe_condition)(
		when ? comparisons[node->symbol].without
		     : comparisons[node->symbol].otherwise_without);
}

static void branch_comparison(struct probe_emit *emit, const struct probe_node *node,
			      bool when, int label)
{
	enum recipe_condition condition = condition_of(node, when);
	struct probe_node second = node_of(emit, node->second);
	int number = probe_emit_node(emit, node->first), other;

	if (second.kind == PROBE_NODE_CONSTANT &&
	    second.number == (int32_t)second.number) {
		recipe_skip_if_constant(emit->recipe, number, condition,
					(int32_t)second.number, label);
	} else {
		other = probe_emit_node(emit, node->second);
		recipe_skip_if(emit->recipe, number, condition, other, label);
		recipe_give_back(emit->recipe, other);
	}
	recipe_give_back(emit->recipe, number);
}

/* a || b, a && b: the second side only where the first one does not decide. */
static void branch_both(struct probe_emit *emit, const struct probe_node *node, bool when,
			int label)
{
	bool decides = node->symbol == PROBE_OR;

	if (when == decides) {
		probe_emit_branch(emit, node->first, when, label);
		probe_emit_branch(emit, node->second, when, label);
		return;
	}
	int end = recipe_label(emit->recipe);

	probe_emit_branch(emit, node->first, decides, end);
	probe_emit_branch(emit, node->second, when, label);
	recipe_place_label(emit->recipe, end);
}

/* Byte by byte, up to the first that differs: what is behind a shorter string's end need
 * not be readable. */
static void branch_text(struct probe_emit *emit, const struct probe_node *node, bool when,
			int label)
{
	struct recipe *recipe = emit->recipe;
	int no = when ? recipe_label(recipe) : label;
	int address = probe_emit_node(emit, node->first), byte = recipe_take(recipe);

	for (size_t i = 0; i <= strlen(node->text); i++) {
		recipe_load(recipe, byte, address, (int32_t)i, 1, false, emit->error);
		recipe_skip_if_constant(recipe, byte, RECIPE_NOT_EQUAL,
					(uint8_t)node->text[i], no);
	}
	recipe_give_back(recipe, byte);
	recipe_give_back(recipe, address);
	if (!when)
		return;
	recipe_skip(recipe, label);
	recipe_place_label(recipe, no);
}

void probe_emit_branch(struct probe_emit *emit, uint32_t index, bool when, int label)
{
	struct probe_node node = node_of(emit, index);
	int number;

	if (node.kind == PROBE_NODE_UNARY && node.symbol == PROBE_NOT) {
		probe_emit_branch(emit, node.first, !when, label);
	} else if (node.kind == PROBE_NODE_SAME_TEXT) {
		branch_text(emit, &node, when, label);
	} else if (node.kind == PROBE_NODE_BINARY &&
		   (node.symbol == PROBE_OR || node.symbol == PROBE_AND)) {
		branch_both(emit, &node, when, label);
	} else if (node.kind == PROBE_NODE_BINARY &&
		   node.symbol < array_count(comparisons) &&
		   comparisons[node.symbol].is) {
		branch_comparison(emit, &node, when, label);
	} else {
		number = probe_emit_node(emit, index);
		recipe_skip_if_constant(emit->recipe, number,
					when ? RECIPE_NOT_EQUAL : RECIPE_EQUAL, 0, label);
		recipe_give_back(emit->recipe, number);
	}
}
