/* Computing, branches and memory in recipes. */
#include "code/points/recipe_compute.h"

#include "code/points/recipe.h"
#include "code/points/recipe_code.h"
#include "code/points/recipe_state.h"

enum { IMMEDIATE_BYTE = 1, WORD = 8 };

void recipe_compute(struct recipe *recipe, enum recipe_operation operation, int to,
		    int from)
{
	static const uint8_t opcodes[] = {
		[RECIPE_MOVE] = OP_STORE,   [RECIPE_PLUS] = OP_ADD_TO,
		[RECIPE_MINUS] = OP_SUB_TO, [RECIPE_AND] = OP_AND_TO,
		[RECIPE_OR] = OP_OR_TO,     [RECIPE_XOR] = OP_XOR_TO,
	};

	if (operation != RECIPE_MOVE)
		recipe_spoil_flags(recipe);
	if (operation == RECIPE_TIMES)
		recipe_op(recipe, OP_MULTIPLY, true, to, from);
	else
		recipe_op(recipe, opcodes[operation], true, from, to);
}

void recipe_compute_constant(struct recipe *recipe, enum recipe_operation operation,
			     int to, int64_t constant)
{
	/* Numbers of the operations in group 1. */
	static const uint8_t groups[] = {[RECIPE_PLUS] = 0,
					 [RECIPE_OR] = 1,
					 [RECIPE_AND] = 4,
					 [RECIPE_MINUS] = 5,
					 [RECIPE_XOR] = 6};
	int other;

	if (operation == RECIPE_MOVE) {
		recipe_move_constant(recipe, to, constant);
		return;
	}
	if (constant != (int32_t)constant || operation == RECIPE_TIMES) {
		other = recipe_take(recipe);
		recipe_move_constant(recipe, other, constant);
		recipe_compute(recipe, operation, to, other);
		recipe_give_back(recipe, other);
		return;
	}
	recipe_spoil_flags(recipe);
	recipe_op(recipe, OP_GROUP1, true, groups[operation], to);
	emit_word32(recipe->emitter, (uint32_t)constant);
}

void recipe_shift(struct recipe *recipe, enum recipe_shift direction, int number,
		  unsigned bits)
{
	static const uint8_t groups[] = {
		[RECIPE_LEFT] = 4, [RECIPE_RIGHT] = 5, [RECIPE_RIGHT_SIGNED] = 7};

	recipe_spoil_flags(recipe);
	recipe_op(recipe, OP_SHIFT, true, groups[direction], number);
	emit_byte(recipe->emitter, (uint8_t)(bits & 63));
}

/* bsr of twice the number plus one is its number of bits; but the top bit would go. */
void recipe_log2(struct recipe *recipe, int to, int from)
{
	const int zero = recipe_label(recipe), end = recipe_label(recipe);

	recipe_spoil_flags(recipe);
	recipe_op(recipe, OP_SCAN_REVERSE, true, to, from);
	recipe_branch(recipe, 0x80 | RECIPE_EQUAL, zero);
	recipe_op_memory(recipe, OP_LEA, true, to, to, 1);
	recipe_skip(recipe, end);
	recipe_place_label(recipe, zero);
	recipe_move_constant(recipe, to, 0);
	recipe_place_label(recipe, end);
}

void recipe_divide(struct recipe *recipe, int to, int from, bool with_sign,
		   bool remainder)
{
	enum { DIVIDE = 6, DIVIDE_SIGNED = 7 };
	const int divisor = recipe_take_aside(recipe);
	const int result = recipe_take_aside(recipe);
	int low, high;

	recipe_spoil_flags(recipe);
	recipe_op(recipe, OP_STORE, true, from, divisor);
	recipe_op(recipe, OP_STORE, true, to, result);
	low = recipe_borrow(recipe, RAX);
	high = recipe_borrow(recipe, RDX);
	recipe_op(recipe, OP_STORE, true, result, RAX);
	if (with_sign)
		emit_bytes(recipe->emitter, (const uint8_t[]){0x48, 0x99}, 2); /* cqo */
	else
		recipe_move_constant(recipe, RDX, 0);
	recipe_op(recipe, OP_GROUP3, true, with_sign ? DIVIDE_SIGNED : DIVIDE, divisor);
	recipe_op(recipe, OP_STORE, true, remainder ? RDX : RAX, result);
	recipe_return_borrowed(recipe, RDX, high);
	recipe_return_borrowed(recipe, RAX, low);
	recipe_op(recipe, OP_STORE, true, result, to);
	recipe_give_back(recipe, result);
	recipe_give_back(recipe, divisor);
}

