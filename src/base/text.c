#include "base/array.h"
#include "base/text.h"

#include "base/vector.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void make_room(struct text *text, size_t more)
{
	if (text->length + more < text->capacity)
		return;
	text->data =
		vector_reserve_(text->data, 1, text->length + more + 1, &text->capacity);
}

char *text_room(struct text *text, size_t more)
{
	make_room(text, more);
	return text->data + text->length;
}

void text_add_bytes(struct text *text, const char *bytes, size_t length)
{
	make_room(text, length);
	memcpy(text->data + text->length, bytes, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void text_add(struct text *text, const char *string)
{
	text_add_bytes(text, string, strlen(string));
}

void text_format(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	make_room(text, (size_t)length);
	va_start(arguments, format);
	vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
	va_end(arguments);
	text->length += (size_t)length;
}

/* The length of the UTF-8 sequence at `s`; 0 if it is invalid (RFC 3629). */
static size_t utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high, length;
	} forms[] = {
		{0x20, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t i = 0; i < array_count(forms); i++) {
		size_t n = forms[i].length, k = 2;

		if (s[0] < forms[i].first_low || s[0] > forms[i].first_high)
			continue;
		if (n > 1 && (s[1] < forms[i].second_low || s[1] > forms[i].second_high))
			continue;
		while (k < n && (s[k] & 0xc0) == 0x80)
			k++;
		if (n <= 2 || k == n)
			return n;
	}
	return 0;
}

/* The number of bytes from here on that a JSON string contains unchanged. */
static size_t plain_length(const unsigned char *s)
{
	size_t length = 0;

	while (s[length] >= 0x20 && s[length] < 0x80 && s[length] != '"' &&
	       s[length] != '\\')
		length++;
	return length;
}

void text_add_json(struct text *text, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;

	text_add(text, "\"");
	while (*s) {
		size_t length = plain_length(s);

		length = length ? length : utf8_length(s);
		if (*s == '"' || *s == '\\')
			text_format(text, "\\%c", *s);
		else if (*s < 0x20)
			text_format(text, "\\u%04x", *s);
		else if (length)
			text_add_bytes(text, (const char *)s, length);
		else
			text_add(text, "\\ufffd");
		s += length ? length : 1;
	}
	text_add(text, "\"");
}

void text_deinit(struct text *text)
{
	free(text->data);
	*text = (struct text){0};
}

void text_add_grouped(struct text *text, unsigned long long number)
{
	char digits[32];
	int length = snprintf(digits, sizeof(digits), "%llu", number);

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			text_add(text, ",");
		text_add_bytes(text, &digits[i], 1);
	}
}

void text_print_warnings(const struct text *text, const char *program)
{
	const char *line = text->length ? text->data : "";

	while (*line) {
		size_t length = strcspn(line, "\n");

		fprintf(stderr, "%s: warning: %.*s\n", program, (int)length, line);
		line += length + (line[length] == '\n');
	}
}

bool text_glob(const char *pattern, const char *name)
{
	return fnmatch(pattern, name, 0) == 0;
}

size_t text_distance(const char *a, const char *b)
{
	size_t width = strlen(b) + 1;
	size_t *row = memory_allocate_zeroed(width, sizeof(*row));

	for (size_t j = 0; j < width; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 1; j < width; j++) {
			size_t replace = diagonal + (a[i] != b[j - 1]);
			size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;

			diagonal = row[j];
			row[j] = replace < other ? replace : other;
		}
	}
	size_t distance = row[width - 1];
	free(row);
	return distance;
}

bool text_is_near(const char *typed, const char *name)
{
	size_t distance = text_distance(typed, name);

	return distance <= 2 && distance <= (strlen(typed) + 2) / 3;
}

const char *text_nearer(const char *typed, const char *name, const char *nearest)
{
	if (nearest && text_distance(name, typed) >= text_distance(nearest, typed))
		return nearest;
	return name;
}

void text_add_place(const char *string, size_t place, struct text *ret_text)
{
	size_t begin = place, end = place;

	while (begin && string[begin - 1] != '\n')
		begin--;
	while (string[end] && string[end] != '\n')
		end++;
	text_add(ret_text, "  ");
	for (size_t i = begin; i < end; i++)
		text_add_bytes(ret_text,
			       (unsigned char)string[i] < 0x20 ? " " : string + i, 1);
	text_add(ret_text, "\n  ");
	for (size_t i = begin; i < place; i++)
		text_add(ret_text, ((unsigned char)string[i] & 0xc0) == 0x80 ? "" : " ");
	text_add(ret_text, "^\n");
}
