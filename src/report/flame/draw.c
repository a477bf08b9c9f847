#include "report/flame/draw.h"

#include "base/array.h"
#include "base/json_write.h"
#include "report/flame/compare.h"
#include "report/text/amounts.h"
#include "report/text/bar.h"
#include "report/text/cells.h"
#include "report/text/grid.h"

#include <inttypes.h>
#include <string.h>

#define PLAIN "\033[0m"
#define BOLD  "\033[1m"

/* Light ones, on which black text can be read. */
const unsigned char flame_palette[FLAME_COLOURS + 1] = {216, 151, 153, 222, 183, 115, 180,
							147, 187, 174, 116, 218, 250};

/* What grew: red, the more the darker; what shrank: blue; what is the same. */
enum { STEPS = 5, SAME = 253 };
static const unsigned char grown[STEPS] = {224, 217, 216, 210, 203};
static const unsigned char shrunk[STEPS] = {189, 153, 117, 111, 75};

/* A frame of a row: columns [start, end). */
struct frame {
	uint32_t node;
	size_t start, end;
};
struct frames VECTOR(struct frame);

/* What the functions below need. */
struct drawing {
	const struct flame_tree *tree;
	const struct report_profile *profile;
	const struct flame_style *style;
	struct text *out;
};

unsigned flame_colour_of(const struct flame_tree *tree, uint32_t module)
{
	return module == REPORT_NONE ? FLAME_COLOURS
				     : tree->ranks[module] % FLAME_COLOURS;
}

void flame_add_value(struct text *out, uint64_t value, const char *unit)
{
	if (!strcmp(unit, "ns")) {
		report_add_duration(out, value);
		return;
	}
	text_add_grouped(out, value);
	if (*unit)
		text_format(out, " %s", unit);
}

static double share_of(const struct flame_tree *tree, uint64_t value)
{
	const uint64_t whole = tree->nodes.items[0].total;

	return whole ? (double)value / (double)whole : 0;
}

/* Adds the frames inside of one to the next row: those that have a column. */
static void place_inside(const struct flame_tree *tree, const struct frame *outer,
			 struct frames *row)
{
	const struct flame_node *nodes = tree->nodes.items, *node = &nodes[outer->node];
	const double scale = (double)(outer->end - outer->start) / (double)node->total;
	uint64_t before = 0;
	size_t start = outer->start;

	for (uint32_t at = node->first; at != REPORT_NONE; at = nodes[at].next) {
		size_t end;

		before += nodes[at].total;
		end = outer->start + (size_t)((double)before * scale + 0.5);
		end = end < outer->end ? end : outer->end;
		if (end > start)
			vector_push(row, ((struct frame){at, start, end}));
		start = end > start ? end : start;
	}
}

static unsigned change_colour(const struct flame_node *node)
{
	const double change = flame_change_of(node->total, node->before);
	const double size = change < 0 ? -change : change;
	const size_t step = size >= 1 ? STEPS - 1 : (size_t)(size * STEPS);

	if (size < 0.001)
		return SAME;
	return change > 0 ? grown[step] : shrunk[step];
}

static unsigned colour_of(const struct drawing *drawing, const struct flame_node *node)
{
	return drawing->tree->compared
		       ? change_colour(node)
		       : flame_palette[flame_colour_of(drawing->tree, node->module)];
}

static void add_frame(const struct drawing *drawing, const struct frame *frame)
{
	const struct flame_node *node = &drawing->tree->nodes.items[frame->node];
	const size_t width = frame->end - frame->start;
	struct text label = {0}, *out = drawing->out;

	text_format(&label, "%s  %.1f %%", node->name,
		    100 * share_of(drawing->tree, node->total));
	if (drawing->tree->compared) {
		text_add(&label, "  ");
		flame_add_change(&label, node->total, node->before);
	}
	if (cells_of(label.data) + 2 > width) {
		label.length = 0;
		text_add(&label, node->name);
	}
	if (!drawing->style->colour) {
		text_add(out, "|");
		cells_add(out, label.data, width - 1);
	} else if (width == 1) {
		text_add(out, " ");
	} else {
		cells_add(out, label.data, width - 1);
	}
	text_deinit(&label);
}

