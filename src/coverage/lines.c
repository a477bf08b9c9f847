#include "coverage/lines.h"

enum { LEFT_OUT = UINT32_MAX };

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

static int by_place(const void *left, const void *right)
{
	const struct coverage_line *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* Sorts the lines from `first` on, and makes one of those that are the same. */
static void unite(struct coverage *coverage, size_t first, bool add)
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

void lines_add(struct lines *lines, uint64_t start, uint64_t end,
	       const struct report_block *blocks, size_t block_count)
{
	struct coverage *coverage = lines->coverage;
	size_t before = coverage->lines.count, block = 0;

	for (size_t i = image_rows_from(lines->rows, start); i < lines->rows->rows.count;
	     i++) {
		const struct image_row *row = &lines->rows->rows.items[i];
		uint64_t from = row->start < start ? start : row->start;
		struct coverage_line line = {.line = row->place.line};

		if (row->start >= end)
			break;
		line.file = file_of(lines, row->place.file);
		if (line.file == LEFT_OUT)
			continue;
		while (block < block_count && end_of(&blocks[block]) <= from)
			block++;
		for (size_t b = block; b < block_count && blocks[b].address < row->end;
		     b++)
			if (blocks[b].count > line.count)
				line.count = blocks[b].count;
		vector_push(&coverage->lines, line);
	}
	unite(coverage, before, false);
}

void lines_finish(struct coverage *coverage)
{
	unite(coverage, 0, true);
	vector_for_each (&coverage->lines, line) {
		struct coverage_file *file = &coverage->files.items[line->file];

		file->lines++;
		file->executed_lines += line->count > 0;
	}
}