void recipe_extend(struct recipe *recipe, int number, unsigned size, bool with_sign)
{
	static const uint16_t opcodes[2][3] = {
		{OP_LOAD_BYTE, OP_LOAD_WORD16, OP_LOAD},
		{OP_LOAD_SIGNED_BYTE, OP_LOAD_SIGNED_WORD16, OP_LOAD_SIGNED_WORD32},
	};

	if (size < WORD)
		recipe_op(recipe, opcodes[with_sign][size >> 1], with_sign, number,
			  number);
}

int recipe_label(struct recipe *recipe)
{
	if (recipe->label_count == RECIPE_LABELS_MAX) {
		recipe_fail(recipe, POINT_TOO_LONG);
		return 0;
	}
	return recipe->label_count++;
}

void recipe_place_label(struct recipe *recipe, int label)
{
	recipe->labels[label] = (uint32_t)recipe->emitter->count;
}

void recipe_skip(struct recipe *recipe, int label)
{
	recipe_branch(recipe, 0, label);
}

void recipe_skip_if(struct recipe *recipe, int left, enum recipe_condition condition,
		    int right, int label)
{
	recipe_spoil_flags(recipe);
	recipe_op(recipe, OP_COMPARE, true, right, left);
	recipe_branch(recipe, (uint8_t)(0x80 | condition), label);
}

static void compare_constant(struct recipe *recipe, int left, int32_t right)
{
	recipe_spoil_flags(recipe);
	recipe_op(recipe, OP_GROUP1, true, 7, left);
	emit_word32(recipe->emitter, (uint32_t)right);
}

void recipe_skip_if_constant(struct recipe *recipe, int left,
			     enum recipe_condition condition, int32_t right, int label)
{
	compare_constant(recipe, left, right);
	recipe_branch(recipe, (uint8_t)(0x80 | condition), label);
}

void recipe_compare(struct recipe *recipe, int to, int left,
		    enum recipe_condition condition, int right)
{
	recipe_spoil_flags(recipe);
	recipe_op(recipe, OP_COMPARE, true, right, left);
	recipe_op(recipe, (uint16_t)(0x0f90 | condition), false, 0, to);
	recipe_op(recipe, OP_LOAD_BYTE, false, to, to);
}

/* Nobody takes a fault if the tracer is dead: then nothing is loaded. */
static void check_tracer(struct recipe *recipe, int error)
{
	const struct plan_point_layout *layout = recipe->place->layout;
	const int control = recipe_take(recipe);

	recipe_spoil_flags(recipe);
	recipe_op_bank(recipe, OP_LOAD, true, control, layout->control);
	recipe_op_memory(recipe, OP_GROUP3, false, 0, control, 0);
	emit_word32(recipe->emitter, layout->dead);
	recipe_branch(recipe, 0x80 | RECIPE_NOT_EQUAL, error);
	recipe_give_back(recipe, control);
}

static void note_check(struct recipe *recipe, int error)
{
	struct plan *plan = recipe->emitter->plan;

	if (!plan)
		return;
	vector_push(&recipe->checks,
		    ((struct recipe_branch){(uint32_t)plan->points.checks.count, error,
					    false}));
	vector_push(&plan->points.checks,
		    ((struct plan_check){.at = (uint32_t)recipe->emitter->count}));
}

void recipe_load(struct recipe *recipe, int to, int base, int32_t displacement,
		 unsigned size, bool with_sign, int error)
{
	enum { PAGE = 4096 };
	static const uint16_t opcodes[2][4] = {
		{OP_LOAD_BYTE, OP_LOAD_WORD16, OP_LOAD, OP_LOAD},
		{OP_LOAD_SIGNED_BYTE, OP_LOAD_SIGNED_WORD16, OP_LOAD_SIGNED_WORD32,
		 OP_LOAD},
	};
	const unsigned row = size == WORD ? 3 : size >> 1;

	check_tracer(recipe, error);
	recipe_skip_if_constant(recipe, base, RECIPE_BELOW, PAGE, error);
	note_check(recipe, error);
	recipe_op_memory(recipe, opcodes[with_sign][row], with_sign || size == WORD, to,
			 base, displacement);
}

void recipe_store(struct recipe *recipe, int base, int32_t displacement, int from,
		  unsigned size)
{
	if (size == 2)
		emit_byte(recipe->emitter, 0x66);
	recipe_op_memory(recipe, size == 1 ? OP_STORE_BYTE : OP_STORE, size == WORD, from,
			 base, displacement);
}

void recipe_store_constant(struct recipe *recipe, int base, int32_t displacement,
			   int32_t constant)
{
	recipe_op_memory(recipe, OP_STORE_CONSTANT, true, 0, base, displacement);
	emit_word32(recipe->emitter, (uint32_t)constant);
}

void recipe_load_own(struct recipe *recipe, int to, int base, int32_t displacement)
{
	recipe_op_memory(recipe, OP_LOAD, true, to, base, displacement);
}
