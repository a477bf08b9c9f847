#include "store/compare.h"

#include "base/text.h"
#include "store/total.h"

#include <math.h>

/* Of large sums no digit is needed, but they must not be too large to add up. */
#define REAL_VALUE "CAST(value AS DOUBLE PRECISION)"

#define CHOSEN   "(SELECT run FROM temp.chosen)"
#define CHOSEN_B "(SELECT run FROM temp.chosen_b)"

/* A function's number in each of some runs. */
struct variation {
	double sum, squares, least, most;
	int64_t runs; /* that had it */
};

static void add_variation(const struct variation *variation, int64_t runs,
			  struct answer *answer)
{
	const double mean = variation->sum / (double)runs;
	const double squares =
		variation->squares - variation->sum * variation->sum / (double)runs;
	const double least = variation->runs < runs ? 0 : variation->least;
	/* Of the runs as a sample of all: n - 1. */
	const double deviation =
		runs > 1 && squares > 0 ? sqrt(squares / (double)(runs - 1)) : 0;

	answer_real(answer, variation->sum);
	answer_real(answer, mean);
	answer_real(answer, deviation);
	answer_real(answer, mean > 0 ? 100 * deviation / mean : 0);
	answer_real(answer, least);
	answer_real(answer, variation->most);
	answer_real(answer, mean > 0 ? 100 * (variation->most - least) / mean : 0);
}

static struct trm_error *count_runs(struct sql *sql, const char *question,
				    int64_t *ret_runs)
{
	return sql_number(sql, 0, ret_runs, question, "");
}

static void add_variation_columns(struct answer *answer)
{
	answer_column(answer, "total", "total", ANSWER_REAL);
	answer_column(answer, "mean", "mean", ANSWER_REAL);
	answer_column(answer, "deviation", "deviation", ANSWER_REAL);
	answer_column(answer, "dev.", "deviation_percent", ANSWER_SHARE);
	answer_column(answer, "least", "least", ANSWER_REAL);
	answer_column(answer, "most", "most", ANSWER_REAL);
	answer_column(answer, "range", "range_percent", ANSWER_SHARE);
	answer_column(answer, "function", "function", ANSWER_TEXT);
	answer_column(answer, "image", "image", ANSWER_TEXT);
}

struct trm_error *ask_variation(struct sql *sql, const struct store_event *event,
				struct answer *ret_answer)
{
	struct sql_rows rows;
	struct text head = {0};
	int64_t runs;
	bool more = true;

	TRM_TRY(count_runs(sql, "SELECT count(*) FROM temp.chosen", &runs));
	text_format(&head, "%s in %ld runs", event->name, (long)runs);
	ret_answer->head = head.data;
	add_variation_columns(ret_answer);
	TRM_TRY(total_functions(sql, event, "chosen", 0));
	/* Ordered by the variance, of which the part of each function is the same. */
	TRM_TRY(sql_ask(
		sql, &rows,
		"SELECT t.value, t.squares, t.least, t.most, t.runs, f.name, i.path"
		" FROM temp.totals t JOIN functions f ON f.id=t.function"
		" JOIN images i ON i.id=f.image"
		" WHERE f.id IN (SELECT function FROM temp.chosen_functions)"
		" ORDER BY t.squares - CAST(t.value AS DOUBLE PRECISION)"
		" * CAST(t.value AS DOUBLE PRECISION) / ? DESC,"
		" t.value DESC, f.name, i.path, i.build, f.offset",
		"d", (double)runs));
	while (more) {
		struct variation variation;

		TRM_TRY(sql_next(&rows, &more));
		if (!more)
			break;
		variation = (struct variation){sql_real(&rows, 0), sql_real(&rows, 1),
					       sql_real(&rows, 2), sql_real(&rows, 3),
					       sql_int(&rows, 4)};
		add_variation(&variation, runs, ret_answer);
		answer_text(ret_answer, sql_text(&rows, 5));
		answer_text(ret_answer, sql_text(&rows, 6));
	}
	return NULL;
}

/* Of numbers of independent events, which vary by the root of their number. */
static double deviations_apart(double a, double b, double runs_a, double runs_b)
{
	const double variance = a / (runs_a * runs_a) + b / (runs_b * runs_b);

	return variance > 0 ? (b / runs_b - a / runs_a) / sqrt(variance) : 0;
}

static void add_difference(double a, double b, const int64_t runs[2],
			   const struct store_event *event, struct answer *answer)
{
	const double mean_a = a / (double)runs[0], mean_b = b / (double)runs[1];

	answer_real(answer, mean_a);
	answer_real(answer, mean_b);
	answer_real(answer, mean_b - mean_a);
	if (mean_a != 0)
		answer_real(answer, mean_b / mean_a);
	else
		answer_none(answer);
	if (event->sampled)
		answer_real(answer,
			    deviations_apart(a, b, (double)runs[0], (double)runs[1]));
}

struct trm_error *ask_difference(struct sql *sql, const struct store_event *event,
				 struct answer *ret_answer)
{
	struct sql_rows rows;
	struct text head = {0};
	int64_t runs[2];
	bool more = true;

	TRM_TRY(count_runs(sql, "SELECT sum(runs) FROM runs WHERE id IN " CHOSEN,
			   &runs[0]));
	TRM_TRY(count_runs(sql, "SELECT sum(runs) FROM runs WHERE id IN " CHOSEN_B,
			   &runs[1]));
	text_format(&head, "%s a run: A of %ld, B of %ld runs", event->name,
		    (long)runs[0], (long)runs[1]);
	ret_answer->head = head.data;
	answer_column(ret_answer, "A", "a", ANSWER_REAL);
	answer_column(ret_answer, "B", "b", ANSWER_REAL);
	answer_column(ret_answer, "B - A", "difference", ANSWER_REAL);
	answer_column(ret_answer, "B / A", "ratio", ANSWER_REAL);
	if (event->sampled)
		answer_column(ret_answer, "sigma", "deviations", ANSWER_REAL);
	answer_column(ret_answer, "function", "function", ANSWER_TEXT);
	answer_column(ret_answer, "image", "image", ANSWER_TEXT);
	TRM_TRY(total_functions(sql, event, "chosen", 0));
	TRM_TRY(total_functions(sql, event, "chosen_b", 1));
	TRM_TRY(sql_ask(sql, &rows,
			"SELECT * FROM (SELECT sum(t.a) AS a, sum(t.b) AS b,"
			" f.name, i.path FROM (SELECT function,"
			" sum(CASE side WHEN 0 THEN " REAL_VALUE " ELSE 0 END) AS a,"
			" sum(CASE side WHEN 1 THEN " REAL_VALUE " ELSE 0 END) AS b"
			" FROM temp.totals GROUP BY function) t"
			" JOIN functions f ON f.id=t.function"
			" JOIN images i ON i.id=f.image"
			" WHERE f.id IN (SELECT function FROM temp.chosen_functions)"
			" GROUP BY i.path, f.name) d WHERE a * ?2 <> b * ?1"
			" ORDER BY abs(b / ?2 - a / ?1) DESC, name, path",
			"dd", (double)runs[0], (double)runs[1]));
	while (more) {
		TRM_TRY(sql_next(&rows, &more));
		if (!more)
			break;
		add_difference(sql_real(&rows, 0), sql_real(&rows, 1), runs, event,
			       ret_answer);
		answer_text(ret_answer, sql_text(&rows, 2));
		answer_text(ret_answer, sql_text(&rows, 3));
	}
	return NULL;
}
