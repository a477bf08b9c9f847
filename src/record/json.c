#include "record/json.h"

#include "base/array.h"

#include <string.h>

enum { DEPTH_MAX = 100 };

static void fail_parsing(struct json *json)
{
	json->wrong = true;
	json->at = json->end;
}

static void skip_space(struct json *json)
{
	while (json->at < json->end && *json->at && strchr(" \t\r\n", *json->at))
		json->at++;
}

static bool accept_character(struct json *json, char c)
{
	skip_space(json);
	if (json->at == json->end || *json->at != c)
		return false;
	json->at++;
	return true;
}

enum json_kind json_peek(struct json *json)
{
	static const struct {
		char first;
		enum json_kind kind;
	} kinds[] = {{'{', JSON_OBJECT}, {'[', JSON_ARRAY}, {'"', JSON_STRING},
		     {'t', JSON_TRUE},   {'f', JSON_FALSE}, {'n', JSON_NULL}};

	skip_space(json);
	if (json->at == json->end)
		return JSON_NONE;
	for (size_t i = 0; i < array_count(kinds); i++)
		if (*json->at == kinds[i].first)
			return kinds[i].kind;
	return *json->at == '-' || (*json->at >= '0' && *json->at <= '9') ? JSON_NUMBER
									  : JSON_NONE;
}

bool json_next(struct json *json, struct text *name, size_t *count, bool object)
{
	struct text unwanted = {0};

	if (!*count && !accept_character(json, object ? '{' : '['))
		fail_parsing(json);
	if (accept_character(json, object ? '}' : ']'))
		return false;
	if (*count && !accept_character(json, ','))
		fail_parsing(json);
	++*count;
	if (object && !json->wrong) {
		json_string(json, name ? name : &unwanted);
		text_deinit(&unwanted);
		if (!accept_character(json, ':'))
			fail_parsing(json);
	}
	if (json_peek(json) == JSON_NONE)
		fail_parsing(json);
	return !json->wrong;
}

static void skip_string(struct json *json)
{
	for (json->at++; json->at < json->end && *json->at != '"'; json->at++)
		json->at += *json->at == '\\' && json->at + 1 < json->end;
	if (json->at < json->end)
		json->at++;
	else
		fail_parsing(json);
}

void json_skip(struct json *json)
{
	size_t depth = 0;

	do {
		enum json_kind kind = json_peek(json);
		const char *word;

		if (kind == JSON_OBJECT || kind == JSON_ARRAY) {
			json->at++;
			depth++;
		} else if (kind == JSON_STRING) {
			skip_string(json);
		} else if (kind != JSON_NONE) {
			json_word(json, &word);
		} else if (json->at < json->end && depth && strchr(",:]}", *json->at)) {
			depth -= *json->at == ']' || *json->at == '}';
			json->at++;
		} else {
			fail_parsing(json);
		}
		if (depth > DEPTH_MAX)
			fail_parsing(json);
	} while (depth && !json->wrong);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits behind \u; -1 if they are not there. */
static int32_t read_unit(struct json *json)
{
	int32_t unit = 0;

	if (json->end - json->at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(*json->at++);

		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

static void add_utf8(struct text *text, uint32_t c)
{
	char bytes[4];
	size_t count = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const uint8_t heads[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = count; i-- > 1; c >>= 6)
		bytes[i] = (char)(0x80 | (c & 0x3f));
	bytes[0] = (char)(heads[count] | c);
	text_add_bytes(text, bytes, count);
}

/* What is behind \u: one unit, or two that are a character together (RFC 8259, 7). */
static void read_character(struct json *json, struct text *text)
{
	int32_t unit = read_unit(json), low;

	if (unit < 0) {
		fail_parsing(json);
		return;
	}
	if ((unit & 0xfc00) == 0xd800 && json->end - json->at >= 6 &&
	    json->at[0] == '\\' && json->at[1] == 'u') {
		json->at += 2;
		low = read_unit(json);
		if ((low & 0xfc00) != 0xdc00) {
			fail_parsing(json);
			return;
		}
		unit = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
	}
	add_utf8(text, (uint32_t)unit);
}

static void read_escape(struct json *json, struct text *text)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char c = json->at < json->end ? *json->at++ : '\0';
	const char *found = c ? strchr(from, c) : NULL;

	if (found)
		text_add_bytes(text, to + (found - from), 1);
	else if (c == 'u')
		read_character(json, text);
	else
		fail_parsing(json);
}

void json_string(struct json *json, struct text *ret_text)
{
	ret_text->length = 0;
	text_add(ret_text, "");
	if (json_peek(json) != JSON_STRING) {
		fail_parsing(json);
		return;
	}
	json->at++;
	while (json->at < json->end && *json->at != '"') {
		const char *begin = json->at;

		while (json->at < json->end && *json->at != '"' && *json->at != '\\')
			json->at++;
		text_add_bytes(ret_text, begin, (size_t)(json->at - begin));
		if (json->at < json->end && *json->at == '\\') {
			json->at++;
			read_escape(json, ret_text);
		}
	}
	if (json->at == json->end)
		fail_parsing(json);
	else
		json->at++;
}

size_t json_word(struct json *json, const char **ret_word)
{
	skip_space(json);
	*ret_word = json->at;
	while (json->at < json->end &&
	       (*json->at == '-' || *json->at == '+' || *json->at == '.' ||
		(*json->at >= '0' && *json->at <= '9') ||
		((*json->at | 0x20) >= 'a' && (*json->at | 0x20) <= 'z')))
		json->at++;
	if (json->at == *ret_word)
		fail_parsing(json);
	return (size_t)(json->at - *ret_word);
}
