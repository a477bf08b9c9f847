/*
 * What is done where it pays, unless the environment says otherwise: variables whose
 * value is "never" or "always".
 */
#ifndef TRAMMEL_SESSION_OPTIONS_POLICY_H
#define TRAMMEL_SESSION_OPTIONS_POLICY_H

#include <stdbool.h>
#include <stdint.h>

enum policy { POLICY_NEVER, POLICY_WHERE_IT_PAYS, POLICY_ALWAYS };

/* Of $TRAMMEL_REPLAN: whether later runs are to be other than this one; always: however
 * little they gain. */
enum policy policy_of_learning(void);

/* Of $TRAMMEL_LAZY: whether functions are planned when they are called first; always: of
 * small modules, too, of which nothing is kept then. */
enum policy policy_of_lazy_plans(void);

/* One time in `times`. */
bool policy_by_chance(uint32_t times);

#endif
