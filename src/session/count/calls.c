#include "session/count/calls.h"

#include "base/vector.h"
#include "code/plan/plan_rows.h"
#include "session/count/read_banks.h"
#include "session/state/module.h"
#include "session/state/space.h"

#include <stdlib.h>

/* Adds up the counters of a file in the banks of a process. */
struct counters {
	const struct module_file *file;
	uint64_t *values;
};

static void add_counter(void *context, const struct module_file *file, uint32_t slot,
			uint64_t count)
{
	const struct counters *counters = context;

	if (file == counters->file && slot < file->plan->slot_count)
		counters->values[slot] += count;
}

/* The function that begins at an address, if a counter has its calls; NULL: none. */
static const struct plan_function *counted_function(const struct module *module,
						    uint64_t address)
{
	const struct plan *plan = module && module->code_size ? module->file->plan : NULL;
	const struct plan_function *function =
		plan ? plan_function_at(plan, address - module->bias) : NULL;

	return function && function->address == address - module->bias &&
			       function->reason == PLAN_INSTRUMENTED &&
			       !plan->gates_size && plan->slot_size != 1
		       ? function
		       : NULL;
}

struct trm_error *calls_so_far(const struct session *session,
			       const struct process *process, uint64_t address,
			       uint64_t *ret_count)
{
	struct space *space = process ? process->space : NULL;
	const struct module *module = space ? space_module_of_text(space, address) : NULL;
	const struct plan_function *function = counted_function(module, address);

	if (!function)
		return trm_error_create(
			TRM_ERROR_UNSUPPORTED,
			"no counter has the calls of that function alone");
	const struct plan *plan = module->file->plan;
	struct counters counters = {
		.file = module->file,
		.values = memory_allocate_zeroed(plan->slot_count + 1, sizeof(uint64_t))};

	banks_visit(session, process, add_counter, &counters);
	*ret_count = function->block_count
			     ? plan_block_count(
				       plan, &plan->blocks.items[function->first_block],
				       counters.values)
			     : counters.values[function->slot];
	free(counters.values);
	return NULL;
}
