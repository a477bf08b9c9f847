/*
 * The least value of a smooth function of many numbers: L-BFGS with steps that are halved
 * until the value falls.
 *
 * Source: Nocedal, Updating quasi-Newton matrices with limited storage, Mathematics of
 * Computation 35 (1980).
 */
#ifndef TRAMMEL_DERIVE_DESCENT_H
#define TRAMMEL_DERIVE_DESCENT_H

#include <stddef.h>

/* Returns the function's value at a place, and writes how it changes along each number.
 */
typedef double (*descent_value)(void *data, const double *at, double *ret_gradient);

/* Goes down from `at`, `count` numbers, which it changes: `rounds` steps at most. Returns
 * the value there. */
double descent_run(descent_value value, void *data, double *at, size_t count,
		   unsigned int rounds);

#endif
