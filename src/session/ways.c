#include "session/ways.h"

#include <string.h>

_Static_assert(sizeof(struct wire_step) == sizeof(struct plan_step) &&
		       WIRE_STEP_MOVED == PLAN_STEP_MOVED,
	       "the resident reads the steps of plans");

static uint64_t count_rows(const struct plan *plan)
{
	uint64_t count = 0;

	vector_for_each (&plan->functions, function)
		count += function->step_count != 0;
	return count;
}

uint64_t ways_size(const struct plan *plan)
{
	if (!plan->steps.count)
		return 0;
	return sizeof(struct wire_ways) + count_rows(plan) * sizeof(struct wire_way) +
	       plan->steps.count * sizeof(*plan->steps.items);
}

uint64_t ways_offset(const struct plan *plan)
{
	return (plan->code.count + 15) & ~(uint64_t)15;
}

void ways_write(const struct module *module, uint8_t *code)
{
	const struct plan *plan = module->file->plan;
	struct wire_ways *ways = (struct wire_ways *)(void *)(code + ways_offset(plan));
	uint64_t count = 0;

	if (!plan->steps.count)
		return;
	vector_for_each (&plan->functions, function)
		if (function->step_count)
			ways->rows[count++] = (struct wire_way){
				.address = function->address,
				.size = function->size,
				.code = function->trampoline,
				.first_step = function->first_step,
				.step_count = function->step_count,
			};
	ways->bias = module->bias;
	ways->code = module->code_address;
	ways->count = count;
	memcpy(&ways->rows[count], plan->steps.items,
	       plan->steps.count * sizeof(*plan->steps.items));
}

uint64_t ways_address(const struct module *module)
{
	const struct plan *plan = module->file->plan;

	return plan->steps.count ? module->code_address + ways_offset(plan) : 0;
}
