#include "session/state/home_list.h"

#include "code/plan/plan_rows.h"
#include "code/unpatch/unpatch.h"

#include <stdlib.h>

void home_list_deinit_row(struct space_home *home)
{
	free(home->open);
	free(home->closed);
}

void home_list_deinit(struct space_homes *homes)
{
	vector_for_each (homes, home)
		home_list_deinit_row(home);
	vector_deinit(homes);
}

int home_list_compare(const void *left, const void *right)
{
	const struct space_home *a = left, *b = right;

	if (a->code_address != b->code_address)
		return a->code_address < b->code_address ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

/* The row of a function among the first `count` of those at home, which are sorted; NULL:
 * it is not. */
struct space_home *home_list_find_row(const struct space *space, size_t count,
				      uint64_t code_address, uint32_t function)
{
	const struct space_home wanted = {.code_address = code_address,
					  .function = function};

	return count ? bsearch(&wanted, space->fired.homes.items, count, sizeof(wanted),
			       home_list_compare)
		     : NULL;
}

/* The row of a module's function, by its index in the plan. */
struct space_home *home_list_find(const struct space *space, const struct module *module,
				  uint32_t function)
{
	return home_list_find_row(space, space->fired.homes.count, module->code_address,
				  function);
}

bool home_list_has(const struct space *space, const struct module *module,
		   uint64_t address)
{
	const struct plan *plan = module->file->plan;
	const struct plan_function *function =
		plan_function_at(plan, address - module->bias);

	return function &&
	       address - module->bias - function->address < unpatch_size(function) &&
	       home_list_find(space, module,
			      (uint32_t)(function - plan->functions.items));
}
