/* The verbs of `trammel db` that need the code: how long instructions took, and why. */
#include "base/array.h"
#include "cli/choose.h"
#include "cli/db/exported.h"
#include "cli/db/verbs.h"
#include "derive/calc.h"
#include "store/answer.h"
#include "store/sql/address.h"
#include "x86/disassemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTRUCTION_WIDTH = 48 };

/* A clock's cycles, if nobody says it: what the processor here says of itself. */
static double own_ghz(void)
{
	scoped_file FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];
	double mhz = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "cpu MHz : %lf", &mhz) == 1)
			break;
	return mhz > 0 ? mhz / 1000 : 1;
}

static struct trm_error *read_options(const struct db_given *given,
				      struct calc_options *ret_options)
{
	char *end = NULL;

	*ret_options = (struct calc_options){.ghz = given->ghz ? strtod(given->ghz, &end)
							       : own_ghz(),
					     .exact = !given->estimate};
	if (given->ghz && (end == given->ghz || *end || !(ret_options->ghz > 0)))
		return trm_error_create(TRM_ERROR_USAGE,
					"--ghz '%s' is not a number of GHz", given->ghz);
	return NULL;
}

static void add_causes(uint8_t causes, struct text *text)
{
	for (int i = 0; i < CYCLES_CAUSES; i++)
		if (causes >> i & 1)
			text_format(text, "%c", cycles_letters[i]);
	if (!causes)
		text_add(text, "?");
}

static void add_row(const struct calc *calc, const struct calc_row *row,
		    struct answer *answer)
{
	const struct annotation *annotation = calc->annotation;
	const struct frequency *block = &calc->blocks[row->block];
	char instruction[DISASSEMBLE_TEXT_MAX];
	struct text causes = {0};

	disassemble(DISASSEMBLE_ATT,
		    annotation->bytes + (row->address - annotation->address), row->length,
		    row->address, instruction);
	if (row->stall > 0)
		add_causes(row->causes, &causes);
	answer_number(answer, (int64_t)row->address);
	answer_number(answer, row->block);
	answer_real(answer, block->count);
	answer_text(answer, frequency_words[block->confidence]);
	answer_number(answer, (int64_t)row->samples);
	answer_real(answer, row->each);
	answer_real(answer, row->least);
	answer_real(answer, row->stall);
	answer_text(answer, causes.data ? causes.data : "");
	answer_text(answer, instruction);
	text_deinit(&causes);
}

static const struct answer_column row_columns[] = {
	{"address", "address", ANSWER_ADDRESS},
	{"block", "block", ANSWER_NUMBER},
	{"executed", "executed", ANSWER_REAL},
	{"known", "confidence", ANSWER_TEXT},
	{"samples", "samples", ANSWER_NUMBER},
	{"cycles", "cycles", ANSWER_REAL},
	{"least", "least", ANSWER_REAL},
	{"waited", "stall", ANSWER_REAL},
	{"for", "causes", ANSWER_TEXT},
	{"instruction", "instruction", ANSWER_TEXT},
};

static void add_columns(struct answer *answer, const struct answer_column *columns,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		answer_column(answer, columns[i].title, columns[i].key, columns[i].kind);
}

/* Which share of the samples is within 5, 10 and 15 % of exact counts. */
static void add_check(const struct calc_check *check, const char *what, struct text *text)
{
	text_format(text, "%s:", what);
	for (size_t i = 0; i < array_count(calc_check_percents); i++)
		text_format(text, "%s %.0f %% within %u %%", i ? "," : "",
			    100 * check->within[i] / check->samples,
			    calc_check_percents[i]);
	text_add(text, "\n");
}

static void add_summary(const struct calc *calc, const struct calc_options *options,
			struct text *text)
{
	const struct annotation *annotation = calc->annotation;

	text_format(text, "%s in %s: %.4g cycles, %.4g of them without waiting",
		    annotation->function->name, annotation->module->path, calc->cycles,
		    calc->least);
	text_format(text,
		    "\nassumed: %.2f GHz (--ghz); 4 instructions, 2 loads and 1 store "
		    "a cycle, caches that hit\n",
		    options->ghz);
	for (int i = 0; i < CYCLES_CAUSES && calc->cycles > 0; i++)
		if (calc->stalls[i] > 0)
			text_format(text, "waited for %c: at most %.1f %%\n",
				    cycles_letters[i],
				    100 * calc->stalls[i] / calc->cycles);
	if (calc->unexplained > 0)
		text_format(text, "for nothing known: %.1f %%\n",
			    100 * calc->unexplained / calc->cycles);
	if (!options->exact && annotation->counted) {
		struct calc_check check = {0}, scaled = {0};

		calc_check_add(&check, calc, false);
		calc_check_add(&scaled, calc, true);
		if (check.samples > 0) {
			add_check(&check, "samples with executions near the exact ones",
				  text);
			add_check(&scaled, "by the relations alone", text);
		}
	}
}

