#include "advise/own_rules.h"

#include "advise/python_rules.h"
#include "advise/rule.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "join/join.h"
#include "query/format/cells.h"
#include "query/names.h"
#include "query/parse.h"
#include "query/run.h"
#include "record/value.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What a rule has, in the order of its file. */
enum part {
	PART_ABOUT,
	PART_QUERY,
	PART_WHEN,
	PART_SHARE,
	PART_OF,
	PART_CONFIDENCE,
	PART_TEXT,
	PART_TRY,
	PART_NEEDS,
	PARTS
};
static const char *const part_names[PARTS] = {
	"about", "query", "when", "share", "of", "confidence", "text", "try", "needs"};

struct own_rule {
	char *name;
	size_t line; /* of its name in the file */
	struct text parts[PARTS];
};

struct own_rules {
	const char *path;
	struct VECTOR(struct own_rule) items;
};

static struct trm_error *wrong_rule(const struct own_rules *rules, size_t line,
				    const char *what, const char *word)
{
	return trm_error_create(TRM_ERROR_USAGE, "%s:%zu: %s%s%s%s", rules->path, line,
				what, *word ? " '" : "", word, *word ? "'" : "");
}

static char *trim_text(char *text)
{
	size_t length;

	text += strspn(text, " \t\r\n");
	length = strlen(text);
	while (length && strchr(" \t\r\n", text[length - 1]))
		text[--length] = '\0';
	return text;
}

static enum part find_part(const char *name)
{
	enum part part = 0;

	while (part < PARTS && strcmp(part_names[part], name) != 0)
		part++;
	return part;
}

/* Where a line that goes on with the one before belongs. */
struct reading {
	struct own_rules *rules;
	struct text *last;
	size_t line;
};

static struct trm_error *begin_rule(struct reading *reading, char *text)
{
	char *end = strchr(text, ']');

	if (!end || end[1] || end == text + 1)
		return wrong_rule(reading->rules, reading->line,
				  "a rule begins with [its name], not", text);
	*end = '\0';
	vector_push(&reading->rules->items,
		    ((struct own_rule){.name = memory_copy_string(trim_text(text + 1)),
				       .line = reading->line}));
	reading->last = NULL;
	return NULL;
}

static struct trm_error *read_part(struct reading *reading, char *text)
{
	struct own_rules *rules = reading->rules;
	char *equals = strchr(text, '=');
	enum part part;

	if (!equals)
		return wrong_rule(rules, reading->line,
				  "this is no 'NAME = VALUE':", text);
	*equals = '\0';
	text = trim_text(text);
	if (!rules->items.count)
		return wrong_rule(rules, reading->line,
				  "in front of the first rule, [its name], is", text);
	part = find_part(text);
	if (part == PARTS)
		return wrong_rule(rules, reading->line,
				  "rules have about, query, when, share, of, confidence, "
				  "text, try and needs, but no",
				  text);
	reading->last = &rules->items.items[rules->items.count - 1].parts[part];
	if (reading->last->length)
		return wrong_rule(rules, reading->line, "the rule has a second", text);
	text_add(reading->last, trim_text(equals + 1));
	return NULL;
}

static struct trm_error *read_line(struct reading *reading, char *line)
{
	const bool goes_on = strchr(" \t", *line) && reading->last;
	char *text = trim_text(line);

	if (!*text || *text == '#')
		return NULL;
	if (goes_on) {
		text_add(reading->last, " ");
		text_add(reading->last, text);
		return NULL;
	}
	return *text == '[' ? begin_rule(reading, text) : read_part(reading, text);
}

static struct trm_error *read_rules(struct own_rules *rules)
{
	scoped_file FILE *file = fopen(rules->path, "re");
	struct reading reading = {.rules = rules};
	struct trm_error *error = NULL;
	scoped_free char *line = NULL;
	size_t size = 0;

	if (!file)
		return trm_error_create(TRM_ERROR_SYSTEM, "'%s': %s", rules->path,
					strerror(errno));
	while (!error && getline(&line, &size, file) >= 0) {
		reading.line++;
		error = read_line(&reading, line);
	}
	return error;
}

static struct trm_error *read_confidence(const struct own_rules *rules,
					 const struct own_rule *rule,
					 enum advice_confidence *ret_confidence)
{
	const char *word = rule->parts[PART_CONFIDENCE].data;

	*ret_confidence = ADVICE_MEDIUM;
	for (int i = 0; word && i < ADVICE_CONFIDENCES; i++)
		if (!strcmp(word, advice_confidences[i])) {
			*ret_confidence = (enum advice_confidence)i;
			return NULL;
		}
	return word ? wrong_rule(rules, rule->line,
				 "the confidence is low, medium or high, not", word)
		    : NULL;
}

/* A row of a query's result. */
struct shown_row {
	const struct query_result *result;
	const struct record_value *cells;
};

static const struct record_value *cell_of(const struct shown_row *row, const char *title)
{
	for (size_t i = 0; i < row->result->columns.count; i++)
		if (!strcmp(row->result->columns.items[i].title, title) &&
		    query_is_there(row->cells[i]))
			return &row->cells[i];
	return NULL;
}

static char *text_of(const struct shown_row *row, const char *title)
{
	const struct record_value *cell = cell_of(row, title);
	struct text text = {0};

	if (cell)
		record_value_text(&text, *cell);
	return text.data;
}

