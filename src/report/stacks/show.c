#include "report/stacks/show.h"

#include "base/array.h"
#include "report/stacks/sums.h"
#include "report/text/amounts.h"

#include <inttypes.h>
#include <string.h>

struct showing_stacks {
	const struct stack_list *list;
	const struct stacks_style *style;
	struct text *out;
	bool exact; /* waits are known, not looks */
};

static void add_duration(struct grid *grid, uint64_t ns)
{
	struct text cell = {0};

	report_add_duration(&cell, ns);
	grid_add_text(grid, cell.data);
	text_deinit(&cell);
}

/* The numbers that all tables begin with. */
static void begin_table(const struct showing_stacks *showing, struct grid *grid)
{
	grid_add_column(grid, "Time", true);
	grid_add_column(grid, "Share", true);
	grid_add_column(grid, showing->exact ? "Waits" : "Looks", true);
	if (showing->exact)
		grid_add_column(grid, "Longest", true);
}

static void add_numbers(const struct showing_stacks *showing, struct grid *grid,
			uint64_t ns, uint64_t times, uint64_t longest_ns)
{
	add_duration(grid, ns);
	grid_add_share(grid, ns, showing->list->ns);
	grid_add_number(grid, times);
	if (showing->exact)
		add_duration(grid, longest_ns);
}

static void end_table(const struct showing_stacks *showing, struct grid *grid,
		      uint64_t more)
{
	text_add(showing->out, "\n");
	grid_print(grid, &showing->style->text, showing->out);
	if (more)
		report_add_more(showing->out, more, "row", "rows");
	grid_deinit(grid);
}

static bool is_shown(const struct showing_stacks *showing, uint64_t ns)
{
	return (double)ns >= showing->style->threshold * (double)showing->list->ns;
}

/* A table, whose other columns are written by `add`. */
static void add_table(const struct showing_stacks *showing, stack_keys *keys,
		      const char *const *titles,
		      void (*add)(const struct stack_list *list, struct grid *grid,
				  const struct stack_sum *sum))
{
	struct stack_sums sums = stack_sums_make(showing->list, keys);
	struct grid grid = {0};
	size_t shown = 0;

	begin_table(showing, &grid);
	for (; *titles; titles++)
		grid_add_column(&grid, *titles, false);
	for (size_t i = 0; i < sums.count && shown < showing->style->limit; i++) {
		const struct stack_sum *sum = &sums.items[i];

		if (!is_shown(showing, sum->ns))
			break;
		add_numbers(showing, &grid, sum->ns, sum->times, sum->longest_ns);
		add(showing->list, &grid, sum);
		shown++;
	}
	if (shown)
		end_table(showing, &grid, sums.count - shown);
	else
		grid_deinit(&grid);
	vector_deinit(&sums);
}

static void add_state(const struct stack_list *list, struct grid *grid,
		      const struct stack_sum *sum)
{
	struct text cell = {0};

	text_format(&cell, "%" PRIu32, sum->threads);
	grid_add_text(grid, stack_list_string(list, (uint32_t)sum->keys[0]));
	grid_add_text(grid, cell.data);
	text_deinit(&cell);
}

static void add_wait(const struct stack_list *list, struct grid *grid,
		     const struct stack_sum *sum)
{
	struct text cell = {0};

	text_format(&cell, "%" PRIu32, sum->threads);
	grid_add_text(grid, stack_list_string(list, (uint32_t)sum->keys[0]));
	grid_add_text(grid, cell.data);
	grid_add_text(grid, stack_list_string(list, (uint32_t)sum->keys[2]));
	text_deinit(&cell);
}

static void add_thread(const struct stack_list *list, struct grid *grid,
		       const struct stack_sum *sum)
{
	struct text cell = {0};

	text_format(&cell, "%" PRIu64, sum->keys[1] ? sum->keys[1] : sum->keys[0]);
	grid_add_text(grid, cell.data);
	grid_add_text(grid, stack_list_string(list, (uint32_t)sum->keys[2]));
	text_deinit(&cell);
}

static void add_lock(const struct stack_list *list, struct grid *grid,
		     const struct stack_sum *sum)
{
	struct text cell = {0};

	text_format(&cell, "%" PRIu32, sum->threads);
	grid_add_text(grid, cell.data);
	grid_add_text(grid, stack_list_string(list, (uint32_t)sum->keys[0]));
	grid_add_text(grid, stack_list_string(list, (uint32_t)sum->keys[1]));
	text_deinit(&cell);
}

static void add_tree(const struct showing_stacks *showing)
{
	const struct stack_list *list = showing->list;
	const double least = showing->style->threshold * (double)list->ns;
	struct stack_tree tree = stack_tree_make(list, (uint64_t)least);
	struct grid grid = {0};
	size_t shown = 0;

	begin_table(showing, &grid);
	grid_add_column(&grid, "Calls", false);
	for (; shown < tree.count && shown < showing->style->limit; shown++) {
		const struct stack_branch *branch = &tree.items[shown];
		struct text cell = {0};

		text_format(&cell, "%*s%s%s", (int)(branch->depth - 1), "",
			    branch->is_end ? "-> " : "",
			    stack_list_string(list, branch->function));
		add_numbers(showing, &grid, branch->ns, branch->times,
			    branch->longest_ns);
		grid_add_text(&grid, cell.data);
		text_deinit(&cell);
	}
	if (shown)
		end_table(showing, &grid, tree.count - shown);
	else
		grid_deinit(&grid);
	vector_deinit(&tree);
}

/* What is missing, a line each. */
static void add_notes(const char *notes, struct text *out)
{
	while (*notes) {
		const size_t length = strcspn(notes, "\n");
		char *line = strndup(notes, length);

		report_add_visible(out, line ? line : "");
		text_add(out, "\n");
		free(line);
		notes += length + (notes[length] != '\0');
	}
}

void stacks_show(const struct stack_list *list, const struct stacks_style *style,
		 struct text *out)
{
	static const char *const states[] = {"State", "Threads", NULL};
	static const char *const waits[] = {"State", "Threads", "On", NULL};
	static const char *const threads[] = {"Thread", "State", NULL};
	static const char *const locks[] = {"Waiting", "On",
					    "Held or released on the path", NULL};
	const struct showing_stacks showing = {list, style, out, list->followed};

	/* A profile that several were put into has none. */
	if (list->wall_ns) {
		report_add_duration(out, list->wall_ns);
		text_add(out, " of wall time, ");
	}
	report_add_duration(out, list->ns);
	text_add(out, showing.exact ? " of waiting in all threads\n"
				    : " in all threads together\n");
	if (list->notes)
		add_notes(list->notes, out);
	if (!list->rows.count)
		text_add(out, showing.exact ? "No call waited as long as the threshold.\n"
					    : "No thread was looked at.\n");
	add_table(&showing, stack_keys_state, states, add_state);
	add_table(&showing, stack_keys_wait, waits, add_wait);
	add_table(&showing, stack_keys_lock, locks, add_lock);
	add_table(&showing, stack_keys_thread, threads, add_thread);
	add_tree(&showing);
}
