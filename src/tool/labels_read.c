/* Reading labels files: any bytes are taken, and the first line that makes no sense is an
 * error. */
#include "base/array.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "tool/labels_read.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct reader {
	const char *name;
	const char *at, *end; /* rest of the line */
	size_t line;
	struct labels *labels;
	struct label_module *module;
	struct label_function *function;
};

enum { WORD_MAX = 80 };

static struct trm_error *line_error(const struct reader *reader, const char *reason)
{
	return trm_error_create(TRM_ERROR_FORMAT, "'%s', line %zu: %s", reader->name,
				reader->line, reason);
}

static void skip_blanks(struct reader *reader)
{
	while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t'))
		reader->at++;
}

static bool at_end(struct reader *reader)
{
	skip_blanks(reader);
	return reader->at == reader->end;
}

/* The next word; false at the end of the line, and for one that is too long. */
static bool read_word(struct reader *reader, char word[WORD_MAX])
{
	size_t length = 0;

	skip_blanks(reader);
	while (reader->at < reader->end && !isspace((unsigned char)*reader->at)) {
		if (length == WORD_MAX - 1)
			return false;
		word[length++] = *reader->at++;
	}
	word[length] = '\0';
	return length > 0 && strlen(word) == length;
}

/* A number that is written in full: 0x12, 17. */
static bool to_number(const char *word, uint64_t *ret_number)
{
	bool hex = word[0] == '0' && word[1] == 'x';
	const char *digits = hex ? word + 2 : word;
	char *end;

	if (!isxdigit((unsigned char)*digits))
		return false;
	errno = 0;
	*ret_number = strtoull(digits, &end, hex ? 16 : 10);
	return !*end && !errno;
}

/* Stays where it is if there is none. */
static bool read_number(struct reader *reader, uint64_t *ret_number)
{
	const char *start = reader->at;
	char word[WORD_MAX];

	if (read_word(reader, word) && to_number(word, ret_number))
		return true;
	reader->at = start;
	return false;
}

/* A string in quotes, as in JSON; the caller frees it. */
static bool read_text(struct reader *reader, char **ret_text)
{
	struct json json = {.at = reader->at, .end = reader->end};
	struct json_raw raw;
	char *text;

	skip_blanks(reader);
	json.at = reader->at;
	if (json_peek(&json) != JSON_STRING)
		return false;
	raw = json_string(&json);
	if (json.wrong)
		return false;
	text = memory_allocate(raw.length + 1);
	*json_unescape(&json, raw, text) = '\0';
	if (json.wrong) {
		free(text);
		return false;
	}
	reader->at = json.at;
	*ret_text = text;
	return true;
}

static bool next_is(struct reader *reader, const char *wanted)
{
	const char *start = reader->at;
	char word[WORD_MAX];

	if (read_word(reader, word) && !strcmp(word, wanted))
		return true;
	reader->at = start;
	return false;
}

static bool read_argument(struct reader *reader, struct label *label)
{
	struct label_argument argument = {0};
	char word[WORD_MAX], *end;

	skip_blanks(reader);
	if (reader->at < reader->end && *reader->at == '"') {
		if (!read_text(reader, &argument.text))
			return false;
	} else {
		if (!read_word(reader, word))
			return false;
		errno = 0;
		argument.number = strtoll(word, &end, 10);
		if (*end || errno)
			return false;
	}
	vector_push(&label->arguments, argument);
	return true;
}

/* What stands behind the place. */
static const char *read_rest(struct reader *reader, struct label *label)
{
	uint64_t number;

	if (next_is(reader, "operand")) {
		if (!read_number(reader, &number) || number > 3)
			return "the operand is a number from 0 to 3";
		label->operand = (uint8_t)number;
		label->has_operand = true;
	}
	if (next_is(reader, "targets")) {
		while (read_number(reader, &number))
			vector_push(&label->targets, number);
		if (!label->targets.count)
			return "addresses belong behind 'targets'";
	}
	if (next_is(reader, "args")) {
		if (at_end(reader))
			return "arguments belong behind 'args'";
		while (!at_end(reader))
			if (!read_argument(reader, label))
				return "an argument is a number or a string in quotes";
	}
	return at_end(reader) ? NULL : "there is more than belongs there";
}

/* A label of the function, or of no module; NULL: there is no function. */
static struct label *add_label(struct reader *reader, uint8_t where)
{
	if (where >= LABEL_START)
		return vector_add(&reader->labels->moments);
	return reader->function ? vector_add(&reader->function->items) : NULL;
}

static bool read_place(struct reader *reader, uint8_t *ret_where)
{
	for (uint8_t i = 0; i < LABEL_PLACES; i++)
		if (next_is(reader, label_places[i])) {
			*ret_where = i;
			return true;
		}
	return false;
}

static const char *read_label(struct reader *reader, size_t kind)
{
	struct label *label;
	uint64_t id;
	uint8_t where;

	if (!read_number(reader, &id) || id == UINT64_MAX)
		return "an id belongs behind the kind";
	if (!read_place(reader, &where))
		return "a place (before, after, edge, entry, ...) belongs behind the id";
	label = add_label(reader, where);
	if (!label)
		return "it is of no function: a line 'function' is missing above";
	label->kind = (uint32_t)kind;
	label->id = id;
	label->where = where;
	if (where <= LABEL_EDGE && !read_number(reader, &label->address))
		return "an address belongs behind the place";
	if (where == LABEL_EDGE && !read_number(reader, &label->to))
		return "two addresses belong behind 'edge'";
	if (id >= reader->labels->next)
		reader->labels->next = id + 1;
	return read_rest(reader, label);
}

