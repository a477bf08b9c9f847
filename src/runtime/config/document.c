#include "runtime/config/document.h"
#include "runtime/channel/settings.h"
#include "runtime/store/load.h"
#include "runtime/store/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, POOL_COUNT = 256, FILE_BYTES_MAX = 1 << 20 };

struct reader {
	const char *at;
	bool wrong;
	int depth;
};

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

static void skip_space(struct reader *reader)
{
	reader->at += strspn(reader->at, " \t\r\n");
}

static bool accept_character(struct reader *reader, char c)
{
	skip_space(reader);
	if (*reader->at != c)
		return false;
	reader->at++;
	return true;
}

/* The number that four hexadecimal digits are; they are behind then. */
static unsigned read_digits(struct reader *reader)
{
	char digits[5] = "", *end;
	unsigned long number;

	strncat(digits, reader->at, 4);
	number = strtoul(digits, &end, 16);
	if (strspn(digits, "0123456789abcdefABCDEF") != 4)
		reader->wrong = true;
	else
		reader->at += 4;
	return (unsigned)number;
}

/* A character as UTF-8; halves of a pair that stand alone become U+FFFD. */
static char *put_character(struct reader *reader, char *to)
{
	static const struct {
		unsigned last, mark, shift;
	} ranges[] = {
		{0x7f, 0, 0}, {0x7ff, 0xc0, 6}, {0xffff, 0xe0, 12}, {0x10ffff, 0xf0, 18}};
	unsigned c = read_digits(reader);

	if (c >= 0xd800 && c < 0xdc00 && !strncmp(reader->at, "\\u", 2)) {
		reader->at += 2;
		c = 0x10000 + ((c - 0xd800) << 10) +
		    ((read_digits(reader) - 0xdc00) & 0x3ff);
	}
	/* There is room only for what took as much where it was read. */
	if (reader->wrong)
		return to;
	if (!c || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (c > ranges[i].last)
			continue;
		*to++ = (char)(ranges[i].mark | c >> ranges[i].shift);
		for (unsigned shift = ranges[i].shift; shift; shift -= 6)
			*to++ = (char)(0x80 | (c >> (shift - 6) & 0x3f));
		break;
	}
	return to;
}

/* What stands behind a backslash. */
static char *put_escaped(struct reader *reader, char *to)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char letter = *reader->at;
	const char *found = letter ? strchr(letters, letter) : NULL;

	if (letter == 'u') {
		reader->at++;
		return put_character(reader, to);
	}
	if (!found) {
		reader->wrong = true;
		return to;
	}
	reader->at++;
	*to++ = meant[found - letters];
	return to;
}

/* The quote is next. Nothing gets longer when it is read. */
static const char *read_string(struct reader *reader)
{
	const char *end = ++reader->at;
	char *copy, *to;

	while (*end && *end != '"')
		end += *end == '\\' && end[1] ? 2 : 1;
	copy = to = settings_keep(reader->at, (size_t)(end - reader->at));
	if (!copy || !*end) {
		reader->wrong = true;
		return "";
	}
	while (reader->at < end && !reader->wrong) {
		if (*reader->at != '\\') {
			*to++ = *reader->at++;
			continue;
		}
		reader->at++;
		to = put_escaped(reader, to);
	}
	*to = '\0';
	reader->at += !reader->wrong;
	return copy;
}

static const char *read_word(struct reader *reader)
{
	size_t length = strcspn(reader->at, ",:]}{[\" \t\r\n");
	const char *word = settings_keep(reader->at, length);
	bool known = word && (!strcmp(word, "true") || !strcmp(word, "false") ||
			      !strcmp(word, "null"));
	char *end;

	if (!known && (!length || !word || (strtod(word, &end), *end)))
		reader->wrong = true;
	else
		reader->at += length;
	return word;
}

static struct document *read_value(struct reader *reader);

/* One after the other, until the closing bracket, which is then behind. */
static struct document *read_items(struct reader *reader, char close)
{
	struct document *first = NULL, **next = &first;

	reader->at++;
	if (accept_character(reader, close))
		return NULL;
	do {
		const char *name = NULL;

		skip_space(reader);
		if (close == '}' && *reader->at != '"')
			reader->wrong = true;
		else if (close == '}')
			name = read_string(reader);
		if (name && !reader->wrong && !accept_character(reader, ':'))
			reader->wrong = true;
		if (reader->wrong)
			return NULL;
		*next = read_value(reader);
		if (!*next)
			return NULL;
		(*next)->name = name;
		next = &(*next)->next;
	} while (accept_character(reader, ','));
	if (!accept_character(reader, close))
		reader->wrong = true;
	return first;
}

static struct document *read_value(struct reader *reader)
{
	struct document *document = new_document();

	skip_space(reader);
	if (!document || reader->depth == DEPTH_MAX) {
		reader->wrong = true;
		return NULL;
	}
	*document = (struct document){.kind = DOCUMENT_WORD, .at = reader->at};
	reader->depth++;
	if (*reader->at == '{' || *reader->at == '[') {
		bool object = *reader->at == '{';

		document->kind = object ? DOCUMENT_OBJECT : DOCUMENT_ARRAY;
		document->first = read_items(reader, object ? '}' : ']');
	} else if (*reader->at == '"') {
		document->kind = DOCUMENT_STRING;
		document->text = read_string(reader);
	} else {
		document->text = read_word(reader);
	}
	reader->depth--;
	return reader->wrong ? NULL : document;
}

const struct document *document_read(const char *text, const char **ret_wrong)
{
	struct reader reader = {.at = text};
	const struct document *document = read_value(&reader);

	/* Texts of specifications in programs may end as statements do. */
	reader.at += strspn(reader.at, "; \t\r\n");
	if (document && !*reader.at)
		return document;
	*ret_wrong = reader.at;
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
