#include "session/profile/fold_skips.h"

#include "base/cleanup.h"
#include "code/plan/plan.h"
#include "code/plan/plan_rows.h"
#include "session/profile/fold.h"
#include "session/profile/saving.h"

static void save_function(struct saving *saving, const struct module_file *file,
			  const struct plan_function *function)
{
	struct record_pair pairs[] = {
		{saving->names.offset, record_address(function->address)},
		{saving->names.skip_reason,
		 record_string(plan_reason_text(function->reason))},
	};

	trm_writer_record(saving->writer, saving_function_node(saving, file, function),
			  pairs, 2);
}

/* `node`: that of the function that the part at `address` is of, or of one that branches
 * there, which is at `function`. */
static void save_part(struct saving *saving, record_node node, uint64_t function,
		      uint64_t address, enum plan_reason reason)
{
	const struct record_pair pairs[] = {
		{saving->names.offset, record_address(function)},
		{saving->names.part, record_address(address)},
		{saving->names.part_reason, record_string(plan_reason_text(reason))},
	};

	trm_writer_record(saving->writer, node, pairs, 3);
}

/* A part that has no function has its own name. */
static void save_lone_part(struct saving *saving, const struct module_file *file,
			   const struct plan_left *part)
{
	const struct plan_function alone = {.address = part->address, .name = part->name};
	scoped_free char *name = saving_make_name(file, &alone);

	save_part(saving,
		  record_node_child(saving->model, saving_module_node(saving, file),
				    saving->names.function, record_string(name)),
		  part->address, part->address, part->reason);
}

/* Rows of plan.functions, of which some are parts of others. */
static void save_row(struct saving *saving, const struct module_file *file,
		     const struct plan_function *function)
{
	const struct plan_function *whole = plan_whole_of(file->plan, function);

	if (function->reason == PLAN_INSTRUMENTED || whole->reason == PLAN_NOT_WANTED)
		return;
	if (plan_is_cold_part(function))
		save_part(saving, saving_function_node(saving, file, whole),
			  whole->address, function->address, function->reason);
	else
		save_function(saving, file, function);
}

void saving_skips(struct saving *saving, const struct module_file *file)
{
	const struct plan *plan = file->plan;

	if (!plan || !file->used)
		return;
	vector_for_each (&plan->functions, function)
		save_row(saving, file, function);
	vector_for_each (&plan->left, part) {
		const struct plan_function *owner =
			plan->functions.items + part->function;

		if (part->function == PLAN_NO_FUNCTION)
			save_lone_part(saving, file, part);
		else
			save_part(saving, saving_function_node(saving, file, owner),
				  owner->address, part->address, part->reason);
	}
}
