/*
 * What `gcov --json-format` writes: functions with how often they were called, and lines
 * with how often they were executed. Several entries of one line add up; the folder and
 * the name of the data file may be missing.
 *
 * Source: gcc's manual, "Invoking gcov", --json-format
 */
#include "import/readers.h"

#include "base/json.h"
#include "base/table.h"
#include "base/vector.h"

#include <string.h>

/* A function of a file, by its linked name. */
struct function {
	char *linked, *name;
	uint64_t calls, line;
};

struct reading {
	struct import_input *input;
	struct import_sink *sink;
	struct json json;
	char *module;                             /* that all of it is of */
	char *file;                               /* the one at hand */
	struct VECTOR(struct function) functions; /* of it */
	uint32_t calls, executions;               /* types */
};

/* The members that are looked at, of one object. */
struct member {
	const char *name;
	char **text;                           /* of a string: is to be freed */
	uint64_t *number;                      /* of a number */
	void (*list)(struct reading *reading); /* of a list */
};

static char *read_text(struct json *json)
{
	struct json_raw raw = json_string(json);
	char *text = memory_allocate(raw.length + 1);

	*json_unescape(json, raw, text) = '\0';
	return text;
}

/* A count that is no whole number of at most 64 bits makes no sense. */
static uint64_t read_count(struct json *json)
{
	struct json_raw raw = json_word(json);
	char word[32] = {0}, *at = word;
	uint64_t number = 0;

	if (raw.length < sizeof(word))
		memcpy(word, raw.at, raw.length);
	if (!import_number(&at, &number) || *at) {
		json_fail(json);
		json->wrong = raw.at;
	}
	return number;
}

static bool is_name(struct json_raw raw, const char *name)
{
	return raw.length == strlen(name) && !memcmp(raw.at, name, raw.length);
}

static void read_member(struct reading *reading, const struct member *member)
{
	enum json_kind kind = json_peek(&reading->json);

	if (member->text && kind == JSON_STRING) {
		free(*member->text);
		*member->text = read_text(&reading->json);
	} else if (member->number && kind == JSON_NUMBER) {
		*member->number = read_count(&reading->json);
	} else if (member->list && kind == JSON_ARRAY) {
		member->list(reading);
	} else {
		json_skip(&reading->json);
	}
}

/* Reads an object; `members` ends with one without a name. */
static void read_object(struct reading *reading, const struct member *members)
{
	struct json_raw name;
	size_t count = 0;

	if (json_peek(&reading->json) != JSON_OBJECT) {
		json_fail(&reading->json);
		return;
	}
	while (json_next(&reading->json, &name, &count, true)) {
		const struct member *member = members;

		while (member->name && !is_name(name, member->name))
			member++;
		if (member->name)
			read_member(reading, member);
		else
			json_skip(&reading->json);
	}
}

static void read_function(struct reading *reading)
{
	struct function function = {0};
	const struct member members[] = {
		{.name = "name", .text = &function.linked},
		{.name = "demangled_name", .text = &function.name},
		{.name = "execution_count", .number = &function.calls},
		{.name = "start_line", .number = &function.line},
		{.name = NULL},
	};

	read_object(reading, members);
	if (!function.linked && !reading->json.wrong)
		json_fail(&reading->json);
	vector_push(&reading->functions, function);
}

static void read_functions(struct reading *reading)
{
	size_t count = 0;

	while (json_next(&reading->json, NULL, &count, false))
		read_function(reading);
}

static const char *name_of(const struct function *function)
{
	return function->name     ? function->name
	       : function->linked ? function->linked
				  : "[unknown]";
}

/* The function of a line: the one that is named, or the last that begins before it. */
static const char *function_of(const struct reading *reading, const char *linked,
			       uint64_t line)
{
	const struct function *best = NULL;

	vector_for_each (&reading->functions, function) {
		if (linked && function->linked && !strcmp(function->linked, linked))
			return name_of(function);
		if (function->line <= line && (!best || best->line < function->line))
			best = function;
	}
	return linked ? linked : best ? name_of(best) : "[unknown]";
}

