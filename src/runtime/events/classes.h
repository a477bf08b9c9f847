/*
 * Classes of iterations: `timestep%10` has the iterations of the loop "timestep" be ten
 * phases, by their number modulo 10 (`trammel run --by-region`). Made without vector
 * registers: see events/spans_fast.c.
 */
#ifndef TRAMMEL_RUNTIME_EVENTS_CLASSES_H
#define TRAMMEL_RUNTIME_EVENTS_CLASSES_H

#include "wire/context.h"

#include <stdbool.h>
#include <stddef.h>

enum { CLASSES_RULES = 4, CLASSES_MAX = 1 << 16 };

/* Whether there are rules. */
extern bool classes_are_told __attribute__((visibility("hidden")));

/* Reads the rules, with commas between them. */
void classes_begin(const char *rules);

/* Returns how many classes there are of all rules together, those of no iteration
 * included; 0: there are no rules. */
uint32_t classes_count(void);

/* Returns the class that the thread is in, less than that. */
uint32_t classes_now(void);

/* Begins an iteration of a loop, where there are rules. */
void classes_begin_iteration(const char *loop, int64_t iteration);

/* The same. */
static inline void classes_iterate(const char *loop, int64_t iteration)
{
	if (__builtin_expect(classes_are_told, 0))
		classes_begin_iteration(loop, iteration);
}

/* Sets the value of an attribute, which may be the number of an iteration
 * (iteration#NAME), or with `set` false ends it. */
void classes_take_value(uint32_t attribute, int64_t iteration, bool set);

/* The same. */
static inline void classes_set(uint32_t attribute, int64_t iteration, bool set)
{
	if (__builtin_expect(classes_are_told, 0))
		classes_take_value(attribute, iteration, set);
}

/* Returns the number of the rule for the loop that a node is; CLASSES_RULES: none. */
uint32_t classes_rule_of(const struct context_node *node);

/* Returns whether the thread is in an iteration of the rule's loop, and its modulus and
 * class. */
bool classes_are(uint32_t rule, uint32_t *ret_modulus, uint32_t *ret_class);

#endif
