#include "store/ask.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "store/total.h"

#include <stdio.h>
#include <string.h>

#define CHOSEN "(SELECT run FROM temp.chosen)"

struct column {
	const char *title, *key;
	enum answer_kind kind;
};

enum { COLUMNS_MAX = 9 };

static const struct list {
	const char *kind, *question;
	struct column columns[COLUMNS_MAX];
} lists[] = {
	{"epochs",
	 "SELECT e.name, e.kind, sum(r.runs), min(r.start), max(r.start),"
	 " count(DISTINCT r.host) FROM epochs e JOIN runs r ON r.epoch=e.id"
	 " WHERE r.id IN " CHOSEN " GROUP BY e.id ORDER BY min(r.start), e.name",
	 {{"epoch", "epoch", ANSWER_TEXT},
	  {"kind", "kind", ANSWER_TEXT},
	  {"runs", "runs", ANSWER_NUMBER},
	  {"first", "first", ANSWER_TEXT},
	  {"last", "last", ANSWER_TEXT},
	  {"hosts", "hosts", ANSWER_NUMBER}}},
	{"runs",
	 "SELECT r.id, e.name, h.name, r.start, r.measure, r.runs, r.exit,"
	 " coalesce((SELECT group_concat(l.name, ',') FROM run_labels x"
	 " JOIN labels l ON l.id=x.label WHERE x.run=r.id), ''), r.command"
	 " FROM runs r JOIN epochs e ON e.id=r.epoch JOIN hosts h ON h.id=r.host"
	 " WHERE r.id IN " CHOSEN " ORDER BY r.id",
	 {{"run", "run", ANSWER_NUMBER},
	  {"epoch", "epoch", ANSWER_TEXT},
	  {"host", "host", ANSWER_TEXT},
	  {"start", "start", ANSWER_TEXT},
	  {"measured", "measure", ANSWER_TEXT},
	  {"runs", "runs", ANSWER_NUMBER},
	  {"exit", "exit", ANSWER_TEXT},
	  {"labels", "labels", ANSWER_TEXT},
	  {"command", "command", ANSWER_TEXT}}},
	{"images",
	 "SELECT i.build, i.size, count(*), max(x.known), i.path FROM run_images x"
	 " JOIN images i ON i.id=x.image WHERE x.run IN " CHOSEN
	 " GROUP BY i.id ORDER BY i.path, i.id",
	 {{"build id", "build", ANSWER_TEXT},
	  {"bytes", "bytes", ANSWER_NUMBER},
	  {"runs", "runs", ANSWER_NUMBER},
	  {"functions", "functions", ANSWER_NUMBER},
	  {"path", "path", ANSWER_TEXT}}},
	{"events",
	 "SELECT e.name, e.fold, e.sampled, count(DISTINCT s.run), sum(s.value)"
	 " FROM events e LEFT JOIN sums s ON s.event=e.id AND s.run IN " CHOSEN
	 " GROUP BY e.id HAVING e.id<>0 OR count(s.run)>0 ORDER BY e.name",
	 {{"event", "event", ANSWER_TEXT},
	  {"adds up as", "fold", ANSWER_TEXT},
	  {"sampled", "sampled", ANSWER_NUMBER},
	  {"runs", "runs", ANSWER_NUMBER},
	  {"total", "total", ANSWER_REAL}}},
	{"hosts",
	 "SELECT h.name, sum(r.runs), min(r.start), max(r.start) FROM hosts h"
	 " JOIN runs r ON r.host=h.id WHERE r.id IN " CHOSEN " GROUP BY h.id ORDER BY 1",
	 {{"host", "host", ANSWER_TEXT},
	  {"runs", "runs", ANSWER_NUMBER},
	  {"first", "first", ANSWER_TEXT},
	  {"last", "last", ANSWER_TEXT}}},
	{"labels",
	 "SELECT l.name, sum(r.runs), min(r.start), max(r.start) FROM labels l"
	 " JOIN run_labels x ON x.label=l.id JOIN runs r ON r.id=x.run"
	 " WHERE r.id IN " CHOSEN " GROUP BY l.id ORDER BY 1",
	 {{"label", "label", ANSWER_TEXT},
	  {"runs", "runs", ANSWER_NUMBER},
	  {"first", "first", ANSWER_TEXT},
	  {"last", "last", ANSWER_TEXT}}},
};

