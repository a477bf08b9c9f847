/*
 * The format of cachegrind: costs by line, without calls.
 *
 * Source: valgrind's manual, "Cachegrind: Cachegrind Output File Format"
 */
#include "base/cleanup.h"
#include "export/costs.h"
#include "export/formats.h"
#include "export/places.h"
#include "report/runs.h"

#include <inttypes.h>

static void add_head(const struct export_view *view, struct text *text)
{
	const char *command =
		report_run_text(&view->profile->runs.items[0], "run.command");

	text_add(text, "desc: trammel " TRAMMEL_VERSION "\ncmd: ");
	if (*command)
		export_add_escaped(text, command, "");
	text_add(text, "\nevents:");
	vector_for_each (&view->types, type) {
		scoped_free char *name = export_cost_name(type);

		text_format(text, " %s", name);
	}
	text_add(text, "\n");
}

/* Functions of other modules with the same name and file are the same for readers;
 * without a file, the module stands there. */
static void add_function(const struct export_view *view, struct text *text,
			 const char *file, const struct export_frame *frame)
{
	text_add(text, "fl=");
	if (*file)
		export_add_escaped(text, file, "");
	else
		text_format(text, "???");
	text_add(text, "\nfn=");
	export_add_escaped(text, frame->name, "");
	if (!*file && frame->module != EXPORT_NONE) {
		text_add(text, " [");
		export_add_escaped(text, export_module_name(view, frame), "");
		text_add(text, "]");
	}
	text_add(text, "\n");
}

struct trm_error *export_cachegrind(struct export_view *view,
				    const struct export_options *options,
				    struct export_out *out)
{
	struct export_costs costs;
	uint32_t type, frame = EXPORT_NONE, file = EXPORT_NONE;

	TRM_TRY(export_choose_type(view, options, &type));
	export_costs_init(&costs, view, false, false);
	add_head(view, &out->text);
	for (size_t i = 0, same; i < costs.rows.count; i += same) {
		const struct export_cost *rows = &costs.rows.items[i];

		same = export_costs_same(&costs, i);
		if (rows->frame != frame || rows->file != file)
			add_function(view, &out->text, costs.files.strings[rows->file],
				     &view->frames.items[rows->frame]);
		frame = rows->frame;
		file = rows->file;
		text_format(&out->text, "%" PRIu32, rows->line);
		export_costs_add(&out->text, view, rows, same);
		text_add(&out->text, "\n");
		export_out_drain(out);
	}
	text_add(&out->text, "summary:");
	export_costs_add_totals(&out->text, view);
	text_add(&out->text, "\n");
	export_costs_deinit(&costs);
	return NULL;
}
