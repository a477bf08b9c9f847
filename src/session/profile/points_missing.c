#include "session/profile/points_missing.h"

#include "code/plan/plan_rows.h"
#include "code/points/points.h"
#include "record/model.h"
#include "record/trm_writer.h"
#include "record/value.h"
#include "session/profile/profile_writer.h"

#include <inttypes.h>

/* Reasons that were found when it was too late to end the run. */
static void describe_refusals(const struct session *session, struct text *out)
{
	const struct point_sources *sources = &session->options->points;

	for (uint32_t i = 0; i < sources->count; i++) {
		const struct point_source *source = sources->items[i];
		struct trm_error *error =
			source->refuse ? source->refuse(source->context) : NULL;

		if (error)
			text_format(out, "%s%s", out->length ? "\n" : "", error->message);
		trm_error_destroy(error);
		if (source->tell && source->tell(source->context))
			text_format(out, "%s%s", out->length ? "\n" : "",
				    source->tell(source->context));
	}
}

void points_missing_describe(const struct session *session, struct text *out)
{
	uint64_t missing[POINT_TROUBLES] = {0}, all = 0, placed = 0;
	const char *between = "";

	vector_for_each (&session->files, item) {
		const struct plan *plan = (*item)->used ? (*item)->plan : NULL;

		if (!plan)
			continue;
		placed += plan->points.count;
		vector_for_each (&plan->points.troubles, trouble)
			missing[trouble->trouble]++;
	}
	describe_refusals(session, out);
	for (unsigned i = 0; i < POINT_TROUBLES; i++)
		all += missing[i];
	if (!all)
		return;
	text_add(out, out->length ? "\n" : "");
	text_add_grouped(out, all);
	text_add(out, " of ");
	text_add_grouped(out, all + placed);
	text_add(out, " points were not instrumented: ");
	for (unsigned i = 0; i < POINT_TROUBLES; i++) {
		if (!missing[i])
			continue;
		text_format(out, "%s%s (%" PRIu64 ")", between, point_trouble_text(i),
			    missing[i]);
		between = ", ";
	}
}

/* An attribute of the records; false if there is another one with its name. */
static bool find_attribute(const struct profile_writer *writer, const char *name,
			   enum record_type type, record_attribute *ret_attribute)
{
	struct trm_error *error = record_attribute_intern(writer->model, name, type,
							  RECORD_AS_VALUE, ret_attribute);
	const bool good = !error;

	trm_error_destroy(error);
	return good;
}

void points_missing_save(struct profile_writer *writer, const struct module_file *file)
{
	const struct plan *plan = file->used ? file->plan : NULL;
	const size_t count = plan ? plan->points.troubles.count : 0;
	record_attribute number, reason;

	if (!count ||
	    !find_attribute(writer, "function.points.missing", RECORD_UINT, &number) ||
	    !find_attribute(writer, "function.points.reason", RECORD_STRING, &reason))
		return;
	for (size_t i = 0, end; i < count; i = end) {
		const struct plan_point_trouble *first = &plan->points.troubles.items[i];
		const struct plan_function *function =
			plan_whole_of(plan, &plan->functions.items[first->function]);

		end = i + 1;
		while (end < count &&
		       plan->points.troubles.items[end].function == first->function)
			end++;
		trm_writer_record(
			writer->writer,
			profile_writer_function_node(writer, file, function),
			(const struct record_pair[]){
				{writer->names.offset, record_address(function->address)},
				{number, record_uint(end - i)},
				{reason,
				 record_string(point_trouble_text(first->trouble))},
			},
			3);
	}
}
