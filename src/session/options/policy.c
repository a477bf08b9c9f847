#include "session/options/policy.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

static enum policy policy_of(const char *variable)
{
	const char *text = getenv(variable);

	if (text && !strcmp(text, "never"))
		return POLICY_NEVER;
	return text && !strcmp(text, "always") ? POLICY_ALWAYS : POLICY_WHERE_IT_PAYS;
}

enum policy policy_of_learning(void)
{
	return policy_of("TRAMMEL_REPLAN");
}

enum policy policy_of_lazy_plans(void)
{
	return policy_of("TRAMMEL_LAZY");
}

bool policy_by_chance(uint32_t times)
{
	return !(clock_now_ns() / 1000 % times);
}
