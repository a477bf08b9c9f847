/*
 * Tables of the tools that come with trammel: what is printed, and what is recorded for
 * the profile, by one description of the columns.
 */
#ifndef TRAMMEL_ANALYSIS_TABLES_H
#define TRAMMEL_ANALYSIS_TABLES_H

#include "places.h"

#include <stddef.h>

/* What a column is in records. */
enum column_role { ROLE_NONE, ROLE_KEY, ROLE_SUM, ROLE_MOST };

/* What is in the row at column.at, and how it is printed. */
enum column_show {
	SHOW_NUMBER, /* uint64_t */
	SHOW_SHARE,  /* the same, as a part of the number at column.of */
	SHOW_PART,   /* the same, as a part of table_rows.all */
	SHOW_SUM,    /* the same, with the rows above */
	SHOW_US,     /* uint64_t, nanoseconds: as microseconds */
	SHOW_TEXT,   /* char array */
	SHOW_PLACE,  /* pointer to a struct place; NULL: not known */
	SHOW_PC,     /* address in the running program; not printed */
	SHOW_REGION, /* uint64_t: see places_region; not printed */
	SHOW_CELL,   /* nothing: column.print prints it; not recorded */
};

struct column {
	const char *name;  /* in records */
	const char *title; /* NULL: it is not printed */
	int width;         /* columns; below 0: at the left */
	uint8_t role, show;
	uint32_t at, of;
	void (*print)(const void *row);
};

/* A column of a member of rows; a part of another member; their region; a cell alone. */
#define COLUMN(name, title, width, role, show, type, member)                             \
	{                                                                                \
		name, title, width, ROLE_##role, SHOW_##show,                            \
			offsetof(struct type, member), 0, NULL                           \
	}
#define COLUMN_SHARE(name, title, width, role, type, member, of)                         \
	{                                                                                \
		name, title, width, ROLE_##role, SHOW_SHARE,                             \
			offsetof(struct type, member), offsetof(struct type, of), NULL   \
	}
#define COLUMN_REGION(type, member)                                                      \
	COLUMN("region.path", NULL, 0, KEY, REGION, type, member)
#define COLUMN_CELL(title, width, print)                                                 \
	{                                                                                \
		NULL, title, width, ROLE_NONE, SHOW_CELL, 0, 0, print                    \
	}

struct table {
	const char *name;
	const struct column *columns;
	size_t count;
	/* The code that a row is about, told last; NULL: none. */
	const struct place *(*place)(const void *row);
	const char *place_title; /* NULL: it is recorded alone */
	/* Prints what is told of a row below it; NULL: nothing. */
	void (*more)(const void *row);
};

#define TABLE_COLUMNS(list) (list), sizeof(list) / sizeof((list)[0])

struct table_rows {
	const void *const *items;
	size_t count;
	uint64_t top; /* so many are printed; all are recorded */
	uint64_t all; /* of SHOW_PART and SHOW_SUM */
};

/* The place of rows that begin with it. */
static inline const struct place *row_place(const void *row)
{
	return (const struct place *)row;
}

static inline uint64_t row_number(const void *row, uint32_t at)
{
	return *(const uint64_t *)(const void *)((const char *)row + at);
}

static inline const struct place *row_other_place(const void *row, uint32_t at)
{
	return *(const struct place *const *)(const void *)((const char *)row + at);
}

static inline void print_place(const struct place *place)
{
	if (place)
		place_print(stderr, place);
	else
		fputs("(code that is not instrumented)", stderr);
}

static inline void print_share(int width, double share)
{
	fprintf(stderr, "%*.2f %%", width - 2, share);
}

static inline void print_cell(const struct column *column, const void *row, uint64_t sum,
			      uint64_t all)
{
	const char *at = (const char *)row + column->at;

	switch (column->show) {
	case SHOW_NUMBER:
		fprintf(stderr, "%*llu", column->width,
			(unsigned long long)row_number(row, column->at));
		break;
	case SHOW_SHARE:
		print_share(column->width, percent(row_number(row, column->at),
						   row_number(row, column->of)));
		break;
	case SHOW_PART:
		print_share(column->width, percent(row_number(row, column->at), all));
		break;
	case SHOW_SUM:
		print_share(column->width, percent(sum, all));
		break;
	case SHOW_US:
		fprintf(stderr, "%*.1f", column->width,
			(double)row_number(row, column->at) / 1e3);
		break;
	case SHOW_TEXT:
		fprintf(stderr, "%*s", column->width, at);
		break;
	case SHOW_PLACE:
		print_place(row_other_place(row, column->at));
		break;
	default:
		column->print(row);
	}
}

