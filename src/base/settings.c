#include "base/settings.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/vector.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { FILE_MAX = 1 << 20 };

struct reading {
	const char *at;
	size_t line;
	settings_take *take;
	void *context;
};

static struct trm_error *wrong_form(const char *what)
{
	return trm_error_create(TRM_ERROR_USAGE,
				"%s: write lines of the form name = value, values in "
				"quotes, several in [brackets]",
				what);
}

/* Skips blanks and comments; line ends, too, if `lines`. */
static void skip_blanks(struct reading *reading, bool lines)
{
	for (;;) {
		if (*reading->at == '#')
			reading->at += strcspn(reading->at, "\n");
		if (*reading->at == '\n' && lines)
			reading->line++;
		else if (*reading->at != ' ' && *reading->at != '\t' &&
			 *reading->at != '\r')
			return;
		reading->at++;
	}
}

static bool is_word(char c)
{
	return c && (isalnum((unsigned char)c) || strchr("_-.:/%+*@~$&!?<>|^;{}()=", c));
}

static struct trm_error *read_quoted(struct reading *reading, struct text *ret_value)
{
	const char quote = *reading->at++;

	text_add(ret_value, "");
	while (*reading->at && *reading->at != quote && *reading->at != '\n') {
		if (*reading->at == '\\' && reading->at[1] && reading->at[1] != '\n')
			reading->at++;
		text_add_bytes(ret_value, reading->at++, 1);
	}
	if (*reading->at != quote)
		return wrong_form("a quote has no end");
	reading->at++;
	return NULL;
}

static struct trm_error *read_value(struct reading *reading, bool listed,
				    struct text *ret_value)
{
	ret_value->length = 0;
	if (*reading->at == '"' || *reading->at == '\'')
		return read_quoted(reading, ret_value);
	const char *from = reading->at;

	while (is_word(*reading->at) || (*reading->at == ',' && !listed))
		reading->at++;
	if (reading->at == from)
		return wrong_form("a value is missing");
	text_add_bytes(ret_value, from, (size_t)(reading->at - from));
	if (!strcmp(ret_value->data, "True") || !strcmp(ret_value->data, "False"))
		ret_value->data[0] |= 0x20;
	return NULL;
}

static struct trm_error *read_list(struct reading *reading, const char *name,
				   struct text *value)
{
	const char end = *reading->at++ == '[' ? ']' : ')';

	for (;;) {
		skip_blanks(reading, true);
		if (*reading->at == end)
			break;
		TRM_TRY(read_value(reading, true, value));
		TRM_TRY(reading->take(reading->context, name, value->data,
				      reading->line));
		skip_blanks(reading, true);
		if (*reading->at == ',')
			reading->at++;
		else if (*reading->at != end)
			return wrong_form("a bracket has no end");
	}
	reading->at++;
	return NULL;
}

static struct trm_error *read_setting(struct reading *reading, struct text *name,
				      struct text *value)
{
	const char *from = reading->at;

	while (isalnum((unsigned char)*reading->at) || *reading->at == '_' ||
	       *reading->at == '-')
		reading->at++;
	name->length = 0;
	text_add_bytes(name, from, (size_t)(reading->at - from));
	skip_blanks(reading, false);
	if (!name->length || *reading->at != '=')
		return wrong_form("this is no setting");
	reading->at++;
	skip_blanks(reading, false);
	if (*reading->at == '[' || *reading->at == '(')
		TRM_TRY(read_list(reading, name->data, value));
	else {
		TRM_TRY(read_value(reading, false, value));
		TRM_TRY(reading->take(reading->context, name->data, value->data,
				      reading->line));
	}
	skip_blanks(reading, false);
	return *reading->at && *reading->at != '\n'
		       ? wrong_form("there is more on the line")
		       : NULL;
}

struct trm_error *settings_read_text(const char *text, const char *name,
				     settings_take *take, void *context)
{
	struct reading reading = {text, 1, take, context};
	struct text word = {0}, value = {0};
	struct trm_error *error = NULL;

	while (!error) {
		skip_blanks(&reading, true);
		if (!*reading.at)
			break;
		error = read_setting(&reading, &word, &value);
	}
	text_deinit(&word);
	text_deinit(&value);
	return error ? trm_error_prefix(error, "'%s', line %zu", name, reading.line)
		     : NULL;
}

struct trm_error *settings_read(const char *path, settings_take *take, void *context)
{
	scoped_file FILE *file = fopen(path, "re");
	struct text text = {0};
	char buffer[4096];
	size_t count;

	if (!file)
		return trm_error_system(errno, "cannot read '%s'", path);
	text_add(&text, "");
	while ((count = fread(buffer, 1, sizeof(buffer), file)) && text.length < FILE_MAX)
		text_add_bytes(&text, buffer, count);
	struct trm_error *error =
		ferror(file) ? trm_error_system(errno, "cannot read '%s'", path)
		: text.length >= FILE_MAX || strlen(text.data) != text.length
			? trm_error_create(TRM_ERROR_FORMAT,
					   "'%s' is no file of settings", path)
			: settings_read_text(text.data, path, take, context);

	text_deinit(&text);
	return error;
}
