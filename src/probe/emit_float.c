/*
 * Numbers of floating point become integers by shifts: instructions that convert them
 * would set the program's flags of exceptions (MXCSR), or raise one.
 */
#include "probe/emit_float.h"

/* IEEE 754, of 64 bits. */
enum { FRACTION_BITS = 52, EXPONENT_MAX = 2047, EXPONENT_BIAS = 1023 };
/* And what those of 32 bits lack. */
enum { FRACTION_LACKS = 52 - 23, EXPONENT_LACKS = 1023 - 127 };

struct converting {
	struct probe_emit *emit;
	int number, sign, shift, rest; /* registers */
	int zero, end;                 /* labels */
};

/* The magnitude as one of 64 bits; sign is negative if the number is. */
static void widen_bits(const struct converting *at)
{
	struct recipe *recipe = at->emit->recipe;

	recipe_shift(recipe, RECIPE_LEFT, at->number, 32);
	recipe_compute(recipe, RECIPE_MOVE, at->sign, at->number);
	recipe_shift(recipe, RECIPE_RIGHT, at->number, 32);
	recipe_compute_constant(recipe, RECIPE_AND, at->number, 0x7fffffff);
	recipe_skip_if_constant(recipe, at->number, RECIPE_AT_LEAST, 0x7f800000,
				at->emit->error);
	recipe_skip_if_constant(recipe, at->number, RECIPE_BELOW, 0x00800000, at->zero);
	recipe_shift(recipe, RECIPE_LEFT, at->number, FRACTION_LACKS);
	recipe_compute_constant(recipe, RECIPE_PLUS, at->number,
				(int64_t)EXPONENT_LACKS << FRACTION_BITS);
}

/* Splits the magnitude: number = the fraction with its first bit, times the scale;
 * shift = how far to the right that is to go. */
static void split_bits(const struct converting *at, int64_t scale)
{
	struct recipe *recipe = at->emit->recipe;

	recipe_compute(recipe, RECIPE_MOVE, at->shift, at->number);
	recipe_shift(recipe, RECIPE_RIGHT, at->shift, FRACTION_BITS);
	recipe_skip_if_constant(recipe, at->shift, RECIPE_AT_LEAST, EXPONENT_MAX,
				at->emit->error);
	recipe_skip_if_constant(recipe, at->shift, RECIPE_EQUAL, 0, at->zero);
	recipe_compute_constant(recipe, RECIPE_AND, at->number,
				((int64_t)1 << FRACTION_BITS) - 1);
	recipe_compute_constant(recipe, RECIPE_OR, at->number,
				(int64_t)1 << FRACTION_BITS);
	if (scale != 1)
		recipe_compute_constant(recipe, RECIPE_TIMES, at->number, scale);
	recipe_compute_constant(recipe, RECIPE_XOR, at->shift, -1);
	recipe_compute_constant(recipe, RECIPE_PLUS, at->shift,
				EXPONENT_BIAS + FRACTION_BITS + 1);
}

/* A step of a shift by a number: if the number has the bit. */
static void step_right(const struct converting *at, int bit)
{
	struct recipe *recipe = at->emit->recipe;
	int next = recipe_label(recipe);

	recipe_compute(recipe, RECIPE_MOVE, at->rest, at->shift);
	recipe_compute_constant(recipe, RECIPE_AND, at->rest, 1 << bit);
	recipe_skip_if_constant(recipe, at->rest, RECIPE_EQUAL, 0, next);
	recipe_shift(recipe, RECIPE_RIGHT, at->number, 1u << bit);
	recipe_place_label(recipe, next);
}

/* The same to the left, where no bit may be lost. */
static void step_left(const struct converting *at, int bit)
{
	struct recipe *recipe = at->emit->recipe;
	int next = recipe_label(recipe);

	recipe_compute(recipe, RECIPE_MOVE, at->rest, at->shift);
	recipe_compute_constant(recipe, RECIPE_AND, at->rest, 1 << bit);
	recipe_skip_if_constant(recipe, at->rest, RECIPE_EQUAL, 0, next);
	recipe_compute(recipe, RECIPE_MOVE, at->rest, at->number);
	recipe_shift(recipe, RECIPE_RIGHT, at->rest, 63u - (1u << bit));
	recipe_skip_if_constant(recipe, at->rest, RECIPE_NOT_EQUAL, 0, at->emit->error);
	recipe_shift(recipe, RECIPE_LEFT, at->number, 1u << bit);
	recipe_place_label(recipe, next);
}

static void shift_magnitude(const struct converting *at)
{
	enum { RIGHT_BITS = 6, LEFT_BITS = 4, LEFT_MAX = 10 };
	struct recipe *recipe = at->emit->recipe;
	int left = recipe_label(recipe), done = recipe_label(recipe);

	recipe_skip_if_constant(recipe, at->shift, RECIPE_LESS, 0, left);
	recipe_skip_if_constant(recipe, at->shift, RECIPE_GREATER, 63, at->zero);
	for (int bit = 0; bit < RIGHT_BITS; bit++)
		step_right(at, bit);
	recipe_skip(recipe, done);
	recipe_place_label(recipe, left);
	recipe_compute_constant(recipe, RECIPE_XOR, at->shift, -1);
	recipe_compute_constant(recipe, RECIPE_PLUS, at->shift, 1);
	recipe_skip_if_constant(recipe, at->shift, RECIPE_GREATER, LEFT_MAX,
				at->emit->error);
	for (int bit = 0; bit < LEFT_BITS; bit++)
		step_left(at, bit);
	recipe_place_label(recipe, done);
}

void probe_emit_float(struct probe_emit *emit, int number, unsigned size, int64_t scale)
{
	struct recipe *recipe = emit->recipe;
	struct converting at = {
		.emit = emit,
		.number = number,
		.sign = recipe_take(recipe),
		.shift = recipe_take(recipe),
		.rest = recipe_take(recipe),
		.zero = recipe_label(recipe),
		.end = recipe_label(recipe),
	};

	if (size == 4) {
		widen_bits(&at);
	} else {
		recipe_compute(recipe, RECIPE_MOVE, at.sign, number);
		recipe_compute_constant(recipe, RECIPE_AND, number, INT64_MAX);
	}
	split_bits(&at, scale);
	shift_magnitude(&at);
	recipe_skip_if_constant(recipe, at.sign, RECIPE_NOT_LESS, 0, at.end);
	recipe_compute_constant(recipe, RECIPE_XOR, number, -1);
	recipe_compute_constant(recipe, RECIPE_PLUS, number, 1);
	recipe_skip(recipe, at.end);
	recipe_place_label(recipe, at.zero);
	recipe_compute_constant(recipe, RECIPE_MOVE, number, 0);
	recipe_place_label(recipe, at.end);
	recipe_give_back(recipe, at.rest);
	recipe_give_back(recipe, at.shift);
	recipe_give_back(recipe, at.sign);
}