/* The last column of a frame is a gap, as thin as the terminal can have it. */
static void add_coloured(const struct drawing *drawing, const struct frame *frame)
{
	const struct flame_node *node = &drawing->tree->nodes.items[frame->node];
	const unsigned colour = colour_of(drawing, node);
	struct text *out = drawing->out;

	text_format(out, "\033[38;5;16;48;5;%um", colour);
	add_frame(drawing, frame);
	text_add(out, PLAIN);
	if (frame->end - frame->start == 1)
		return;
	text_format(out, "\033[38;5;%um%s" PLAIN, colour,
		    drawing->style->unicode ? "\u258a" : " ");
}

static void add_row(const struct drawing *drawing, const struct frames *row)
{
	size_t at = 0;

	vector_for_each (row, frame) {
		const bool gap = frame->start > at;

		if (gap && at && !drawing->style->colour)
			text_format(drawing->out, "|%*s", (int)(frame->start - at - 1),
				    "");
		else if (gap)
			text_format(drawing->out, "%*s", (int)(frame->start - at), "");
		if (drawing->style->colour)
			add_coloured(drawing, frame);
		else
			add_frame(drawing, frame);
		at = frame->end;
	}
	text_add(drawing->out, drawing->style->colour ? "\n" : "|\n");
}

/* Of a tree drawn without colours the last bar needs a column of its own. */
static size_t frame_columns(const struct flame_style *style)
{
	return style->colour ? style->width : style->width - 1;
}

/* Rows that show no name tell nothing. */
static bool shows_names(const struct frames *row)
{
	enum { NAME_MIN = 4 };

	vector_for_each (row, frame)
		if (frame->end - frame->start >= NAME_MIN)
			return true;
	return false;
}

static void draw_rows(const struct drawing *drawing)
{
	struct VECTOR(struct frames) rows = {0};
	const size_t most = drawing->style->depth ? drawing->style->depth : SIZE_MAX;
	struct frames row = {0};

	vector_push(&row, ((struct frame){0, 0, frame_columns(drawing->style)}));
	while (shows_names(&row) && rows.count < most) {
		struct frames next = {0};

		vector_push(&rows, row);
		vector_for_each (&row, frame)
			place_inside(drawing->tree, frame, &next);
		row = next;
	}
	vector_deinit(&row);
	for (size_t i = 0; i < rows.count; i++)
		add_row(drawing,
			&rows.items[drawing->style->upwards ? rows.count - 1 - i : i]);
	vector_for_each (&rows, each)
		vector_deinit(each);
	vector_deinit(&rows);
}

/* Names the modules that colours stand for, on one line. */
static void add_legend(const struct drawing *drawing)
{
	struct text *out = drawing->out, word = {0};
	size_t used = 0;

	vector_for_each (&drawing->tree->parts, part) {
		if (!part->self)
			break;
		word.length = 0;
		if (part->module == REPORT_NONE)
			text_add(&word, "no module");
		else
			report_add_visible(
				&word,
				drawing->profile->modules.items[part->module].name);
		text_format(&word, " %.1f %%", 100 * share_of(drawing->tree, part->self));
		if (used + cells_of(word.data) + 5 > drawing->style->width)
			break;
		used += cells_of(word.data) + 5;
		text_format(out, "\033[48;5;%um  " PLAIN " %s  ",
			    flame_palette[flame_colour_of(drawing->tree, part->module)],
			    word.data);
	}
	text_add(out, used ? "\n" : "");
	text_deinit(&word);
}

/* Says what the colours of changes mean. */
static void add_change_legend(struct text *out)
{
	text_format(out,
		    "\033[48;5;%um  " PLAIN " more than before  \033[48;5;%um  " PLAIN
		    " less  \033[48;5;%um  " PLAIN " the same\n",
		    grown[STEPS - 1], shrunk[STEPS - 1], SAME);
}

/* "1.2 s of time: app"; compared: "1.2 s of time (+5.0 %): app" */
static void add_title(const struct drawing *drawing)
{
	const struct flame_node *root = &drawing->tree->nodes.items[0];
	struct text title = {0};
	size_t columns;

	flame_add_value(&title, root->total, drawing->tree->unit);
	text_format(&title, "%s%s", strcmp(drawing->tree->unit, "ns") ? " " : " of ",
		    drawing->tree->value);
	if (drawing->tree->compared) {
		text_add(&title, " (");
		flame_add_change(&title, root->total, root->before);
		text_add(&title, ")");
	}
	text_format(&title, ": %s", root->name);
	columns = cells_of(title.data);
	text_add(drawing->out, drawing->style->colour ? BOLD : "");
	cells_add(drawing->out, title.data,
		  columns < drawing->style->width ? columns : drawing->style->width);
	text_add(drawing->out, drawing->style->colour ? PLAIN "\n" : "\n");
	text_deinit(&title);
}

