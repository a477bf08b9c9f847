#include "base/json.h"

#include "base/array.h"
#include "base/text.h"

#include <stdint.h>
#include <string.h>

enum { DEPTH_MAX = 100 };

static void fail_at(struct json *json, const char *at)
{
	if (!json->wrong)
		json->wrong = at;
	json->at = json->end;
}

void json_fail(struct json *json)
{
	fail_at(json, json->at);
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

static bool is_of_word(char c)
{
	return c == '-' || c == '+' || c == '.' || (c >= '0' && c <= '9') ||
	       ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
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
	return is_of_word(*json->at) ? JSON_NUMBER : JSON_NONE;
}

bool json_next(struct json *json, struct json_raw *ret_name, size_t *count, bool object)
{
	if (!*count && !accept_character(json, object ? '{' : '['))
		json_fail(json);
	if (accept_character(json, object ? '}' : ']'))
		return false;
	if (*count && !accept_character(json, ','))
		json_fail(json);
	++*count;
	if (object && !json->wrong) {
		struct json_raw name = json_string(json);

		if (ret_name)
			*ret_name = name;
		if (!accept_character(json, ':'))
			json_fail(json);
	}
	if (json_peek(json) == JSON_NONE)
		json_fail(json);
	return !json->wrong;
}

void json_skip(struct json *json)
{
	size_t depth = 0;

	do {
		enum json_kind kind = json_peek(json);

		if (kind == JSON_OBJECT || kind == JSON_ARRAY) {
			json->at++;
			depth++;
		} else if (kind == JSON_STRING) {
			json_string(json);
		} else if (kind != JSON_NONE) {
			json_word(json);
		} else if (json->at < json->end && depth && strchr(",:]}", *json->at)) {
			depth -= *json->at == ']' || *json->at == '}';
			json->at++;
		} else {
			json_fail(json);
		}
		if (depth > DEPTH_MAX)
			json_fail(json);
	} while (depth && !json->wrong);
}

struct json_raw json_word(struct json *json)
{
	struct json_raw word;

	skip_space(json);
	word.at = json->at;
	while (json->at < json->end && is_of_word(*json->at))
		json->at++;
	word.length = (size_t)(json->at - word.at);
	if (!word.length)
		json_fail(json);
	return word;
}

struct json_raw json_string(struct json *json)
{
	struct json_raw string = {.at = json->at};

	if (json_peek(json) != JSON_STRING) {
		json_fail(json);
		return string;
	}
	string.at = ++json->at;
	for (; json->at < json->end && *json->at != '"'; json->at++)
		json->at += *json->at == '\\' && json->at + 1 < json->end;
	string.length = (size_t)(json->at - string.at);
	if (json->at < json->end)
		json->at++;
	else
		json_fail(json);
	return string;
}

/* Reads the four digits behind \u and goes behind them; -1 if they are not there. */
static int32_t read_unit(struct json_raw *string)
{
	int32_t unit = 0;

	if (string->length < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = text_hex_digit(string->at[i]);

		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	string->at += 4;
	string->length -= 4;
	return unit;
}

static char *put_utf8(char *to, uint32_t c)
{
	size_t count = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const uint8_t heads[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = count; i-- > 1; c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(heads[count] | c);
	return to + count;
}

/* What is behind \u: one unit, or two that are a character together (RFC 8259, 7). NULL
 * if it makes no sense. */
static char *put_character(struct json_raw *string, char *to)
{
	int32_t unit = read_unit(string);
	struct json_raw behind = *string;

	if (unit < 0)
		return NULL;
	if ((unit & 0xfc00) == 0xd800 && behind.length >= 6 &&
	    !memcmp(behind.at, "\\u", 2)) {
		behind.at += 2;
		behind.length -= 2;
		int32_t low = read_unit(&behind);

		if (low >= 0 && (low & 0xfc00) == 0xdc00) {
			*string = behind;
			return put_utf8(to, 0x10000 + (((uint32_t)unit & 0x3ff) << 10) +
						    ((uint32_t)low & 0x3ff));
		}
	}
	return put_utf8(to, !unit || (unit & 0xf800) == 0xd800 ? 0xfffd : (uint32_t)unit);
}

/* What is behind a backslash. NULL if it makes no sense. */
static char *put_escaped(struct json_raw *string, char *to)
{
	static const char from[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char c = string->length ? *string->at : '\0';
	const char *found = c ? strchr(from, c) : NULL;

	if (!found && c != 'u')
		return NULL;
	string->at++;
	string->length--;
	if (!found)
		return put_character(string, to);
	*to = meant[found - from];
	return to + 1;
}

char *json_unescape(struct json *json, struct json_raw string, char *to)
{
	while (string.length) {
		char c = *string.at++, *next = to + 1;

		string.length--;
		if (c == '\\')
			next = put_escaped(&string, to);
		else
			*to = c;
		if (!next) {
			fail_at(json, string.at);
			break;
		}
		to = next;
	}
	return to;
}
