/* A profile as tables of an SQLite database: types, modules, functions, places, and their
 * counts; and the tables of tools, probes and waits. */
#include "cli/exports/sqlite.h"

#include "cli/saving.h"
#include "export/places.h"
#include "store/sql/sqlite.h"

#include <stdlib.h>
#include <string.h>

#ifdef TRAMMEL_STORE

static const char schema[] =
	"CREATE TABLE types(id INTEGER PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT "
	"NULL, total INTEGER NOT NULL);"
	"CREATE TABLE modules(id INTEGER PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT "
	"NULL, build_id TEXT NOT NULL);"
	"CREATE TABLE functions(id INTEGER PRIMARY KEY, name TEXT NOT NULL, linked TEXT, "
	"module INTEGER REFERENCES modules, \"offset\" INTEGER, file TEXT, line INTEGER);"
	"CREATE TABLE places(id INTEGER PRIMARY KEY, caller INTEGER REFERENCES places, "
	"function INTEGER NOT NULL REFERENCES functions, address INTEGER, file TEXT, "
	"line INTEGER);"
	"CREATE TABLE counts(place INTEGER NOT NULL REFERENCES places, type INTEGER NOT "
	"NULL REFERENCES types, process INTEGER, thread INTEGER, value INTEGER NOT NULL);"
	"CREATE VIEW totals AS SELECT m.name AS module, f.name AS function, t.name AS "
	"type, sum(c.value) AS value FROM counts c JOIN places p ON p.id=c.place JOIN "
	"functions f ON f.id=p.function LEFT JOIN modules m ON m.id=f.module JOIN types "
	"t ON t.id=c.type GROUP BY f.module, f.name, c.type;";

static int64_t signed_of(uint64_t count)
{
	return (int64_t)export_signed(count);
}

static struct trm_error *add_names(struct sql *sql, const struct export_view *view)
{
	int64_t id = 0;

	vector_for_each (&view->types, type)
		TRM_TRY(sql_run(sql, "INSERT INTO types VALUES(?,?,?,?)", "itti", id++,
				type->name, type->unit, signed_of(type->total)));
	id = 0;
	vector_for_each (&view->profile->modules, module)
		TRM_TRY(sql_run(sql, "INSERT INTO modules VALUES(?,?,?,?)", "ittt", id++,
				module->name, module->path, module->build_id));
	id = 0;
	vector_for_each (&view->frames, frame)
		TRM_TRY(sql_run(sql,
				"INSERT INTO "
				"functions VALUES(?,?,?,nullif(?,-1),?,?,nullif(?,0))",
				"ittiiti", id++, frame->name, frame->linked,
				frame->module == EXPORT_NONE ? (int64_t)-1
							     : (int64_t)frame->module,
				(int64_t)frame->offset, frame->file,
				(int64_t)frame->line));
	return NULL;
}

static struct trm_error *add_places(struct sql *sql, const struct export_view *view)
{
	int64_t id = 0;

	vector_for_each (&view->nodes, node) {
		const char *file;
		uint32_t line;

		export_line_of(view, node, &file, &line);
		TRM_TRY(sql_run(sql,
				"INSERT INTO "
				"places VALUES(?,nullif(?,-1),?,?,?,nullif(?,0))",
				"iiiiti", id++,
				node->parent == EXPORT_NONE ? (int64_t)-1
							    : (int64_t)node->parent,
				(int64_t)node->frame, (int64_t)node->address, file,
				(int64_t)line));
	}
	return NULL;
}

static struct trm_error *add_counts(struct sql *sql, const struct export_view *view)
{
	const struct report_profile *profile = view->profile;

	vector_for_each (&view->counts, count)
		TRM_TRY(sql_run(
			sql, "INSERT INTO counts VALUES(?,?,?,nullif(?,-1),?)", "iiiii",
			(int64_t)count->node, (int64_t)count->type,
			(int64_t)profile->images.items[count->image].process,
			count->thread == EXPORT_NONE
				? (int64_t)-1
				: (int64_t)profile->threads.items[count->thread].number,
			signed_of(count->value)));
	return NULL;
}