static bool is_hex(const char *word)
{
	for (const char *s = word; *s; s++)
		if (!isxdigit((unsigned char)*s))
			return false;
	return true;
}

static const char *read_module(struct reader *reader)
{
	char word[WORD_MAX], *path;

	if (!read_text(reader, &path))
		return "a path in quotes belongs behind 'module'";
	reader->function = NULL;
	reader->module = NULL;
	if (read_word(reader, word) && (!strcmp(word, "-") || is_hex(word)) &&
	    at_end(reader))
		reader->module = labels_add_module(reader->labels, path,
						   !strcmp(word, "-") ? "" : word);
	free(path);
	return reader->module ? NULL : "a build id, or -, belongs behind the path";
}

static const char *read_function(struct reader *reader)
{
	const struct label_function *last;
	uint64_t address;
	char *name;

	if (!reader->module)
		return "it is of no module: a line 'module' is missing above";
	if (!read_number(reader, &address) || !read_text(reader, &name))
		return "an address and a name in quotes belong behind 'function'";
	last = reader->module->functions.count
		       ? &reader->module->functions
				  .items[reader->module->functions.count - 1]
		       : NULL;
	if (!at_end(reader) || (last && last->address >= address)) {
		free(name);
		return "functions are in the order of their addresses, each in a line";
	}
	reader->function = vector_add(&reader->module->functions);
	reader->function->address = address;
	reader->function->name = name;
	return NULL;
}

static const char *read_kind(struct reader *reader)
{
	char word[WORD_MAX], *values;
	struct trm_error *error;
	uint32_t number;

	if (!read_word(reader, word) || !read_text(reader, &values))
		return "a name and values in quotes belong behind 'kind'";
	error = tool_kinds_add(&reader->labels->kinds, word, values, &number);
	free(values);
	if (!error)
		return at_end(reader) ? NULL : "there is more than belongs there";
	trm_error_destroy(error);
	return "no such kind can be: its name, or a value, is wrong";
}

static const char *read_next(struct reader *reader)
{
	uint64_t next;

	if (!read_number(reader, &next) || !at_end(reader))
		return "an id belongs behind 'next'";
	if (next > reader->labels->next)
		reader->labels->next = next;
	return NULL;
}

static const struct line_kind {
	const char *word;
	const char *(*read)(struct reader *reader);
} line_kinds[] = {{"module", read_module},
		  {"function", read_function},
		  {"kind", read_kind},
		  {"next", read_next}};

/* NULL: the line is fine. */
static const char *read_line(struct reader *reader)
{
	char word[WORD_MAX];
	size_t kind;

	if (at_end(reader) || *reader->at == '#')
		return NULL;
	if (!read_word(reader, word))
		return "it begins with no word";
	for (size_t i = 0; i < array_count(line_kinds); i++)
		if (!strcmp(word, line_kinds[i].word))
			return line_kinds[i].read(reader);
	kind = tool_kinds_find(&reader->labels->kinds, word);
	return kind < reader->labels->kinds.count ? read_label(reader, kind)
						  : "it begins with no known kind";
}

static struct trm_error *read_head(struct reader *reader)
{
	uint64_t version;

	if (!next_is(reader, "trammel") || !next_is(reader, "labels") ||
	    !read_number(reader, &version))
		return trm_error_create(TRM_ERROR_FORMAT,
					"'%s' is no file of labels: trammel label makes "
					"one",
					reader->name);
	if (version != LABELS_VERSION)
		return line_error(reader, "labels of another version: make them anew");
	return NULL;
}

static struct trm_error *read_lines(struct reader *reader, const char *bytes, size_t size)
{
	const char *end = bytes + size;

	for (const char *at = bytes; at < end; at = reader->end + 1) {
		const char *stop = memchr(at, '\n', (size_t)(end - at)), *reason;

		reader->at = at;
		reader->end = stop ? stop : end;
		if (!reader->line++) {
			TRM_TRY(read_head(reader));
			continue;
		}
		reason = read_line(reader);
		if (reason)
			return line_error(reader, reason);
	}
	return reader->line ? NULL : read_head(reader);
}

struct trm_error *labels_read_memory(const char *name, const char *bytes, size_t size,
				     struct labels *ret_labels)
{
	struct labels labels;
	struct reader reader = {
		.name = name, .at = bytes, .end = bytes, .labels = &labels};
	struct trm_error *error;

	labels_init(&labels);
	error = read_lines(&reader, bytes, size);
	if (error)
		labels_deinit(&labels);
	else
		*ret_labels = labels;
	return error;
}

struct trm_error *labels_read(const char *path, struct labels *ret_labels)
{
	scoped_file FILE *file = fopen(path, "re");
	struct text text = {0};
	struct trm_error *error;
	char buffer[16384];
	size_t n;

	if (!file)
		return trm_error_system(errno, "'%s'", path);
	while ((n = fread(buffer, 1, sizeof(buffer), file)) > 0)
		text_add_bytes(&text, buffer, n);
	error = ferror(file) ? trm_error_system(errno, "'%s'", path)
			     : labels_read_memory(path, text.data ? text.data : "",
						  text.length, ret_labels);
	text_deinit(&text);
	return error;
}
