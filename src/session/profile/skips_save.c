#include "session/profile/skips_save.h"

#include "base/cleanup.h"
#include "code/plan/plan.h"
#include "code/plan/plan_rows.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "session/profile/profile_writer.h"

static void save_function(struct profile_writer *writer, const struct module_file *file,
			  const struct plan_function *function)
{
	struct record_pair pairs[] = {
		{writer->names.offset, record_address(function->address)},
		{writer->names.skip_reason,
		 record_string(plan_reason_text(function->reason))},
	};

	trm_writer_record(writer->writer,
			  profile_writer_function_node(writer, file, function), pairs, 2);
}

/* `node`: that of the function that the part at `address` is of, or of one that branches
 * there, which is at `function`. */
static void save_part(struct profile_writer *writer, record_node node, uint64_t function,
		      uint64_t address, enum plan_reason reason)
{
	const struct record_pair pairs[] = {
		{writer->names.offset, record_address(function)},
		{writer->names.part, record_address(address)},
		{writer->names.part_reason, record_string(plan_reason_text(reason))},
	};

	trm_writer_record(writer->writer, node, pairs, 3);
}

/* A part that has no function has its own name. */
static void save_lone_part(struct profile_writer *writer, const struct module_file *file,
			   const struct plan_left *part)
{
	const struct plan_function alone = {.address = part->address, .name = part->name};
	scoped_free char *name = profile_writer_make_name(file, &alone);

	save_part(writer,
		  record_node_child(writer->model,
				    profile_writer_module_node(writer, file),
				    writer->names.function, record_string(name)),
		  part->address, part->address, part->reason);
}

/* Rows of plan.functions, of which some are parts of others. */
static void save_row(struct profile_writer *writer, const struct module_file *file,
		     const struct plan_function *function)
{
	const struct plan_function *whole = plan_whole_of(file->plan, function);

	if (function->reason == PLAN_INSTRUMENTED || whole->reason == PLAN_NOT_WANTED)
		return;
	if (plan_is_cold_part(function))
		save_part(writer, profile_writer_function_node(writer, file, whole),
			  whole->address, function->address, function->reason);
	else
		save_function(writer, file, function);
}

void skips_save(struct profile_writer *writer, const struct module_file *file)
{
	const struct plan *plan = file->plan;

	if (!plan || !file->used)
		return;
	vector_for_each (&plan->functions, function)
		save_row(writer, file, function);
	vector_for_each (&plan->left, part) {
		const struct plan_function *owner =
			plan->functions.items + part->function;

		if (part->function == PLAN_NO_FUNCTION)
			save_lone_part(writer, file, part);
		else
			save_part(writer,
				  profile_writer_function_node(writer, file, owner),
				  owner->address, part->address, part->reason);
	}
}