/* "name", with what is in a name doubled. */
static void add_identifier(struct text *text, const char *name)
{
	text_add(text, "\"");
	for (; *name; name++)
		text_add_bytes(text, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
	text_add(text, "\"");
}

static const char *const column_types[] = {
	[EXPORT_INT] = "INTEGER", [EXPORT_UINT] = "INTEGER",    [EXPORT_REAL] = "REAL",
	[EXPORT_TEXT] = "TEXT",   [EXPORT_ADDRESS] = "INTEGER",
};

static struct trm_error *make_table(struct sql *sql, const struct export_records *records,
				    struct text *insert)
{
	struct text create = {0};
	struct trm_error *error;

	text_add(&create, "CREATE TABLE ");
	add_identifier(&create, records->name);
	text_add(insert, "INSERT INTO ");
	add_identifier(insert, records->name);
	vector_for_each (&records->columns, column) {
		const bool first = column == records->columns.items;

		text_add(&create, first ? "(" : ", ");
		add_identifier(&create, column->name);
		text_format(&create, " %s", column_types[column->type]);
		text_add(insert, first ? " VALUES(?" : ",?");
	}
	text_add(&create, ")");
	text_add(insert, ")");
	error = sql_script(sql, create.data);
	text_deinit(&create);
	return error;
}

static void set_value(struct sql_value *value, uint8_t type,
		      const struct export_cell *cell)
{
	*value = (struct sql_value){.type = !cell->there          ? SQL_NOTHING
					    : type == EXPORT_REAL ? SQL_REAL
					    : type == EXPORT_TEXT ? SQL_TEXT
								  : SQL_INT};
	if (type == EXPORT_REAL)
		value->real = cell->d;
	else if (type == EXPORT_TEXT)
		value->text = cell->text;
	else
		value->number = type == EXPORT_INT ? cell->i : signed_of(cell->u);
}

static struct trm_error *add_records(struct sql *sql,
				     const struct export_records *records)
{
	const size_t columns = records->columns.count;
	struct sql_value *values = memory_allocate_zeroed(columns, sizeof(*values));
	struct text insert = {0};
	struct trm_error *error = make_table(sql, records, &insert);
	const char *text = error ? NULL : sql_keep(sql, insert.data);

	for (size_t i = 0; !error && i < records->cells.count; i += columns) {
		for (size_t k = 0; k < columns; k++)
			set_value(&values[k], records->columns.items[k].type,
				  &records->cells.items[i + k]);
		error = sql_run_values(sql, text, values, columns);
	}
	text_deinit(&insert);
	free(values);
	return error;
}

static struct trm_error *add_all(struct sql *sql, const struct export_view *view,
				 const struct export_record_list *records)
{
	TRM_TRY(sql_script(sql, schema));
	TRM_TRY(sql_begin(sql, SQL_CHANGING));
	TRM_TRY(add_names(sql, view));
	TRM_TRY(add_places(sql, view));
	TRM_TRY(add_counts(sql, view));
	vector_for_each (&records->tables, table)
		TRM_TRY(add_records(sql, table));
	return sql_commit(sql);
}

struct trm_error *exporting_sqlite(const struct exporting *exporting, const char *path)
{
	struct export_view view;
	struct trm_error *error;
	struct sql *sql;

	TRM_TRY(sqlite_open(path, SQL_CREATE, &sql));
	export_view_init(&view, exporting->profile);
	export_places_open(&view);
	export_view_add_blocks(&view, exporting->options->addresses);
	error = add_all(sql, &view, exporting->options->records);
	export_view_deinit(&view);
	sql_close(sql);
	return error;
}

#else

struct trm_error *exporting_sqlite(const struct exporting *exporting, const char *path)
{
	(void)exporting;
	(void)path;
	return saving_missing();
}

#endif
