#include "runtime/config/document.h"
#include "base/json.h"
#include "runtime/channel/settings.h"
#include "runtime/store/load.h"
#include "runtime/store/memory.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, POOL_COUNT = 256, FILE_BYTES_MAX = 1 << 20 };

static struct document *new_document(void)
{
	static struct document *pool;
	static size_t used = POOL_COUNT;

	if (used == POOL_COUNT) {
		pool = runtime_map(POOL_COUNT * sizeof(*pool));
		used = pool ? 0 : POOL_COUNT;
	}
	return pool && used < POOL_COUNT ? &pool[used++] : NULL;
}

/* Nothing gets longer when it is read. */
static const char *keep_string(struct json *json, struct json_raw string)
{
	char *copy = settings_keep(string.at, string.length);

	if (copy)
		*json_unescape(json, string, copy) = '\0';
	else
		json_fail(json);
	return copy;
}

/* A number, or one of the words that JSON has. */
static const char *keep_word(struct json *json)
{
	struct json_raw raw = json_word(json);
	const char *word = settings_keep(raw.at, raw.length);
	char *end;

	if (!word || (strcmp(word, "true") != 0 && strcmp(word, "false") != 0 &&
		      strcmp(word, "null") != 0 && (strtod(word, &end), *end))) {
		json->at = raw.at;
		json_fail(json);
	}
	return word;
}

static struct document *read_value(struct json *json, int depth);

/* One after the other, until the closing bracket, which is then behind. */
static struct document *read_items(struct json *json, bool object, int depth)
{
	struct document *first = NULL, **next = &first;
	struct json_raw name;
	size_t count = 0;

	while (json_next(json, &name, &count, object)) {
		*next = read_value(json, depth + 1);
		if (!*next)
			return NULL;
		(*next)->name = object ? keep_string(json, name) : NULL;
		next = &(*next)->next;
	}
	return first;
}

static struct document *read_value(struct json *json, int depth)
{
	enum json_kind kind = json_peek(json);
	struct document *document = new_document();

	if (!document || depth == DEPTH_MAX) {
		json_fail(json);
		return NULL;
	}
	*document = (struct document){.kind = DOCUMENT_WORD, .at = json->at};
	if (kind == JSON_OBJECT || kind == JSON_ARRAY) {
		document->kind = kind == JSON_OBJECT ? DOCUMENT_OBJECT : DOCUMENT_ARRAY;
		document->first = read_items(json, kind == JSON_OBJECT, depth);
	} else if (kind == JSON_STRING) {
		document->kind = DOCUMENT_STRING;
		document->text = keep_string(json, json_string(json));
	} else {
		document->text = keep_word(json);
	}
	return json->wrong ? NULL : document;
}

const struct document *document_read(const char *text, const char **ret_wrong)
{
	struct json json = {.at = text, .end = text + strlen(text)};
	const struct document *document = read_value(&json, 0);

	/* Texts of specifications in programs may end as statements do. */
	json.at += strspn(json.at, "; \t\r\n");
	if (document && json.at == json.end)
		return document;
	*ret_wrong = json.wrong ? json.wrong : json.at;
	return NULL;
}

const struct document *document_member(const struct document *document, const char *name)
{
	if (!document || document->kind != DOCUMENT_OBJECT)
		return NULL;
	for (const struct document *item = document->first; item; item = item->next)
		if (!strcmp(item->name, name))
			return item;
	return NULL;
}

void document_place(const char *text, const char *at, size_t *ret_line,
		    size_t *ret_column)
{
	*ret_line = *ret_column = 1;
	for (; text < at; text++) {
		*ret_column = *text == '\n' ? 1 : *ret_column + 1;
		*ret_line += *text == '\n';
	}
}

char *document_load(const char *path, const char **ret_why)
{
	ssize_t last;
	char *text = load_text(path, FILE_BYTES_MAX, &last);

	if (text && last == 0)
		return text;
	*ret_why = text && last > 0 ? ": it has more than a megabyte" : "";
	document_unload(text);
	return NULL;
}

void document_unload(char *text)
{
	if (text)
		runtime_unmap(text, FILE_BYTES_MAX);
}
