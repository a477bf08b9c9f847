/* Trees that open and close. */
#include "cli/browse/tree.h"

#include "report/flame/compare.h"
#include "report/flame/draw.h"
#include "report/text/cells.h"

#include <string.h>

enum { BAR = 8, VALUE = 15 };

struct tree_view {
	struct browse_view view;
	struct flame_tree tree;
	bool *open; /* of each node */
	struct VECTOR(
		uint32_t) visible; /* nodes in sight, in order; view.count of them */
	struct text searched;
};

static const struct tree_view *tree_of(const struct browse_view *view)
{
	return (const struct tree_view *)view;
}

static const struct flame_node *node_at(const struct tree_view *tree, size_t row)
{
	return &tree->tree.nodes.items[tree->visible.items[row]];
}

/* The node behind another one, in it or beside it or around it. */
static uint32_t node_behind(const struct tree_view *tree, uint32_t at, bool inside)
{
	const struct flame_node *nodes = tree->tree.nodes.items;

	if (inside && nodes[at].first != REPORT_NONE)
		return nodes[at].first;
	while (at != REPORT_NONE && nodes[at].next == REPORT_NONE)
		at = nodes[at].parent;
	return at == REPORT_NONE ? REPORT_NONE : nodes[at].next;
}

/* Lists what is open; the cursor goes to a node. */
static void list_nodes(struct tree_view *tree, uint32_t chosen)
{
	tree->visible.count = 0;
	for (uint32_t at = 0; at != REPORT_NONE;
	     at = node_behind(tree, at, tree->open[at])) {
		if (at == chosen)
			tree->view.at = tree->visible.count;
		vector_push(&tree->visible, at);
	}
	tree->view.count = tree->visible.count;
	if (tree->view.at >= tree->view.count)
		tree->view.at = tree->view.count - 1;
}

/* Opens a node, and all in it that has most of what is around it. */
static void open_main(struct tree_view *tree, uint32_t at)
{
	const struct flame_node *nodes = tree->tree.nodes.items;

	while (nodes[at].first != REPORT_NONE) {
		tree->open[at] = true;
		if (nodes[nodes[at].first].total * 2 < nodes[at].total)
			break;
		at = nodes[at].first;
	}
}

static void set_open(struct tree_view *tree, uint32_t top, bool open)
{
	const struct flame_node *nodes = tree->tree.nodes.items;
	const uint32_t depth = nodes[top].depth;

	for (uint32_t at = top;
	     at != REPORT_NONE && (at == top || nodes[at].depth > depth);
	     at = node_behind(tree, at, true))
		tree->open[at] = open && nodes[at].first != REPORT_NONE;
}

static bool shows_change(const struct tree_view *tree, size_t width)
{
	return tree->tree.compared && width >= 40;
}

static void tree_head(const struct browse_view *view, size_t width, struct text *out)
{
	const struct tree_view *tree = tree_of(view);
	struct text line = {0};

	text_add(&line, "  Total ");
	if (width >= 40)
		text_format(&line, " %*s", BAR, "");
	if (width >= 60)
		text_format(&line, "%*.14s%9s", VALUE, tree->tree.value, "itself");
	if (shows_change(tree, width))
		text_format(&line, "%*s", BROWSE_CHANGE, "change");
	text_add(&line, "  Name");
	cells_add(out, line.data, width);
	text_deinit(&line);
}

static void add_itself(const struct tree_view *tree, const struct flame_node *node,
		       struct text *out)
{
	const uint64_t whole = tree->tree.nodes.items[0].total;
	struct text value = {0};

	flame_add_value(&value, node->total, tree->tree.unit);
	text_format(out, "%*s", VALUE, value.data);
	if (node->self)
		text_format(out, "%7.1f %%", 100 * (double)node->self / (double)whole);
	else
		text_format(out, "%9s", "");
	text_deinit(&value);
}

static void tree_row(const struct browse_view *view, size_t row, size_t width,
		     struct text *out)
{
	const struct tree_view *tree = tree_of(view);
	const uint32_t index = tree->visible.items[row];
	const struct flame_node *node = node_at(tree, row);
	const bool bar = width >= 40, numbers = width >= 60;
	const bool change = shows_change(tree, width);
	const uint64_t whole = tree->tree.nodes.items[0].total;
	const size_t used = 8 + (bar ? 1 + BAR : 0) + (numbers ? VALUE + 9 : 0) +
			    (change ? BROWSE_CHANGE : 0) + 2;
	/* Deep down the steps begin anew at the left, with the depth in front. */
	const size_t room = width > used ? width - used : 0;
	const size_t steps = 2 * node->depth;
	const char *module = flame_module_name(view->profile, node);
	struct text name = {0};

	browse_add_share(view, node->total, whole, bar ? BAR : 0, out);
	if (numbers)
		add_itself(tree, node, out);
	if (change)
		browse_add_change(node->total, node->before,
				  browse_share_colour(node->total, whole), out);
	text_add(out, "  ");
	if (steps > room / 2)
		text_format(&name, "%*s%u: ", (int)(steps % (room / 2 + 1)), "",
			    node->depth);
	else
		text_format(&name, "%*s", (int)steps, "");
	text_format(&name, "%s %s",
		    node->first == REPORT_NONE ? " "
		    : tree->open[index]        ? "-"
					       : "+",
		    node->name);
	if (module)
		text_format(&name, "  (%s)", module);
	cells_add(out, name.data, room);
	text_add(out, BROWSE_PLAIN);
	text_deinit(&name);
}

