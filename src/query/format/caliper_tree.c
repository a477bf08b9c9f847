/* The tree that cali-query prints. */
#include "query/format/caliper.h"
#include "query/format/paths.h"

/* A level more is so many columns to the right. */
enum { INDENT = 2, WIDTH_USUAL = 48 };

struct tree {
	struct caliper_walk walk;
	struct query_lines lines;
	struct text cell; /* scratch */
	size_t width;     /* of the path */
	struct text *out;
};

static const char *label_of(struct tree *tree, const struct query_line *line)
{
	tree->cell.length = 0;
	text_add(&tree->cell, "");
	query_add_label(&tree->cell, tree->walk.result, line->key);
	return tree->cell.data;
}

static const char *value_of(struct tree *tree, const struct caliper_column *column)
{
	tree->cell.length = 0;
	caliper_add_value(&tree->cell, column, tree->walk.cells[column->column], true);
	return tree->cell.data;
}

static void measure(struct tree *tree)
{
	const struct query *query = tree->walk.result->query;

	tree->width = 4;
	vector_for_each (&tree->walk.columns, column)
		column->width = strlen(column->title);
	vector_for_each (&tree->lines, line) {
		if (!line->key)
			continue;
		size_t width = INDENT * line->depth + strlen(label_of(tree, line));

		tree->width = width > tree->width ? width : tree->width;
		if (!line->row)
			continue;
		query_result_cells(tree->walk.result, line->row, tree->walk.cells);
		vector_for_each (&tree->walk.columns, column) {
			width = strlen(value_of(tree, column));
			column->width = width > column->width ? width : column->width;
		}
	}
	tree->width = caliper_width(query, tree->width, WIDTH_USUAL);
	vector_for_each (&tree->walk.columns, column)
		column->width = caliper_width(query, column->width, WIDTH_USUAL);
}

/* The label, or what stands in its place before the second row of a node. */
static void add_path(struct tree *tree, size_t depth, const char *label)
{
	size_t indent = INDENT * depth, most = tree->width - 2;
	struct text path = {0};

	text_format(&path, "%*s", (int)(indent < most ? indent : most), "");
	if (indent >= tree->width) {
		text_add(&path, "..");
	} else if (strlen(label) > tree->width - indent && tree->width - indent < 4) {
		text_add_bytes(&path, label, tree->width - indent);
	} else if (strlen(label) > tree->width - indent) {
		caliper_pad(&path, label, tree->width - indent, false);
		path.data[--path.length] = '\0';
	} else {
		text_add(&path, label);
	}
	caliper_pad(tree->out, path.data, tree->width, false);
	text_deinit(&path);
}

static void add_cells(struct tree *tree, const struct query_row *row)
{
	query_result_cells(tree->walk.result, row, tree->walk.cells);
	vector_for_each (&tree->walk.columns, column)
		caliper_pad(tree->out, value_of(tree, column), column->width,
			    column->numbers || column->type == RECORD_ADDRESS);
}

/* A node and its rows: one stands behind the label, several below it. */
static const struct query_line *add_node(struct tree *tree, const struct query_line *line)
{
	const struct query_line *end = tree->lines.items + tree->lines.count;
	const struct query_line *next = line + 1;

	while (next < end && next->key == line->key)
		next++;
	add_path(tree, line->depth, label_of(tree, line));
	for (const struct query_line *at = line; at < next && at->row; at++) {
		if (next - line > 1) {
			text_add(tree->out, "\n");
			add_path(tree, line->depth, " |-");
		}
		add_cells(tree, at->row);
	}
	text_add(tree->out, "\n");
	return next;
}

void query_print_caliper_tree(struct query_result *result,
			      const struct query_style *style, struct text *out)
{
	struct tree tree = {.out = out};

	(void)style;
	query_leave_out_paths(result);
	caliper_cut_cells(result, WIDTH_USUAL);
	caliper_walk_init(&tree.walk, result, false);
	caliper_take_aliases(&tree.walk);
	query_lines_make(&tree.lines, result);
	caliper_add_globals(result, out);
	measure(&tree);
	caliper_pad(out, "Path", tree.width, false);
	vector_for_each (&tree.walk.columns, column)
		caliper_pad(out, column->title, column->width, false);
	text_add(out, "\n");
	for (const struct query_line *line = tree.lines.items;
	     line && line < tree.lines.items + tree.lines.count;)
		line = line->key ? add_node(&tree, line) : line + 1;
	vector_deinit(&tree.lines);
	text_deinit(&tree.cell);
	caliper_walk_deinit(&tree.walk);
}
