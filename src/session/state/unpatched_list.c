#include "session/state/unpatched_list.h"

#include "code/plan/plan_rows.h"
#include "code/unpatch/unpatch.h"

#include <stdlib.h>

void unpatched_list_deinit_row(struct space_unpatched *row)
{
	free(row->open);
	free(row->closed);
}

void unpatched_list_deinit(struct space_unpatched_list *list)
{
	vector_for_each (list, row)
		unpatched_list_deinit_row(row);
	vector_deinit(list);
}

int unpatched_list_compare(const void *left, const void *right)
{
	const struct space_unpatched *a = left, *b = right;

	if (a->code_address != b->code_address)
		return a->code_address < b->code_address ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

/* The row of a function among the first `count` of those that are unpatched, which are
 * sorted; NULL: it is not. */
struct space_unpatched *unpatched_list_find_row(const struct space *space, size_t count,
						uint64_t code_address, uint32_t function)
{
	const struct space_unpatched wanted = {.code_address = code_address,
					       .function = function};

	return count ? bsearch(&wanted, space->fired.unpatched.items, count,
			       sizeof(wanted), unpatched_list_compare)
		     : NULL;
}

/* The row of a module's function, by its index in the plan. */
struct space_unpatched *unpatched_list_find(const struct space *space,
					    const struct module *module,
					    uint32_t function)
{
	return unpatched_list_find_row(space, space->fired.unpatched.count,
				       module->code_address, function);
}

bool unpatched_list_has(const struct space *space, const struct module *module,
			uint64_t address)
{
	const struct plan *plan = module->file->plan;
	const struct plan_function *function =
		plan_function_at(plan, address - module->bias);

	return function &&
	       address - module->bias - function->address < unpatch_size(function) &&
	       unpatched_list_find(space, module,
				   (uint32_t)(function - plan->functions.items));
}
