#include "export/costs.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "export/places.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint32_t export_costs_file(struct export_costs *costs, const char *file)
{
	return string_table_intern(&costs->files, file ? file : "");
}

/* A row at a node's place, still without a type and a value. */
static struct export_cost cost_at(struct export_costs *costs,
				  const struct export_view *view, uint32_t index,
				  bool addresses)
{
	const struct export_node *node = &view->nodes.items[index];
	struct export_cost cost = {.frame = node->frame, .callee = EXPORT_NONE};
	const char *file;

	export_line_of(view, node, &file, &cost.line);
	cost.file = export_costs_file(costs, file);
	cost.address = addresses ? node->address : 0;
	return cost;
}

static void add_row(struct export_costs *costs, struct export_cost cost, uint32_t type,
		    uint64_t value)
{
	cost.type = type;
	cost.value = value;
	vector_push(&costs->rows, cost);
}

static bool is_active(const struct export_view *view, const struct export_node *node)
{
	uint32_t above = node->parent;

	for (; above != EXPORT_NONE; above = view->nodes.items[above].parent)
		if (view->nodes.items[above].frame == node->frame)
			return true;
	return false;
}

/* What a type's numbers are at nodes with all inside: of calls, but how many there were.
 */
static void add_inclusive(struct export_costs *costs, const struct export_view *view,
			  uint32_t type, bool addresses)
{
	scoped_free uint64_t *sums =
		memory_allocate_zeroed(view->nodes.count + 1, sizeof(*sums));
	bool calls = view->types.items[type].kind == EXPORT_CALLS;

	vector_for_each (&view->counts, count)
		if (count->type == type)
			sums[count->node] = export_sum(sums[count->node], count->value);
	for (size_t i = view->nodes.count; i-- > 0;) {
		const struct export_node *node = &view->nodes.items[i];

		if (node->parent == EXPORT_NONE)
			continue;
		sums[node->parent] = export_sum(sums[node->parent], sums[i]);
		if (!sums[i] && !calls)
			continue;
		struct export_cost cost = cost_at(costs, view, node->parent, addresses);

		cost.callee = node->frame;
		add_row(costs, cost, type, is_active(view, node) ? 0 : sums[i]);
	}
}

static void add_calls(struct export_costs *costs, const struct export_view *view,
		      bool addresses)
{
	vector_for_each (&view->counts, count) {
		const struct export_node *node = &view->nodes.items[count->node];

		if (view->types.items[count->type].kind != EXPORT_CALLS ||
		    node->parent == EXPORT_NONE)
			continue;
		struct export_cost cost = cost_at(costs, view, node->parent, addresses);

		cost.callee = node->frame;
		add_row(costs, cost, EXPORT_NONE, count->value);
	}
}

static int compare_places(const struct export_cost *a, const struct export_cost *b)
{
	return compare_numbers(a->frame, b->frame) ?: compare_numbers(a->file, b->file)
		       ?: compare_numbers(a->line, b->line)
		       ?: compare_numbers(a->address, b->address)
		       /* EXPORT_NONE + 1 is 0. */
		       ?: compare_numbers(a->callee + 1, b->callee + 1);
}

static int compare_costs(const void *left, const void *right)
{
	const struct export_cost *a = left, *b = right;

	return compare_places(a, b) ?: compare_numbers(a->type + 1, b->type + 1);
}

static void sum_rows(struct export_costs *costs)
{
	struct export_cost *rows = costs->rows.items;
	size_t kept = 0;

	if (!costs->rows.count)
		return;
	qsort(rows, costs->rows.count, sizeof(*rows), compare_costs);
	for (size_t i = 1; i < costs->rows.count; i++) {
		if (compare_costs(&rows[kept], &rows[i]))
			rows[++kept] = rows[i];
		else
			rows[kept].value = export_sum(rows[kept].value, rows[i].value);
	}
	costs->rows.count = kept + 1;
}

void export_costs_init(struct export_costs *costs, const struct export_view *view,
		       bool addresses, bool calls)
{
	*costs = (struct export_costs){0};
	export_costs_file(costs, NULL);
	vector_for_each (&view->counts, count)
		add_row(costs, cost_at(costs, view, count->node, addresses), count->type,
			count->value);
	for (uint32_t type = 0; calls && type < view->types.count; type++)
		add_inclusive(costs, view, type, addresses);
	if (calls)
		add_calls(costs, view, addresses);
	sum_rows(costs);
}

void export_costs_deinit(struct export_costs *costs)
{
	vector_deinit(&costs->rows);
	string_table_deinit(&costs->files);
}

size_t export_costs_same(const struct export_costs *costs, size_t first)
{
	const struct export_cost *rows = costs->rows.items;
	size_t end = first + 1;

	while (end < costs->rows.count && !compare_places(&rows[first], &rows[end]))
		end++;
	return end - first;
}

char *export_cost_name(const struct export_type *type)
{
	char *name =
		memory_copy_string(type->kind == EXPORT_INSTRUCTIONS ? "Ir" : type->name);

	for (char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at))
			*at = '_';
	return name;
}

void export_costs_add(struct text *text, const struct export_view *view,
		      const struct export_cost *rows, size_t count)
{
	for (uint32_t type = 0, i = 0; type < view->types.count; type++) {
		while (i < count && (rows[i].type + 1 < type + 1))
			i++;
		text_format(text, " %" PRIu64,
			    i < count && rows[i].type == type ? rows[i].value : 0);
	}
}

void export_costs_add_totals(struct text *text, const struct export_view *view)
{
	vector_for_each (&view->types, type)
		text_format(text, " %" PRIu64, type->total);
}
