#include "store/answer.h"

#include "base/json_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void answer_column(struct answer *answer, const char *title, const char *key,
		   enum answer_kind kind)
{
	vector_push(&answer->columns, ((struct answer_column){title, key, kind}));
}

void answer_text(struct answer *answer, const char *text)
{
	vector_push(&answer->cells,
		    ((struct answer_cell){.text = memory_copy_string(text)}));
}

void answer_number(struct answer *answer, int64_t number)
{
	vector_push(&answer->cells,
		    ((struct answer_cell){.number = number, .real = (double)number}));
}

void answer_real(struct answer *answer, double number)
{
	vector_push(&answer->cells,
		    ((struct answer_cell){.fraction = true, .real = number}));
}

void answer_none(struct answer *answer)
{
	vector_push(&answer->cells, ((struct answer_cell){.none = true}));
}

size_t answer_rows(const struct answer *answer)
{
	return answer->cells.count / answer->columns.count;
}

static void add_grouped(struct text *text, int64_t number)
{
	if (number < 0)
		text_add(text, "-");
	text_add_grouped(text, number < 0 ? -(unsigned long long)number
					  : (unsigned long long)number);
}

/* A number of a column of whole ones may be none, if events of several kinds are in it.
 */
static enum answer_kind kind_of(const struct answer_column *column,
				const struct answer_cell *cell)
{
	return column->kind == ANSWER_NUMBER && cell->fraction ? ANSWER_REAL
							       : column->kind;
}

static void print_cell(const struct answer_column *column, const struct answer_cell *cell,
		       struct text *text)
{
	text->length = 0;
	text_add(text, "");
	if (cell->none)
		return;
	switch (kind_of(column, cell)) {
	case ANSWER_TEXT:
		text_add(text, cell->text);
		break;
	case ANSWER_NUMBER:
		add_grouped(text, cell->number);
		break;
	case ANSWER_REAL:
		if (cell->real == floor(cell->real) && fabs(cell->real) < 1e15)
			add_grouped(text, (int64_t)cell->real);
		else
			text_format(text, fabs(cell->real) < 1e15 ? "%.2f" : "%.6g",
				    cell->real);
		break;
	case ANSWER_SHARE:
		text_format(text, "%.1f%%", cell->real);
		break;
	case ANSWER_ADDRESS:
		text_format(text, "0x%" PRIx64, cell->number);
		break;
	}
}

void answer_print(const struct answer *answer, size_t limit,
		  const struct text_style *style, struct text *out)
{
	const size_t width = answer->columns.count, rows = answer_rows(answer);
	const size_t shown = rows < limit ? rows : limit;
	struct grid grid = {0};
	struct text cell = {0};

	if (answer->head)
		text_format(out, "%s\n\n", answer->head);
	vector_for_each (&answer->columns, column)
		grid_add_column(&grid, column->title, column->kind != ANSWER_TEXT);
	for (size_t i = 0; i < shown * width; i++) {
		print_cell(&answer->columns.items[i % width], &answer->cells.items[i],
			   &cell);
		grid_add_text(&grid, cell.data);
	}
	grid_print(&grid, style, out);
	if (answer->cut)
		text_add(out, "... more rows: --all\n");
	else if (shown < rows)
		text_format(out, "... %zu more rows: --all\n", rows - shown);
	text_deinit(&cell);
	grid_deinit(&grid);
}

static void add_json_cell(const struct answer_column *column,
			  const struct answer_cell *cell, struct text *out)
{
	const enum answer_kind kind = kind_of(column, cell);

	json_add_key(out, column->key);
	if (cell->none || (kind != ANSWER_TEXT && !isfinite(cell->real)))
		text_add(out, "null");
	else if (kind == ANSWER_TEXT)
		text_add_json(out, cell->text);
	else if (kind == ANSWER_NUMBER)
		text_format(out, "%" PRId64, cell->number);
	else if (kind == ANSWER_ADDRESS)
		text_format(out, "\"0x%" PRIx64 "\"", cell->number);
	else
		text_format(out, "%.17g", cell->real);
}

void answer_json(const struct answer *answer, const char *name, struct text *out)
{
	const size_t width = answer->columns.count;

	text_format(out, "{\"%s\": [", name);
	for (size_t i = 0; i < answer->cells.count; i++) {
		if (!(i % width))
			text_format(out, "%s\n  {", i ? "," : "");
		add_json_cell(&answer->columns.items[i % width], &answer->cells.items[i],
			      out);
		if (i % width == width - 1)
			text_add(out, "}");
	}
	text_add(out, "\n]}\n");
}

void answer_deinit(struct answer *answer)
{
	vector_for_each (&answer->cells, cell)
		free(cell->text);
	vector_deinit(&answer->cells);
	vector_deinit(&answer->columns);
	free(answer->head);
}