void flame_draw(const struct flame_tree *tree, const struct report_profile *profile,
		const struct flame_style *style, struct text *out)
{
	const struct drawing drawing = {tree, profile, style, out};

	add_title(&drawing);
	if (!tree->nodes.items[0].total)
		return;
	draw_rows(&drawing);
	if (style->colour && tree->compared)
		add_change_legend(out);
	else if (style->colour)
		add_legend(&drawing);
}

static void add_line(const struct drawing *drawing, const struct flame_node *node)
{
	enum { BAR = 10 };
	const double share = share_of(drawing->tree, node->total);
	const char *module = flame_module_name(drawing->profile, node);
	struct text value = {0}, line = {0};

	flame_add_value(&value, node->total, drawing->tree->unit);
	text_format(&line, "%7.1f %%  %14s  ", 100 * share, value.data);
	if (drawing->tree->compared) {
		value.length = 0;
		flame_add_change(&value, node->total, node->before);
		text_format(&line, "%9s  ", value.data);
	}
	bar_add(&line, share, BAR, drawing->style->unicode);
	text_format(&line, "  %*s", (int)(2 * node->depth), "");
	report_add_visible(&line, node->name);
	if (module) {
		text_add(&line, "  (");
		report_add_visible(&line, module);
		text_add(&line, ")");
	}
	text_add(drawing->out, line.data);
	text_add(drawing->out, "\n");
	text_deinit(&line);
	text_deinit(&value);
}

/* The node behind another one, with all that is in it first if `inside`. */
static uint32_t node_behind(const struct flame_tree *tree, uint32_t at, bool inside)
{
	const struct flame_node *nodes = tree->nodes.items;

	if (inside && nodes[at].first != REPORT_NONE)
		return nodes[at].first;
	while (at != REPORT_NONE && nodes[at].next == REPORT_NONE)
		at = nodes[at].parent;
	return at == REPORT_NONE ? REPORT_NONE : nodes[at].next;
}

void flame_list(const struct flame_tree *tree, const struct report_profile *profile,
		const struct flame_style *style, struct text *out)
{
	const struct drawing drawing = {tree, profile, style, out};
	const size_t most = style->depth ? style->depth : SIZE_MAX;
	size_t left_out = 0;
	uint32_t at = 0;

	add_title(&drawing);
	while (at != REPORT_NONE) {
		const struct flame_node *node = &tree->nodes.items[at];
		const bool shown = node->depth < most &&
				   (!at || share_of(tree, node->total) >= style->least);

		if (shown)
			add_line(&drawing, node);
		left_out += !shown;
		at = node_behind(tree, at, shown);
	}
	if (left_out)
		report_add_more(out, left_out, "node, with what is in it",
				"nodes, with what is in them");
}

static void add_object(const struct drawing *drawing, const struct flame_node *node)
{
	const char *module = flame_module_name(drawing->profile, node);
	struct text *out = drawing->out;

	text_add(out, "{\"name\":");
	text_add_json(out, node->name);
	if (module)
		json_add_text(out, "module", module);
	json_add_number(out, "value", node->total);
	json_add_number(out, "self", node->self);
	if (drawing->tree->compared)
		json_add_number(out, "before", node->before);
	json_add_key(out, "children");
	text_add(out, "[");
}

void flame_json(const struct flame_tree *tree, const struct report_profile *profile,
		enum flame_by by, struct text *out)
{
	const struct drawing drawing = {.tree = tree, .profile = profile, .out = out};
	const struct flame_node *nodes = tree->nodes.items;
	uint32_t at = 0;

	text_add(out, "{");
	json_add_text(out, "by", flame_by_names[by]);
	json_add_text(out, "value", tree->value);
	json_add_text(out, "unit", tree->unit);
	json_add_key(out, "tree");
	while (at != REPORT_NONE) {
		add_object(&drawing, &nodes[at]);
		if (nodes[at].first != REPORT_NONE) {
			at = nodes[at].first;
			continue;
		}
		text_add(out, "]}");
		while (at && nodes[at].next == REPORT_NONE) {
			at = nodes[at].parent;
			text_add(out, "]}");
		}
		if (!at)
			break;
		text_add(out, ",\n");
		at = nodes[at].next;
	}
	text_add(out, "}\n");
}
