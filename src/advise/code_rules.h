/* Rules about code with counts of blocks: see rules.c for what each finds. */
#ifndef TRAMMEL_ADVISE_CODE_RULES_H
#define TRAMMEL_ADVISE_CODE_RULES_H

#include "advise/rule.h"

/* Tell whether a profile has counts of blocks, or of edges. */
bool code_rules_can(const struct advice *advice);
bool code_rules_can_edges(const struct advice *advice);

/* Look at one function each: loops that mostly run once, the length of a string in a
 * loop, branches that go either way, code that is not executed in the midst of hot code.
 */
void rule_one_trip(struct advice *advice, const struct advice_rule *rule,
		   const struct advice_code *code);
void rule_strlen(struct advice *advice, const struct advice_rule *rule,
		 const struct advice_code *code);
void rule_branch(struct advice *advice, const struct advice_rule *rule,
		 const struct advice_code *code);
void rule_cold(struct advice *advice, const struct advice_rule *rule,
	       const struct advice_code *code);

#endif