static void close_or_leave(struct tree_view *tree)
{
	uint32_t at = tree->visible.items[tree->view.at];

	if (tree->open[at])
		tree->open[at] = false;
	else if (at)
		at = tree->tree.nodes.items[at].parent;
	list_nodes(tree, at);
}

static bool has_text(const struct tree_view *tree, uint32_t at)
{
	return strcasestr(tree->tree.nodes.items[at].name, tree->searched.data);
}

/* Goes to the next node with the text, from a node on, in order; opens all around it. */
static void search_from(struct tree_view *tree, uint32_t from)
{
	uint32_t at = from;

	if (!tree->searched.length)
		return;
	while (!has_text(tree, at)) {
		at = node_behind(tree, at, true);
		at = at == REPORT_NONE ? 0 : at;
		if (at == from)
			return;
	}
	for (uint32_t outer = tree->tree.nodes.items[at].parent; outer != REPORT_NONE;
	     outer = tree->tree.nodes.items[outer].parent)
		tree->open[outer] = true;
	list_nodes(tree, at);
}

static void search_next(struct tree_view *tree)
{
	const uint32_t next = node_behind(tree, tree->visible.items[tree->view.at], true);

	search_from(tree, next == REPORT_NONE ? 0 : next);
}

static bool tree_key(struct browse_view *view, int key)
{
	struct tree_view *tree = (struct tree_view *)view;
	const uint32_t at = tree->visible.items[view->at];

	switch (key) {
	case BROWSE_ENTER:
	case '+':
		if (tree->tree.nodes.items[at].first == REPORT_NONE)
			return false;
		tree->open[at] = key == '+' || !tree->open[at];
		break;
	case BROWSE_RIGHT:
		open_main(tree, at);
		break;
	case 'e':
	case 'E':
		set_open(tree, key == 'E' ? 0 : at, true);
		break;
	case 'C':
		set_open(tree, 0, false);
		list_nodes(tree, 0);
		return true;
	case '-':
	case BROWSE_LEFT:
		close_or_leave(tree);
		return true;
	case 'n':
		search_next(tree);
		return true;
	default:
		return false;
	}
	list_nodes(tree, at);
	return true;
}

static void tree_filter(struct browse_view *view, const char *text)
{
	struct tree_view *tree = (struct tree_view *)view;

	tree->searched.length = 0;
	text_add(&tree->searched, text);
	search_from(tree, tree->visible.items[view->at]);
}

static uint32_t tree_function(const struct browse_view *view, size_t row)
{
	return node_at(tree_of(view), row)->function;
}

static void tree_destroy(struct browse_view *view)
{
	struct tree_view *tree = (struct tree_view *)view;

	flame_tree_deinit(&tree->tree);
	free(tree->open);
	vector_deinit(&tree->visible);
	text_deinit(&tree->searched);
	browse_view_free(view);
}

static const struct browse_ops tree_ops = {
	.keys = "Enter open  Right path  Left close  e/E open all  / search  n next  a "
		"code  "
		"t next tree  h help  q back",
	.head = tree_head,
	.row = tree_row,
	.key = tree_key,
	.filter = tree_filter,
	.function = tree_function,
	.destroy = tree_destroy,
};

/* Compares a tree with that of the other profile, where that has one. */
static void compare_tree(struct browser *browser, enum flame_by by,
			 struct flame_tree *tree)
{
	struct flame_tree before;
	struct trm_error *error;

	if (!browser->other)
		return;
	if (by == FLAME_BY_SOURCE && !browser->with_other_sources) {
		function_sources_init(&browser->other_sources, browser->other);
		browser->with_other_sources = true;
	}
	error = flame_tree_init(&before, browser->other, by, tree->value,
				by == FLAME_BY_SOURCE ? browser->other_sources.files
						      : NULL);
	if (error) {
		trm_error_destroy(error);
		return;
	}
	flame_tree_compare(tree, browser->profile, &before, browser->other);
	flame_tree_deinit(&before);
}

struct trm_error *browse_tree_create(struct browser *browser, enum flame_by by,
				     struct browse_view **ret_view)
{
	static const char *const titles[] = {[FLAME_BY_CALLS] = "by call path",
					     [FLAME_BY_PHASE] = "by phase of the program",
					     [FLAME_BY_SOURCE] = "by source tree",
					     [FLAME_BY_MODULE] = "by module"};
	struct flame_tree made;
	struct tree_view *tree;

	if (by == FLAME_BY_SOURCE && !browser->with_sources) {
		function_sources_init(&browser->sources, browser->profile);
		browser->with_sources = true;
	}
	TRM_TRY(flame_tree_init(&made, browser->profile, by, NULL,
				by == FLAME_BY_SOURCE ? browser->sources.files : NULL));
	compare_tree(browser, by, &made);
	tree = (struct tree_view *)browse_view_create(browser, &tree_ops, sizeof(*tree));
	tree->tree = made;
	tree->open = memory_allocate_zeroed(made.nodes.count, sizeof(*tree->open));
	text_format(&tree->view.title, "%s %s", made.value, titles[by]);
	open_main(tree, 0);
	list_nodes(tree, 0);
	*ret_view = &tree->view;
	return NULL;
}