/* Puts the values of columns in the place of %{their names}. */
static char *fill_in(const struct shown_row *row, const char *text)
{
	struct text filled = {0};

	text_add(&filled, "");
	while (*text) {
		const char *at = strstr(text, "%{"), *end = at ? strchr(at, '}') : NULL;
		const struct record_value *cell = NULL;
		scoped_free char *title = NULL;

		if (!end) {
			text_add(&filled, text);
			break;
		}
		text_add_bytes(&filled, text, (size_t)(at - text));
		title = strndup(at + 2, (size_t)(end - at - 2));
		if (title)
			cell = cell_of(row, title);
		if (cell)
			query_add_cell(&filled, *cell);
		else
			text_add(&filled, "?");
		text = end + 1;
	}
	return filled.data;
}

static double number_of(const struct shown_row *row, const char *title, double other)
{
	const struct record_value *cell = title ? cell_of(row, title) : NULL;
	const struct record_value number = cell ? query_number(*cell) : query_nothing();

	return query_is_there(number) ? query_as_double(number) : other;
}

static void add_row(struct advice *advice, const struct own_rule *rule,
		    const struct shown_row *row, enum advice_confidence confidence)
{
	scoped_free char *evidence = fill_in(row, rule->parts[PART_TEXT].data ?: "");
	scoped_free char *remedy = fill_in(row, rule->parts[PART_TRY].data ?: "");
	scoped_free char *module = text_of(row, "module");
	scoped_free char *function = text_of(row, "function");
	scoped_free char *file = text_of(row, "source.file");
	const struct advice_finding finding = {
		.rule = rule->name,
		.title = rule->parts[PART_ABOUT].data ?: rule->name,
		.place = {.module = module,
			  .function = function,
			  .file = file,
			  .line = (uint64_t)number_of(row, "source.line", 0)},
		.share = number_of(row, rule->parts[PART_SHARE].data, -1),
		.of = rule->parts[PART_OF].data,
		.confidence = confidence,
		.evidence = evidence,
		.remedy = remedy,
	};

	advice_add_own(advice, &finding);
}

static void add_rows(struct advice *advice, const struct own_rule *rule,
		     struct query_result *result, enum advice_confidence confidence)
{
	scoped_free struct record_value *cells =
		memory_allocate((result->columns.count + 1) * sizeof(*cells));

	vector_for_each (&result->rows, row) {
		const struct shown_row shown = {result, cells};

		query_result_cells(result, row, cells);
		add_row(advice, rule, &shown, confidence);
	}
}

/* A rule without rows whose query names what no record has could not look. */
static void add_lack(struct advice *advice, const struct own_rule *rule,
		     const struct query_result *result)
{
	struct text warnings = {0};

	query_warn_of_names(result, &warnings);
	if (!result->rows.count && warnings.length)
		vector_push(&advice->lacks,
			    ((struct advice_lack){
				    memory_copy_string(rule->name),
				    memory_copy_string(rule->parts[PART_ABOUT].data
							       ?: rule->name),
				    memory_copy_string(rule->parts[PART_NEEDS].data
							       ?: "other records")}));
	else
		advice->looked++;
	text_deinit(&warnings);
}

static struct trm_error *parse_rule(const struct own_rules *rules,
				    const struct own_rule *rule, struct query **ret_query)
{
	struct text text = {0};
	struct trm_error *error, *told;
	size_t place;

	if (!rule->parts[PART_QUERY].length || !rule->parts[PART_TEXT].length)
		return wrong_rule(rules, rule->line,
				  "a rule needs a query and a text:", rule->name);
	text_add(&text, rule->parts[PART_QUERY].data);
	if (rule->parts[PART_WHEN].length)
		text_format(&text, " HAVING %s", rule->parts[PART_WHEN].data);
	error = query_parse(text.data, ret_query, &place);
	if (!error) {
		text_deinit(&text);
		join_attach(*ret_query);
		return NULL;
	}
	told = trm_error_create(error->code, "%s:%zu: rule '%s': %s, at '%.30s'",
				rules->path, rule->line, rule->name, error->message,
				place < text.length ? text.data + place : "the end");
	trm_error_destroy(error);
	text_deinit(&text);
	return told;
}

static struct trm_error *apply_rule(struct advice *advice, const struct own_rules *rules,
				    const struct own_rule *rule)
{
	enum advice_confidence confidence;
	struct query_result *result;
	struct query *query;
	struct trm_error *error;

	TRM_TRY(read_confidence(rules, rule, &confidence));
	TRM_TRY(parse_rule(rules, rule, &query));
	error = query_run(query, advice->paths, advice->path_count, 1, &result,
			  &advice->warnings);
	if (!error) {
		add_lack(advice, rule, result);
		add_rows(advice, rule, result, confidence);
		query_result_destroy(result);
	}
	query_destroy(query);
	return error;
}

static void free_rules(struct own_rules *rules)
{
	vector_for_each (&rules->items, rule) {
		free(rule->name);
		for (size_t i = 0; i < PARTS; i++)
			text_deinit(&rule->parts[i]);
	}
	vector_deinit(&rules->items);
}

static bool is_python(const char *path)
{
	const char *ending = strrchr(path, '.');

	return ending && !strcmp(ending, ".py");
}

struct trm_error *own_rules_apply(struct advice *advice, const char *path)
{
	struct own_rules rules = {.path = path};
	struct trm_error *error;

	if (is_python(path))
		return python_rules_apply(advice, path);
	error = read_rules(&rules);
	if (!error && !rules.items.count)
		error = wrong_rule(&rules, 1, "no rule: one begins with [its name]", "");
	vector_for_each (&rules.items, rule)
		if (!error && advice_wants(advice->options, rule->name))
			error = apply_rule(advice, &rules, rule);
	free_rules(&rules);
	return error;
}
