/*
 * What `perf script` prints of samples: a line that tells program, process, thread, time,
 * period and event; one for each frame, the innermost first; and an empty one. The period
 * is the number. Times tell the order alone.
 *
 * Source: linux, tools/perf/builtin-script.c and Documentation/perf-script.txt
 */
#include "base/path.h"
#include "export/formats.h"

#include <inttypes.h>

enum { MICROSECONDS = 1000000, RECORDS_MAX = 4000000 };

static void add_head(const struct export_view *view, const struct export_count *row,
		     uint64_t number, uint64_t period, struct text *text)
{
	const struct report_profile *profile = view->profile;
	const struct report_image *image = &profile->images.items[row->image];
	const char *program = path_name(image->program);
	uint64_t thread = row->thread == EXPORT_NONE
				  ? image->process
				  : profile->threads.items[row->thread].number;

	export_add_replaced(text, *program ? program : "program", " ", '_');
	text_format(text,
		    " %" PRIu64 "/%" PRIu64 " %" PRIu64 ".%06" PRIu64 ": %" PRIu64 " ",
		    image->process, thread, number / MICROSECONDS, number % MICROSECONDS,
		    period);
	export_add_replaced(text, view->types.items[row->type].name, " ", '_');
	text_add(text, ":\n");
}

static void add_frame(const struct export_view *view, uint32_t index, struct text *text)
{
	const struct export_node *node = &view->nodes.items[index];
	const struct export_frame *frame = &view->frames.items[node->frame];

	text_format(text, "\t%16" PRIx64 " ", node->address);
	export_add_escaped(text, frame->name, "");
	if (node->address && node->address >= frame->offset && frame->offset)
		text_format(text, "+0x%" PRIx64, node->address - frame->offset);
	text_add(text, " (");
	if (frame->module == EXPORT_NONE)
		text_add(text, "[region]");
	else
		export_add_escaped(text, export_module_path(view, frame), "");
	text_add(text, ")\n");
}

/* How many records a number is: of events as many as there were samples, unless these are
 * too many for anybody, since some readers count samples and do not look at their
 * periods.
 */
static uint64_t records_of(const struct export_view *view, const struct export_count *row)
{
	const struct export_count *before = row - 1;

	if (view->types.items[row->type].kind != EXPORT_EVENTS ||
	    row == view->counts.items || before->node != row->node ||
	    before->type + 1 != row->type || before->value > row->value ||
	    view->types.items[before->type].total > RECORDS_MAX)
		return 1;
	return before->value ?: 1;
}

static void add_samples(const struct export_view *view, const struct export_count *row,
			uint64_t *number, struct export_out *out)
{
	uint32_t nodes[EXPORT_DEPTH_MAX];
	size_t count = export_stack(view, row->node, nodes);
	uint64_t records = records_of(view, row), rest = row->value;

	for (; records; records--) {
		uint64_t period = rest / records;

		rest -= period;
		add_head(view, row, (*number)++, period, &out->text);
		for (size_t i = 0; i < count; i++)
			add_frame(view, nodes[i], &out->text);
		text_add(&out->text, "\n");
		export_out_drain(out);
	}
}

struct trm_error *export_perf_script(struct export_view *view,
				     const struct export_options *options,
				     struct export_out *out)
{
	uint64_t number = 0;
	uint32_t type;

	TRM_TRY(export_choose_type(view, options, &type));
	text_add(&out->text, "# trammel: addresses are those of files\n");
	vector_for_each (&view->counts, row)
		if (row->type == type)
			add_samples(view, row, &number, out);
	return NULL;
}
