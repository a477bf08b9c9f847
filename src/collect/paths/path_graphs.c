#include "collect/paths/path_graphs.h"

#include "base/text.h"
#include "code/count/path_counts.h"
#include "code/plan/path_bar.h"
#include "code/plan/plan_rows.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "session/cache/module_file.h"

#include <inttypes.h>

enum { PAIRS = 4 };

static uint32_t offset_of(const struct plan *plan, const struct plan_function *function,
			  uint32_t block)
{
	return plan->blocks.items[function->first_block + block].offset;
}

/* ">0=0 0>1a=0 0>2f=2+2 1a^10=0 2f>=0": from a block to a block, by which the path's
 * number and the running sum grow. */
static void add_step(const struct plan *plan, const struct plan_function *function,
		     const struct paths_step *step, struct text *out)
{
	static const char signs[] = {
		[PATHS_PASS] = '>',  [PATHS_LEAVE] = '>', [PATHS_CUT] = '^',
		[PATHS_SPLIT] = '/', [PATHS_STOP] = '!',  [PATHS_BEGIN] = '>'};
	uint32_t to = step->to;

	if (paths_goes_on(step))
		to = plan->edges.items[function->first_edge + step->way].to;
	text_add(out, out->length ? " " : "");
	if (step->from != PATHS_NONE)
		text_format(out, "%" PRIx32, offset_of(plan, function, step->from));
	text_format(out, "%c", signs[step->kind]);
	if (to != PATHS_NONE)
		text_format(out, "%" PRIx32, offset_of(plan, function, to));
	text_format(out, "=%" PRIu64, step->value);
	if (step->increment)
		text_format(out, "%+" PRId64, step->increment);
}

static void write_record(struct profile_writer *writer, const struct module_file *file,
			 const struct plan_function *function, struct record_pair *pairs,
			 size_t count)
{
	const struct plan_function *whole = plan_whole_of(file->plan, function);

	saving_set_number(&pairs[0], writer->names.offset, RECORD_ADDRESS,
			  whole->address);
	saving_set_number(&pairs[1], writer->names.path_in, RECORD_ADDRESS,
			  function->address);
	trm_writer_record(writer->writer,
			  profile_writer_function_node(writer, file, whole), pairs,
			  count);
}

static void save_steps(struct profile_writer *writer, const struct module_file *file,
		       const struct plan_function *function)
{
	struct record_pair pairs[PAIRS];
	struct text steps = {0};
	struct paths paths;

	if (!path_counts_paths(file->plan, function, &paths))
		return;
	vector_for_each (&paths.steps, step)
		add_step(file->plan, function, step, &steps);
	saving_set_number(&pairs[2], writer->names.path_total, RECORD_UINT, paths.count);
	pairs[3].attribute = writer->names.path_steps;
	pairs[3].value = record_string(steps.data);
	write_record(writer, file, function, pairs, 4);
	text_deinit(&steps);
	path_counts_free(&paths);
}

static void save_reason(struct profile_writer *writer, const struct module_file *file,
			const struct plan_function *function)
{
	enum path_bar bar =
		function->block_count ? function->path_bar : (uint8_t)PATH_BAR_CODE;
	struct record_pair pairs[PAIRS];

	if (!bar || function->reason != PLAN_INSTRUMENTED)
		return;
	pairs[2].attribute = writer->names.path_reason;
	pairs[2].value = record_string(path_bar_text(bar));
	write_record(writer, file, function, pairs, 3);
}

void path_graphs_save(struct profile_writer *writer, const struct module_file *file)
{
	const struct plan *plan = file->plan;

	vector_for_each (&plan->functions, function) {
		if (!profile_writer_knows(writer, plan_whole_of(plan, function)))
			continue;
		if (function->paths || function->block_count == 1)
			save_steps(writer, file, function);
		else
			save_reason(writer, file, function);
	}
}
