/*
 * Folded stacks: a line for each stack, "OUTER;INNER COUNT". A frame is `MODULE` and a
 * backquote, as DTrace writes them, and the function, or the name of a region. Bytes that
 * would end a frame or a line are written as \xNN.
 */
#include "base/cleanup.h"
#include "export/formats.h"

#include <inttypes.h>
#include <stdlib.h>

/* Adds a frame. A name of a region with a backquote must not be taken for a module's. */
static void add_frame(struct text *text, const struct export_view *view, uint32_t frame)
{
	const struct export_frame *row = &view->frames.items[frame];

	if (row->module == EXPORT_NONE) {
		export_add_escaped(text, row->name, ";`");
		return;
	}
	export_add_escaped(text, export_module_name(view, row), ";`");
	text_add(text, "`");
	export_add_escaped(text, row->name, ";");
}

struct trm_error *export_folded(struct export_view *view,
				const struct export_options *options,
				struct export_out *out)
{
	uint32_t nodes[EXPORT_DEPTH_MAX], type;
	struct string_table stacks = {0};
	struct VECTOR(uint64_t) sums = {0};
	struct text stack = {0};

	TRM_TRY(export_choose_type(view, options, &type));
	/* Stacks that differ by addresses alone are one line. */
	vector_for_each (&view->counts, row) {
		if (row->type != type)
			continue;
		size_t count = export_stack(view, row->node, nodes);

		stack.length = 0;
		while (count--) {
			add_frame(&stack, view, view->nodes.items[nodes[count]].frame);
			text_add(&stack, count ? ";" : "");
		}
		uint32_t index = string_table_intern(&stacks, stack.data);

		if (index == sums.count)
			vector_push(&sums, 0);
		sums.items[index] = export_sum(sums.items[index], row->value);
	}
	for (size_t i = 0; i < stacks.count; i++) {
		text_format(&out->text, "%s %" PRIu64 "\n", stacks.strings[i],
			    sums.items[i]);
		export_out_drain(out);
	}
	vector_deinit(&sums);
	string_table_deinit(&stacks);
	text_deinit(&stack);
	return NULL;
}
