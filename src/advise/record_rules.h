/* Rules about what tools, waits and phases recorded: see rules.c for what each finds. */
#ifndef TRAMMEL_ADVISE_RECORD_RULES_H
#define TRAMMEL_ADVISE_RECORD_RULES_H

#include "advise/rule.h"

/* Tell whether a profile has waits of threads; records of the tools falseshare and
 * malloc; counts of functions by region. */
bool record_rules_can_waits(const struct advice *advice);
bool record_rules_can_sharing(const struct advice *advice);
bool record_rules_can_heap(const struct advice *advice);
bool record_rules_can_phases(const struct advice *advice);

/* Look for locks that are held long and waited for, cache lines that threads take from
 * each other, blocks of the heap that live for a moment, and work that is the same in
 * several phases. */
void rule_locks(struct advice *advice, const struct advice_rule *rule);
void rule_sharing(struct advice *advice, const struct advice_rule *rule);
void rule_heap(struct advice *advice, const struct advice_rule *rule);
void rule_phases(struct advice *advice, const struct advice_rule *rule);

#endif