static struct trm_error *show_calc(const struct db_given *given,
				   const struct annotation *annotation,
				   const struct calc_options *options)
{
	struct answer answer = {0};
	struct text head = {0};
	struct db_given all = *given;
	struct calc calc;
	struct trm_error *error;

	TRM_TRY(calc_init(&calc, annotation, options));
	add_columns(&answer, row_columns, array_count(row_columns));
	vector_for_each (&calc.rows, row)
		add_row(&calc, row, &answer);
	add_summary(&calc, options, &head);
	answer.head = head.data;
	/* All of a function's instructions are wanted. */
	all.shown.all |= !given->shown.limit;
	error = db_show_answer(&all, &answer, "instructions");
	answer_deinit(&answer);
	calc_deinit(&calc);
	return error;
}

static struct trm_error *calculate_function(const struct db_given *given, int *ret_status)
{
	scoped_profile struct report_profile *profile = NULL;
	const struct report_filter filter = {0};
	struct annotation_file file;
	struct annotation annotation;
	struct calc_options options;
	char path[EXPORTED_PATH];
	scoped_fd int fd = -1;

	(void)ret_status;
	TRM_TRY(read_options(given, &options));
	TRM_TRY(exported_open(given, &fd, path));
	TRM_TRY(choose_places(path, &filter, &profile));
	TRM_TRY(choose_function(profile, given->shown.words.items[1], &file,
				&annotation));
	struct trm_error *error = show_calc(given, &annotation, &options);

	annotation_deinit(&annotation);
	annotation_close(&file);
	return error;
}

/* Functions that have samples are visited, those with most first. */
struct visiting {
	const struct db_given *given;
	struct calc_options options;
	struct report_profile *profile;
	struct answer answer;
	void (*add)(struct visiting *visiting, const struct calc *calc);
	struct calc_check check, scaled;
	double cycles, known; /* of all, and of what is at least likely */
};

static int by_samples(const void *left, const void *right)
{
	const struct report_function *const *a = left, *const *b = right;

	return compare_numbers((*b)->samples, (*a)->samples)
		       ?: compare_numbers((*a)->offset, (*b)->offset);
}

static void note_check(struct visiting *visiting, const struct calc *calc)
{
	if (!visiting->options.exact && calc->annotation->counted) {
		calc_check_add(&visiting->check, calc, false);
		calc_check_add(&visiting->scaled, calc, true);
	}
	vector_for_each (&calc->rows, row) {
		visiting->cycles += row->cycles;
		if (calc->blocks[row->block].confidence >= FREQUENCY_MEDIUM)
			visiting->known += row->cycles;
	}
}

static void visit_function(struct visiting *visiting, struct annotation_file *file,
			   const struct report_function *function)
{
	struct annotation annotation;
	struct calc calc;
	struct trm_error *error =
		annotation_init(&annotation, visiting->profile, function, file);

	if (!error) {
		error = calc_init(&calc, &annotation, &visiting->options);
		if (!error) {
			note_check(visiting, &calc);
			visiting->add(visiting, &calc);
		}
		calc_deinit(&calc);
		annotation_deinit(&annotation);
	}
	/* What has no code that can be read is left out. */
	trm_error_destroy(error);
}

/* At most so many functions: the others have few samples. */
enum { VISITED_MAX = 500 };

static void visit_module(struct visiting *visiting, uint32_t module)
{
	struct VECTOR(const struct report_function *) wanted = {0};
	struct annotation_file file;
	struct trm_error *error;

	vector_for_each (&visiting->profile->functions, function)
		if (function->module == module && function->samples &&
		    (!visiting->given->function ||
		     text_glob(visiting->given->function, function->name)))
			vector_push(&wanted, function);
	if (!wanted.count)
		return;
	qsort(wanted.items, wanted.count, sizeof(*wanted.items), by_samples);
	error = annotation_open(&file, &visiting->profile->modules.items[module]);
	if (!error) {
		for (size_t i = 0; i < wanted.count && i < VISITED_MAX; i++)
			visit_function(visiting, &file, wanted.items[i]);
		annotation_close(&file);
	}
	trm_error_destroy(error);
	vector_deinit(&wanted);
}

