/* Rules about values: see rules.c for what each finds. */
#ifndef TRAMMEL_ADVISE_VALUE_RULES_H
#define TRAMMEL_ADVISE_VALUE_RULES_H

#include "advise/rule.h"

/* Tell whether a profile has values of instructions; or these, or probes of copies. */
bool value_rules_can(const struct advice *advice);
bool value_rules_can_copies(const struct advice *advice);

/* Look for divisions by a value that is nearly always the same, and for copies that are
 * nearly all of one size. */
void rule_division(struct advice *advice, const struct advice_rule *rule);
void rule_copies(struct advice *advice, const struct advice_rule *rule);

#endif