static const struct list *find_list(const char *kind)
{
	for (size_t i = 0; i < array_count(lists); i++)
		if (!strcmp(lists[i].kind, kind))
			return &lists[i];
	return NULL;
}

bool ask_has_list(const char *kind)
{
	return find_list(kind);
}

static void add_columns(struct answer *answer, const struct column *columns)
{
	for (size_t i = 0; i < COLUMNS_MAX && columns[i].title; i++)
		answer_column(answer, columns[i].title, columns[i].key, columns[i].kind);
}

static void add_row(struct answer *answer, const struct sql_rows *rows)
{
	for (size_t i = 0; i < answer->columns.count; i++) {
		const int column = (int)i;

		if (sql_is_null(rows, column))
			answer_none(answer);
		else if (answer->columns.items[i].kind == ANSWER_TEXT)
			answer_text(answer, sql_text(rows, column));
		else if (sql_is_real(rows, column))
			answer_real(answer, sql_real(rows, column));
		else
			answer_number(answer, sql_int(rows, column));
	}
}

/* All rows of a question whose columns are those of the answer. */
static struct trm_error *add_rows(struct answer *answer, struct sql_rows *rows)
{
	bool more = true;

	while (more) {
		TRM_TRY(sql_next(rows, &more));
		if (more)
			add_row(answer, rows);
	}
	return NULL;
}

struct trm_error *ask_list(struct sql *sql, const char *kind, struct answer *ret_answer)
{
	const struct list *list = find_list(kind);
	struct sql_rows rows;

	add_columns(ret_answer, list->columns);
	TRM_TRY(sql_ask(sql, &rows, list->question, ""));
	return add_rows(ret_answer, &rows);
}

const char *const ask_subjects[] = {"function", "image", "epoch", "host",
				    "label",    "run",   NULL};

/* Value, name, and further columns of rows, by subject. */
static const struct top {
	bool totals; /* of temp.totals; else the event is a parameter */
	const char *question;
	struct column columns[COLUMNS_MAX];
} tops[] = {
	{true,
	 "SELECT t.value, f.name, i.path,"
	 " CASE WHEN i.id<>0 THEN f.offset END FROM temp.totals t JOIN functions f "
	 "ON f.id=t.function"
	 " JOIN images i ON i.id=f.image"
	 " WHERE f.id IN (SELECT function FROM temp.chosen_functions)"
	 " ORDER BY 1 DESC, 2, 3, 4",
	 {{"function", "function", ANSWER_TEXT},
	  {"image", "image", ANSWER_TEXT},
	  {"address", "address", ANSWER_ADDRESS}}},
	{true,
	 "SELECT sum(t.value), i.path, i.build FROM temp.totals t JOIN functions f ON "
	 "f.id=t.function"
	 " JOIN images i ON i.id=f.image"
	 " WHERE f.id IN (SELECT function FROM temp.chosen_functions)"
	 " GROUP BY i.id ORDER BY 1 DESC, 2, 3",
	 {{"image", "image", ANSWER_TEXT}, {"build id", "build", ANSWER_TEXT}}},
#define BY_RUN(name, join)                                                               \
	"SELECT sum(s.value), " name " FROM sums s JOIN runs r ON r.id=s.run " join      \
	" WHERE s.event=?1 AND r.id IN " CHOSEN                                          \
	" AND s.function IN (SELECT function FROM temp.chosen_functions)"                \
	" GROUP BY 2 ORDER BY 1 DESC, 2"
	{false,
	 BY_RUN("e.name", "JOIN epochs e ON e.id=r.epoch"),
	 {{"epoch", "epoch", ANSWER_TEXT}}},
	{false,
	 BY_RUN("h.name", "JOIN hosts h ON h.id=r.host"),
	 {{"host", "host", ANSWER_TEXT}}},
	{false,
	 BY_RUN("l.name", "JOIN run_labels x ON x.run=r.id"
			  " JOIN labels l ON l.id=x.label"),
	 {{"label", "label", ANSWER_TEXT}}},
	{false, BY_RUN("r.id", ""), {{"run", "run", ANSWER_NUMBER}}},
};