static void add_count(struct reading *reading, const char *function, uint64_t line,
		      uint32_t type, uint64_t count)
{
	const struct import_frame frame = {
		.module = reading->module ? reading->module : "",
		.function = function,
		.file = reading->file ? reading->file : "",
		.line = line <= INT32_MAX ? (uint32_t)line : 0,
	};
	const struct import_place place = {&frame, 1, 0, 0};

	if (!reading->json.wrong)
		import_values(reading->sink, &place, type, &count, 1);
}

static void read_line(struct reading *reading)
{
	char *linked = NULL;
	uint64_t line = 0, executions = 0;
	const struct member members[] = {
		{.name = "function_name", .text = &linked},
		{.name = "line_number", .number = &line},
		{.name = "count", .number = &executions},
		{.name = NULL},
	};

	read_object(reading, members);
	add_count(reading, function_of(reading, linked, line), line, reading->executions,
		  executions);
	free(linked);
}

static void read_lines(struct reading *reading)
{
	size_t count = 0;

	while (json_next(&reading->json, NULL, &count, false))
		read_line(reading);
}

static void forget_file(struct reading *reading)
{
	vector_for_each (&reading->functions, function) {
		free(function->linked);
		free(function->name);
	}
	reading->functions.count = 0;
	free(reading->file);
	reading->file = NULL;
}

/* Lines need the functions, which may stand behind them: those are read first. */
static void read_file(struct reading *reading)
{
	struct json start = reading->json;
	const struct member first[] = {
		{.name = "file", .text = &reading->file},
		{.name = "functions", .list = read_functions},
		{.name = NULL},
	};
	const struct member second[] = {
		{.name = "lines", .list = read_lines},
		{.name = NULL},
	};

	read_object(reading, first);
	vector_for_each (&reading->functions, function)
		add_count(reading, name_of(function), function->line, reading->calls,
			  function->calls);
	if (!reading->json.wrong) {
		reading->json = start;
		read_object(reading, second);
	}
	forget_file(reading);
}

static void read_files(struct reading *reading)
{
	size_t count = 0;

	while (json_next(&reading->json, NULL, &count, false))
		read_file(reading);
}

bool import_is_gcov(const struct import_input *input)
{
	size_t blanks = strspn(input->bytes, " \t\r\n");

	return blanks < input->size && input->bytes[blanks] == '{';
}

/* The line of a place. */
static struct trm_error *error_at(struct import_input *input, const char *place,
				  const char *what)
{
	input->line = 1;
	for (const char *at = input->bytes; at < place; at++)
		input->line += *at == '\n';
	return import_fault(input, "byte %zu: %s", (size_t)(place - input->bytes), what);
}

struct trm_error *import_gcov(struct import_input *input,
			      const struct import_options *options,
			      struct import_sink *sink)
{
	const char *end = input->bytes + input->size;
	struct reading reading = {
		.input = input, .sink = sink, .json = {input->bytes, end, NULL}};
	struct member members[] = {
		{.name = "data_file", .text = &reading.module},
		{.name = NULL},
		{.name = NULL},
	};
	struct trm_error *error = NULL;

	(void)options;
	reading.calls = import_type(sink, "calls", "count");
	reading.executions = import_type(sink, "line executions", "count");
	/* The name of the whole may stand behind the files. */
	read_object(&reading, members);
	import_program(sink, reading.module ? reading.module : "");
	if (!reading.json.wrong) {
		reading.json = (struct json){input->bytes, end, NULL};
		members[0] = (struct member){.name = "files", .list = read_files};
		read_object(&reading, members);
	}
	if (!reading.json.wrong && json_peek(&reading.json) != JSON_NONE)
		json_fail(&reading.json);
	if (reading.json.wrong)
		error = error_at(input, reading.json.wrong,
				 "this is no JSON of gcov, or it was cut");
	forget_file(&reading);
	vector_deinit(&reading.functions);
	free(reading.module);
	return error;
}
