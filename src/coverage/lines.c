#include "coverage/lines.h"

#include "base/array.h"

enum { LEFT_OUT = UINT32_MAX };

struct blocks {
	const struct report_block *items;
	size_t count;
};

/* The number of a row's file in coverage.paths; LEFT_OUT if it is not wanted. */
static uint32_t file_of(struct lines *lines, uint32_t number)
{
	const char *path = lines->rows->files.strings[number];
	bool new;
	uint64_t *file = table_insert(&lines->file_by_number, number, &new);

	if (new)
		*file = lines->source && !text_glob(lines->source, path)
				? LEFT_OUT
				: string_table_intern(&lines->coverage->paths, path);
	return (uint32_t)*file;
}

static uint64_t end_of(const struct report_block *block)
{
	return block->address + block->size;
}

COMPARE_BY_TWO(by_place, struct coverage_line, file, line);

/* Sorts the lines from `first` on, and makes one of those that are the same. */
static void unite_rows(struct coverage *coverage, size_t first, bool add)
{
	struct coverage_line *items = coverage->lines.items;
	size_t kept = first;

	if (coverage->lines.count <= first)
		return;
	qsort(items + first, coverage->lines.count - first, sizeof(*items), by_place);
	for (size_t i = first + 1; i < coverage->lines.count; i++) {
		if (by_place(&items[kept], &items[i]))
			items[++kept] = items[i];
		else if (add)
			items[kept].count += items[i].count;
		else if (items[i].count > items[kept].count)
			items[kept].count = items[i].count;
	}
	coverage->lines.count = kept + 1;
}

/* Adds the line of a row with the most executions of its blocks from an address on.
 * `block` is the first that can be in the row, and in rows that start later. */
static void add_row(struct lines *lines, const struct image_row *row, uint64_t from,
		    const struct blocks *blocks, size_t *block)
{
	struct coverage_line line = {.line = row->place.line};

	line.file = file_of(lines, row->place.file);
	if (line.file == LEFT_OUT)
		return;
	if (from < row->start)
		from = row->start;
	while (*block < blocks->count && end_of(&blocks->items[*block]) <= from)
		++*block;
	for (size_t b = *block; b < blocks->count && blocks->items[b].address < row->end;
	     b++)
		if (blocks->items[b].count > line.count)
			line.count = blocks->items[b].count;
	vector_push(&lines->coverage->lines, line);
}

static void add_range(struct lines *lines, const struct image_range *range,
		      const struct blocks *blocks)
{
	const struct image_row_list *rows = &lines->rows->rows;
	const struct image_row_list *folded = &lines->rows->folded;
	size_t block = 0;

	for (size_t i = image_rows_from(lines->rows, range->start);
	     i < rows->count && rows->items[i].start < range->end; i++)
		add_row(lines, &rows->items[i], range->start, blocks, &block);
	block = 0;
	for (size_t i = image_rows_folded_from(lines->rows, range->start);
	     i < folded->count && folded->items[i].start < range->end; i++)
		add_row(lines, &folded->items[i], range->start, blocks, &block);
}

void lines_add(struct lines *lines, const struct image_ranges *ranges,
	       const struct report_block *blocks, size_t block_count)
{
	size_t before = lines->coverage->lines.count;

	vector_for_each (ranges, range)
		add_range(lines, range, &(struct blocks){blocks, block_count});
	unite_rows(lines->coverage, before, false);
}

void lines_finish(struct coverage *coverage)
{
	unite_rows(coverage, 0, true);
	vector_for_each (&coverage->lines, line) {
		struct coverage_file *file = &coverage->files.items[line->file];

		file->lines++;
		file->executed_lines += line->count > 0;
	}
}

/* The ways of one branch, if it has a place in the source. */
static void add_branch(struct lines *lines, uint32_t module,
		       const struct report_edge *edges, size_t count)
{
	size_t index = image_rows_from(lines->rows, edges->address);
	const struct image_row *row = &lines->rows->rows.items[index];
	uint32_t file;

	if (index == lines->rows->rows.count || row->start > edges->address)
		return;
	file = file_of(lines, row->place.file);
	if (file == LEFT_OUT)
		return;
	for (uint32_t i = 0; i < count; i++)
		vector_push(&lines->coverage->branches,
			    ((struct coverage_branch){.file = file,
						      .line = row->place.line,
						      .module = module,
						      .address = edges->address,
						      .way = i,
						      .count = edges[i].count}));
}

void lines_add_branches(struct lines *lines, uint32_t module,
			const struct report_edge *edges, size_t count)
{
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && edges[end].from == edges[i].from; end++)
			;
		if (end > i + 1)
			add_branch(lines, module, edges + i, end - i);
	}
}

static int compare_branches(const void *left, const void *right)
{
	const struct coverage_branch *a = left, *b = right;

	return compare_numbers(a->file, b->file) ?: compare_numbers(a->line, b->line)
		       ?: compare_numbers(a->module, b->module)
		       ?: compare_numbers(a->address, b->address)
		       ?: compare_numbers(a->way, b->way);
}

void lines_finish_branches(struct coverage *coverage)
{
	if (!coverage->branches.count)
		return;
	qsort(coverage->branches.items, coverage->branches.count,
	      sizeof(*coverage->branches.items), compare_branches);
	vector_for_each (&coverage->branches, branch) {
		struct coverage_file *file = &coverage->files.items[branch->file];

		file->branches++;
		file->taken_branches += branch->count > 0;
	}
}
