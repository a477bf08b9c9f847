/* Rules about calls: see rules.c for what each finds. */
#ifndef TRAMMEL_ADVISE_CALL_RULES_H
#define TRAMMEL_ADVISE_CALL_RULES_H

#include "advise/rule.h"

/* Tell whether a profile has calls by call site; calls of functions; any functions. */
bool call_rules_can_sites(const struct advice *advice);
bool call_rules_can_calls(const struct advice *advice);
bool call_rules_can_functions(const struct advice *advice);

/* Look for small functions that are called most from one place, exceptions that are no
 * exceptions, and functions that nobody calls. */
void rule_inline(struct advice *advice, const struct advice_rule *rule);
void rule_exceptions(struct advice *advice, const struct advice_rule *rule);
void rule_unused(struct advice *advice, const struct advice_rule *rule);

#endif