/* Cells of a row, moved as one. */
struct sorted_row {
	double key;
	size_t index;
};

static int by_key(const void *left, const void *right)
{
	const struct sorted_row *a = left, *b = right;

	return compare_numbers(b->key, a->key) ?: compare_numbers(a->index, b->index);
}

/* Sorts the rows by a column, the largest first. */
static void sort_rows(struct answer *answer, size_t column)
{
	const size_t width = answer->columns.count, count = answer_rows(answer);
	struct sorted_row *rows = memory_allocate((count + 1) * sizeof(*rows));
	struct answer_cell *cells =
		memory_allocate((answer->cells.count + 1) * sizeof(*cells));

	for (size_t i = 0; i < count; i++)
		rows[i] = (struct sorted_row){
			answer->cells.items[i * width + column].real, i};
	qsort(rows, count, sizeof(*rows), by_key);
	for (size_t i = 0; i < count; i++)
		memcpy(cells + i * width, answer->cells.items + rows[i].index * width,
		       width * sizeof(*cells));
	memcpy(answer->cells.items, cells, answer->cells.count * sizeof(*cells));
	free(cells);
	free(rows);
}

/* An empty table would not say why it is. */
static struct trm_error *check_samples(const struct db_given *given,
				       const struct report_profile *profile)
{
	const char *path;

	vector_for_each (&profile->functions, function)
		if (function->samples)
			return NULL;
	TRM_TRY(db_path(given, &path));
	scoped_free char *shown = address_show(path);

	return trm_error_create(TRM_ERROR_USAGE,
				"'%s': these runs have no samples: 'trammel run -m "
				"samples --db' takes some",
				shown);
}

static struct trm_error *visit_all(const struct db_given *given,
				   struct visiting *visiting, size_t sort_column,
				   const char *name)
{
	const struct report_filter filter = {.module = given->image};
	scoped_profile struct report_profile *profile = NULL;
	struct text head = {0};
	char path[EXPORTED_PATH];
	scoped_fd int fd = -1;
	struct trm_error *error;

	visiting->given = given;
	TRM_TRY(read_options(given, &visiting->options));
	TRM_TRY(exported_open(given, &fd, path));
	TRM_TRY(choose_places(path, &filter, &profile));
	TRM_TRY(check_samples(given, profile));
	visiting->profile = profile;
	for (uint32_t i = 0; i < profile->modules.count; i++)
		if (profile->modules.items[i].selected)
			visit_module(visiting, i);
	if (visiting->answer.cells.count)
		sort_rows(&visiting->answer, sort_column);
	text_format(&head,
		    "%.0f %% of the time is at code whose executions are known well\n",
		    visiting->cycles > 0 ? 100 * visiting->known / visiting->cycles : 0);
	if (visiting->check.samples > 0) {
		add_check(&visiting->check, "samples with executions near the exact ones",
			  &head);
		add_check(&visiting->scaled, "by the relations alone", &head);
	}
	visiting->answer.head = head.data;
	error = db_show_answer(given, &visiting->answer, name);
	answer_deinit(&visiting->answer);
	return error;
}

static const struct answer_column stall_columns[] = {
	{"waited", "stall", ANSWER_REAL},      {"each", "each", ANSWER_REAL},
	{"known", "confidence", ANSWER_TEXT},  {"for", "causes", ANSWER_TEXT},
	{"samples", "samples", ANSWER_NUMBER}, {"address", "address", ANSWER_ADDRESS},
	{"function", "function", ANSWER_TEXT}, {"image", "image", ANSWER_TEXT},
};

static void add_stalls(struct visiting *visiting, const struct calc *calc)
{
	struct answer *answer = &visiting->answer;

	vector_for_each (&calc->rows, row) {
		struct text causes = {0};

		if (row->stall <= 0 || !row->samples)
			continue;
		add_causes(row->causes, &causes);
		answer_real(answer, row->stall);
		answer_real(answer, row->each);
		answer_text(answer, frequency_words[calc->blocks[row->block].confidence]);
		answer_text(answer, causes.data);
		answer_number(answer, (int64_t)row->samples);
		answer_number(answer, (int64_t)row->address);
		answer_text(answer, calc->annotation->function->name);
		answer_text(answer, calc->annotation->module->path);
		text_deinit(&causes);
	}
}

