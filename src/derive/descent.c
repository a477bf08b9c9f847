#include "derive/descent.h"

#include "base/vector.h"

#include <math.h>
#include <stdbool.h>

enum { KEPT = 8, HALVINGS = 30 };

/* A share of what the slope promises must come true. */
#define PROMISED 1e-4
/* It ends when a step changes the value by less than this part of it. */
#define STILL 1e-9

struct descent {
	size_t count;
	double *gradient, *direction, *next, *next_gradient;
	double *steps, *turns; /* KEPT rows: how the place and the gradient changed */
	double products[KEPT]; /* of each two */
	size_t kept;           /* in all; the last KEPT are there */
};

static double dot_product(const double *left, const double *right, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += left[i] * right[i];
	return sum;
}

static void add_times(double *to, double factor, const double *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] += factor * from[i];
}

static double *row_of(const struct descent *descent, double *rows, size_t number)
{
	return rows + number % KEPT * descent->count;
}

/* Downwards, as far as the last steps tell how the slope changes. */
static void find_direction(struct descent *descent)
{
	const size_t count = descent->count, last = descent->kept,
		     first = last > KEPT ? last - KEPT : 0;
	double *direction = descent->direction, factors[KEPT], length;

	for (size_t i = 0; i < count; i++)
		direction[i] = -descent->gradient[i];
	for (size_t i = last; i-- > first;) {
		factors[i % KEPT] = dot_product(row_of(descent, descent->steps, i),
						direction, count) /
				    descent->products[i % KEPT];
		add_times(direction, -factors[i % KEPT],
			  row_of(descent, descent->turns, i), count);
	}
	if (last > first) {
		const double *turn = row_of(descent, descent->turns, last - 1);

		length = descent->products[(last - 1) % KEPT] /
			 dot_product(turn, turn, count);
	} else {
		length = 1 / (1 + sqrt(dot_product(direction, direction, count)));
	}
	for (size_t i = 0; i < count; i++)
		direction[i] *= length;
	for (size_t i = first; i < last; i++) {
		const double back = dot_product(row_of(descent, descent->turns, i),
						direction, count) /
				    descent->products[i % KEPT];

		add_times(direction, factors[i % KEPT] - back,
			  row_of(descent, descent->steps, i), count);
	}
}

/* Keeps what a step taught, if it bends upwards. */
static void keep_step(struct descent *descent, const double *at)
{
	double *step = row_of(descent, descent->steps, descent->kept),
	       *turn = row_of(descent, descent->turns, descent->kept);
	double product;

	for (size_t i = 0; i < descent->count; i++) {
		step[i] = descent->next[i] - at[i];
		turn[i] = descent->next_gradient[i] - descent->gradient[i];
	}
	product = dot_product(step, turn, descent->count);
	if (product > 1e-12 * dot_product(turn, turn, descent->count))
		descent->products[descent->kept++ % KEPT] = product;
}

/* Steps along the direction; returns the value there, or the old one if none is less. */
static double take_step(struct descent *descent, descent_value value, void *data,
			double *at, double old)
{
	const double slope =
		dot_product(descent->gradient, descent->direction, descent->count);
	double length = 1;

	for (int i = 0; i < HALVINGS; i++, length /= 2) {
		memcpy(descent->next, at, descent->count * sizeof(*at));
		add_times(descent->next, length, descent->direction, descent->count);
		const double found = value(data, descent->next, descent->next_gradient);

		if (!(found <= old + PROMISED * length * slope))
			continue;
		keep_step(descent, at);
		memcpy(at, descent->next, descent->count * sizeof(*at));
		memcpy(descent->gradient, descent->next_gradient,
		       descent->count * sizeof(*at));
		return found;
	}
	return old;
}

double descent_run(descent_value value, void *data, double *at, size_t count,
		   unsigned int rounds)
{
	struct descent descent = {.count = count};
	double *numbers =
		memory_allocate_zeroed((4 + 2 * KEPT) * (count + 1), sizeof(*numbers));
	bool straight = false;
	double now;

	descent.gradient = numbers;
	descent.direction = numbers + count;
	descent.next = numbers + 2 * count;
	descent.next_gradient = numbers + 3 * count;
	descent.steps = numbers + 4 * count;
	descent.turns = descent.steps + KEPT * count;
	now = value(data, at, descent.gradient);
	for (unsigned int i = 0; i < rounds; i++) {
		const double before = now;

		find_direction(&descent);
		now = take_step(&descent, value, data, at, before);
		if (before - now > STILL * (1 + fabs(now)))
			straight = false;
		else if (straight)
			break;
		else {
			/* Once more, straight down: what was learnt may be old. */
			descent.kept = 0;
			straight = true;
		}
	}
	free(numbers);
	return now;
}
