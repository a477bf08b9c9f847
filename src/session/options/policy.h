/*
 * Policies for work that is done where it pays, unless the environment says otherwise:
 * variables with the value "never" or "always".
 */
#ifndef TRAMMEL_SESSION_OPTIONS_POLICY_H
#define TRAMMEL_SESSION_OPTIONS_POLICY_H

#include <stdbool.h>
#include <stdint.h>

enum policy { POLICY_NEVER, POLICY_WHERE_IT_PAYS, POLICY_ALWAYS };

/* Returns the policy in $TRAMMEL_REPLAN: whether modules are replanned for later runs;
 * always: however little they gain. */
enum policy policy_of_learning(void);

/* Returns the policy in $TRAMMEL_LAZY: whether functions are planned when they are
 * called first; always: also in small modules, of which no plan is kept then. */
enum policy policy_of_lazy_plans(void);

/* Returns true by chance, on average once in `times` calls. */
bool policy_by_chance(uint32_t times);

#endif