static struct trm_error *show_stalls(const struct db_given *given, int *ret_status)
{
	struct visiting visiting = {.add = add_stalls};

	(void)ret_status;
	add_columns(&visiting.answer, stall_columns, array_count(stall_columns));
	return visit_all(given, &visiting, 0, "instructions");
}

static const struct answer_column cycle_columns[] = {
	{"cycles", "cycles", ANSWER_REAL},   {"least", "least", ANSWER_REAL},
	{"d %", "data", ANSWER_REAL},        {"w %", "store", ANSWER_REAL},
	{"i %", "fetch", ANSWER_REAL},       {"p %", "branch", ANSWER_REAL},
	{"m %", "multiply", ANSWER_REAL},    {"f %", "float", ANSWER_REAL},
	{"a %", "atomic", ANSWER_REAL},      {"s %", "system", ANSWER_REAL},
	{"? %", "unexplained", ANSWER_REAL}, {"function", "function", ANSWER_TEXT},
	{"image", "image", ANSWER_TEXT},
};

static void add_cycles(struct visiting *visiting, const struct calc *calc)
{
	struct answer *answer = &visiting->answer;
	const double part = calc->cycles > 0 ? 100 / calc->cycles : 0;

	answer_real(answer, calc->cycles);
	answer_real(answer, calc->least);
	for (int i = 0; i < CYCLES_CAUSES; i++)
		answer_real(answer, calc->stalls[i] * part);
	answer_real(answer, calc->unexplained * part);
	answer_text(answer, calc->annotation->function->name);
	answer_text(answer, calc->annotation->module->path);
}

static struct trm_error *show_cycles(const struct db_given *given, int *ret_status)
{
	struct visiting visiting = {.add = add_cycles};

	(void)ret_status;
	add_columns(&visiting.answer, cycle_columns, array_count(cycle_columns));
	return visit_all(given, &visiting, 0, "functions");
}

/* Has another command show the chosen runs. */
static struct trm_error *pass_on(const struct db_given *given,
				 const struct command *command, int *ret_status)
{
	const struct showing *shown = &given->shown;
	const char *words[16] = {command->name};
	char path[EXPORTED_PATH];
	scoped_fd int fd = -1;
	int count = 1;

	TRM_TRY(exported_open(given, &fd, path));
	if (shown->json)
		words[count++] = "--json";
	if (shown->all)
		words[count++] = "--all";
	if (shown->no_pager)
		words[count++] = "--no-pager";
	if (shown->limit) {
		words[count++] = "--limit";
		words[count++] = shown->limit;
	}
	words[count++] = path;
	for (size_t i = 1; i < shown->words.count && count < 15; i++)
		words[count++] = shown->words.items[i];
	*ret_status = showing_command(command, count, words);
	return NULL;
}

static struct trm_error *show_flow(const struct db_given *given, int *ret_status)
{
	return pass_on(given, &cmd_graph, ret_status);
}

static struct trm_error *show_coverage(const struct db_given *given, int *ret_status)
{
	return pass_on(given, &cmd_coverage, ret_status);
}

static struct trm_error *show_values(const struct db_given *given, int *ret_status)
{
	return pass_on(given, &cmd_values, ret_status);
}

static struct trm_error *show_code(const struct db_given *given, int *ret_status)
{
	return pass_on(given, &cmd_annotate, ret_status);
}

const struct db_verb db_calculations[] = {
	{"calc",
	 "calc FUNCTION           cycles of each instruction, and what it waited for",
	 calculate_function, 1, 1},
	{"whatcg", "whatcg                  where the cycles of functions have gone",
	 show_cycles, 0, 0},
	{"topstalls", "topstalls               instructions that waited longest",
	 show_stalls, 0, 0},
	{"annotate", "annotate FUNCTION       as 'trammel annotate' of the runs",
	 show_code, 1, 1},
	{"flow", "flow FUNCTION           as 'trammel graph'", show_flow, 1, 1},
	{"coverage", "coverage                as 'trammel coverage'", show_coverage, 0,
	 0},
	{"values", "values [FUNCTION]       as 'trammel values'", show_values, 0, 1},
	{NULL, NULL, NULL, 0, 0},
};
