#include "report/stacks/json.h"

#include "base/json_write.h"

static void add_frames(const struct stack_list *list, uint32_t frame, struct text *out)
{
	text_add(out, ", \"frames\": [");
	for (bool first = true; frame != STACK_NONE; first = false) {
		const struct stack_frame *at = &list->frames.items[frame];

		text_add(out, first ? "{" : ", {");
		json_add_text(out, "function", stack_list_string(list, at->function));
		json_add_text(out, "module.path", stack_list_string(list, at->module));
		text_add(out, "}");
		frame = at->parent;
	}
	text_add(out, "]");
}

void stacks_json(const struct stack_list *list, struct text *out)
{
	struct text rows = {0};

	text_add(out, "{");
	json_add_number(out, "run.wall.ns", list->wall_ns);
	json_add_number(out, "time.ns", list->ns);
	json_add_string(out, "notes", list->notes ? list->notes : "");
	json_begin_list(out, "rows");
	vector_for_each (&list->rows, row) {
		json_begin_item(&rows);
		json_add_text(&rows, "state", stack_list_string(list, row->state));
		json_add_string(&rows, "wait.kind", stack_list_string(list, row->kind));
		json_add_string(&rows, "wait.on", stack_list_string(list, row->on));
		json_add_string(&rows, "wait.holder",
				stack_list_string(list, row->holder));
		json_add_number(&rows, "process", row->process);
		json_add_number(&rows, "thread", row->thread);
		json_add_number(&rows, "times", row->times);
		json_add_number(&rows, "time.ns", row->ns);
		if (row->longest_ns)
			json_add_number(&rows, "longest.ns", row->longest_ns);
		add_frames(list, row->frame, &rows);
		text_add(&rows, "}");
	}
	text_add(out, rows.data ? rows.data : "");
	text_add(out, "\n]}\n");
	text_deinit(&rows);
}