/* "samples:task-clock of 3 runs: 1,234" */
static struct trm_error *add_head(struct sql *sql, const struct store_event *event,
				  double total, struct answer *answer)
{
	struct text head = {0};
	int64_t runs;

	TRM_TRY(sql_number(sql, 0, &runs,
			   "SELECT sum(runs) FROM runs WHERE id IN " CHOSEN, ""));
	text_format(&head, "%s of %ld run%s", event->name, (long)runs,
		    runs == 1 ? "" : "s");
	if (total >= 0) {
		text_add(&head, ": ");
		if (event->real)
			text_format(&head, "%.6g", total);
		else
			text_add_grouped(&head, (unsigned long long)total);
	}
	answer->head = head.data;
	return NULL;
}

static void add_value(struct answer *answer, const struct sql_rows *rows, int column)
{
	if (sql_is_real(rows, column))
		answer_real(answer, sql_real(rows, column));
	else
		answer_number(answer, sql_int(rows, column));
}

struct trm_error *ask_top(struct sql *sql, const struct store_event *event, int subject,
			  struct answer *ret_answer)
{
	const struct top *top = &tops[subject];
	double total = 0, so_far = 0;
	struct sql_rows rows;
	bool more = true;

	answer_column(ret_answer, event->name, "value",
		      event->real ? ANSWER_REAL : ANSWER_NUMBER);
	answer_column(ret_answer, "share", "percent", ANSWER_SHARE);
	answer_column(ret_answer, "cum.", "cumulative", ANSWER_SHARE);
	add_columns(ret_answer, top->columns);
	if (top->totals) {
		TRM_TRY(total_functions(sql, event, "chosen", 0));
		TRM_TRY(sql_ask(sql, &rows, top->question, ""));
	} else {
		TRM_TRY(sql_ask(sql, &rows, top->question, "i", event->id));
	}
	while (more) {
		TRM_TRY(sql_next(&rows, &more));
		if (!more)
			break;
		total += sql_real(&rows, 0);
		add_value(ret_answer, &rows, 0);
		answer_none(ret_answer);
		answer_none(ret_answer);
		for (int i = 1; top->columns[i - 1].title; i++) {
			if (sql_is_null(&rows, i))
				answer_none(ret_answer);
			else if (top->columns[i - 1].kind == ANSWER_TEXT)
				answer_text(ret_answer, sql_text(&rows, i));
			else
				answer_number(ret_answer, sql_int(&rows, i));
		}
	}
	const size_t width = ret_answer->columns.count;

	for (size_t i = 0; i < ret_answer->cells.count && total > 0; i += width) {
		struct answer_cell *cells = &ret_answer->cells.items[i];

		so_far += cells[0].real;
		cells[1] = (struct answer_cell){.real = 100 * cells[0].real / total};
		cells[2] = (struct answer_cell){.real = 100 * so_far / total};
	}
	return add_head(sql, event, total, ret_answer);
}

struct trm_error *ask_places(struct sql *sql, struct answer *ret_answer)
{
	static const struct column columns[COLUMNS_MAX] = {
		{"address", "address", ANSWER_ADDRESS},
		{"event", "event", ANSWER_TEXT},
		{"number", "value", ANSWER_NUMBER},
		{"contexts", "contexts", ANSWER_NUMBER},
		{"function", "function", ANSWER_TEXT},
		{"image", "image", ANSWER_TEXT},
		{"build id", "build", ANSWER_TEXT}};
	struct sql_rows rows;