/* Between two cells, and in front of the first one. */
static inline const char *space_before(const struct column *column, bool first)
{
	return first || column->show >= SHOW_TEXT ? "  " : " ";
}

static inline void table_print_titles(const struct table *table)
{
	bool first = true;

	for (size_t i = 0; i < table->count; i++) {
		const struct column *column = &table->columns[i];

		if (!column->title)
			continue;
		fprintf(stderr, "%s%*s", space_before(column, first), column->width,
			column->title);
		first = false;
	}
	if (table->place_title)
		fprintf(stderr, "  %s", table->place_title);
	fputc('\n', stderr);
}

static inline void table_print_row(const struct table *table, const void *row,
				   uint64_t *sum, uint64_t all)
{
	bool first = true;

	for (size_t i = 0; i < table->count; i++) {
		const struct column *column = &table->columns[i];

		if (column->show == SHOW_SUM)
			*sum += row_number(row, column->at);
		if (!column->title)
			continue;
		fputs(space_before(column, first), stderr);
		print_cell(column, row, *sum, all);
		first = false;
	}
	if (table->place_title) {
		fputs("  ", stderr);
		print_place(table->place(row));
	}
	fputc('\n', stderr);
	if (table->more)
		table->more(row);
}

static inline void table_print(const struct table *table, const struct table_rows *rows)
{
	uint64_t sum = 0;

	if (rows->count)
		table_print_titles(table);
	for (size_t i = 0; i < rows->count && i < rows->top; i++)
		table_print_row(table, rows->items[i], &sum, rows->all);
}

static inline struct trammel_field field_of_cell(const struct column *column,
						 const void *row)
{
	const struct place *place;
	int64_t number;

	if (column->show == SHOW_TEXT)
		return trammel_key_text(column->name, (const char *)row + column->at);
	if (column->show == SHOW_PLACE) {
		place = row_other_place(row, column->at);
		return trammel_key_code(column->name, place ? place->code : 0);
	}
	number = (int64_t)row_number(row, column->at);
	if (column->show == SHOW_REGION)
		return trammel_key_region((uint64_t)number - 1);
	if (column->show == SHOW_PC)
		return trammel_key_pc(column->name, (uint64_t)number);
	return column->role == ROLE_KEY   ? trammel_key(column->name, number)
	       : column->role == ROLE_SUM ? trammel_sum(column->name, number)
					  : trammel_most(column->name, number);
}

/* Regions are where they are told apart. */
static inline bool is_recorded(const struct column *column, const void *row)
{
	return column->role != ROLE_NONE &&
	       (column->show != SHOW_REGION || row_number(row, column->at));
}

static inline void table_record(const struct table *table, const struct table_rows *rows)
{
	struct trammel_field fields[TRAMMEL_FIELDS_MAX];

	for (size_t i = 0; i < rows->count; i++) {
		const struct place *place =
			table->place ? table->place(rows->items[i]) : NULL;
		size_t count = 0;

		if (place)
			fields[count++] = trammel_key_code("code", place->code);
		for (size_t c = 0; c < table->count; c++)
			if (is_recorded(&table->columns[c], rows->items[i]))
				fields[count++] =
					field_of_cell(&table->columns[c], rows->items[i]);
		trammel_record_fields(table->name, fields, count);
	}
}

/* Prints the first rows, and records all. */
static inline void table_write(const struct table *table, const struct table_rows *rows)
{
	table_print(table, rows);
	table_record(table, rows);
}

/* Records a table of one row. */
static inline void table_record_row(const struct table *table, const void *row)
{
	const struct table_rows rows = {&row, 1, 1, 0};

	table_record(table, &rows);
}

/* Writes the rows that places_sort has found, and frees the list. */
static inline void table_write_places(const struct table *table, struct place **list,
				      size_t count, uint64_t top, uint64_t all)
{
	const struct table_rows rows = {(const void *const *)list, count, top, all};

	if (list)
		table_write(table, &rows);
	free(list);
}

/* Sets the numbers of a row to 0. */
static inline void table_forget_row(const struct table *table, void *row)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->columns[i].role == ROLE_SUM ||
		    table->columns[i].role == ROLE_MOST)
			*(uint64_t *)(void *)((char *)row + table->columns[i].at) = 0;
}

/* Likewise of all places in use: what was counted before a fork is the parent's. */
static inline void table_forget_places(const struct table *table)
{
	for (struct place *place = places_used; place; place = place->next)
		table_forget_row(table, place);
}

/* Has a routine without arguments called in processes that were forked. */
static inline void table_call_at_fork(const struct trammel_api *api, const char *routine)
{
	char prototype[64];

	snprintf(prototype, sizeof(prototype), "%s()", routine);
	api->prototype(prototype);
	trammel_add_call(api, trammel_fork(), routine);
}

#endif