	add_columns(ret_answer, columns);
	TRM_TRY(sql_ask(
		sql, &rows,
		"SELECT coalesce(x.address, f.offset), e.name,"
		" CASE e.fold WHEN 'min' THEN min(c.value)"
		" WHEN 'max' THEN max(c.value) ELSE sum(c.value) END,"
		" count(DISTINCT x.id), f.name, i.path, i.build"
		" FROM temp.chosen_functions t JOIN functions f ON f.id=t.function"
		" JOIN images i ON i.id=f.image"
		" CROSS JOIN contexts x ON x.function=f.id"
		" CROSS JOIN sources s ON s.run IN " CHOSEN
		" CROSS JOIN counts c ON c.source=s.id AND c.context=x.id"
		" JOIN events e ON e.id=c.event"
		" GROUP BY f.id, i.id, 1, e.id ORDER BY i.path, i.build, f.name, 1, 2",
		""));
	return add_rows(ret_answer, &rows);
}

struct trm_error *ask_top_places(struct sql *sql, const struct store_event *event,
				 size_t limit, struct answer *ret_answer)
{
	const struct column columns[COLUMNS_MAX] = {
		{"number", "value", event->real ? ANSWER_REAL : ANSWER_NUMBER},
		{"address", "address", ANSWER_ADDRESS},
		{"function", "function", ANSWER_TEXT},
		{"image", "image", ANSWER_TEXT},
		{"build id", "build", ANSWER_TEXT}};
	struct sql_rows rows;

	add_columns(ret_answer, columns);
	TRM_TRY(sql_ask(
		sql, &rows,
		"SELECT sum(c.value), coalesce(x.address, f.offset), f.name, i.path,"
		" i.build FROM sources s CROSS JOIN counts c ON c.source=s.id"
		" JOIN contexts x ON x.id=c.context"
		" JOIN functions f ON f.id=x.function"
		" JOIN images i ON i.id=f.image WHERE s.run IN " CHOSEN " AND c.event=?"
		" AND f.id IN (SELECT function FROM temp.chosen_functions)"
		" GROUP BY f.id, i.id, 2 ORDER BY 1 DESC, 4, 5, 2, 3 LIMIT ?",
		"ii", event->id, (int64_t)(limit < INT64_MAX ? limit + 1 : INT64_MAX)));
	TRM_TRY(add_rows(ret_answer, &rows));
	ret_answer->cut = answer_rows(ret_answer) > limit;
	return NULL;
}

struct trm_error *ask_numbers(struct sql *sql, size_t limit, struct answer *ret_answer)
{
	static const struct column columns[COLUMNS_MAX] = {
		{"run", "run", ANSWER_NUMBER},
		{"source", "source", ANSWER_NUMBER},
		{"context", "context", ANSWER_NUMBER},
		{"address", "address", ANSWER_ADDRESS},
		{"event", "event", ANSWER_TEXT},
		{"number", "value", ANSWER_NUMBER},
		{"function", "function", ANSWER_TEXT},
		{"image", "image", ANSWER_TEXT}};
	struct sql_rows rows;

	add_columns(ret_answer, columns);
	TRM_TRY(sql_ask_many(
		sql, &rows,
		"SELECT s.run, s.id, x.id, x.address, e.name, c.value, f.name,"
		" i.path FROM sources s CROSS JOIN counts c ON c.source=s.id"
		" JOIN contexts x ON x.id=c.context"
		" JOIN events e ON e.id=c.event"
		" JOIN functions f ON f.id=x.function"
		" JOIN images i ON i.id=f.image WHERE s.run IN " CHOSEN
		" AND f.id IN (SELECT function FROM temp.chosen_functions)"
		" ORDER BY s.run, s.id, x.id, e.id LIMIT ?",
		"i", (int64_t)(limit < INT64_MAX ? limit + 1 : INT64_MAX)));
	TRM_TRY(add_rows(ret_answer, &rows));
	ret_answer->cut = answer_rows(ret_answer) > limit;
	return NULL;
}
