/*
 * The size of the C library's automaton for a regular expression: a repetition copies its
 * operand ("a+" is "aa*", "a{3,9}" has nine copies), and nested ones multiply, so that
 * twenty characters can take all memory.
 */
#include "query/pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
	SIZE_MAX_NODES = 4000, /* what a state leads to is kept for each: squares of it */
	DEPTH_MAX = 100,       /* parentheses; the C library's parser is recursive */
};

struct group {
	unsigned int size; /* of all in it so far */
	unsigned int last; /* of what a repetition would repeat */
};

/* Behind a bracket expression that begins at `text`, or its end. POSIX.1-2017, XBD 9.3.5.
 */
static const char *skip_bracket(const char *text)
{
	text += text[1] == '^' ? 2 : 1;
	if (*text == ']')
		text++;
	while (*text && *text != ']') {
		const char end[] = {text[1], ']', '\0'};
		const char *close = NULL;

		if (*text == '[' && text[1] && strchr(".=:", text[1]))
			close = strstr(text + 2, end);
		text = close ? close + 2 : text + 1;
	}
	return *text ? text + 1 : text;
}

/* Reads an interval "{m,n}": its greatest number; 0 if it is not one. */
static unsigned long read_interval(const char **text)
{
	char *end;
	unsigned long most = strtoul(*text + 1, &end, 10);

	if (!isdigit((unsigned char)(*text)[1]) && (*text)[1] != ',')
		return 0;
	if (*end == ',') {
		unsigned long limit = strtoul(end + 1, &end, 10);

		most = limit > most ? limit : most + 1;
	}
	if (*end != '}')
		return 0;
	*text = end + 1;
	return most ? most : 1;
}

static bool add_states(struct group *group, unsigned long size)
{
	group->last = (unsigned int)size;
	group->size += group->last;
	return group->size <= SIZE_MAX_NODES;
}

static bool repeat_states(struct group *group, unsigned long times)
{
	if (times > SIZE_MAX_NODES)
		return false;
	unsigned long size = group->last * times;

	group->size -= group->last;
	return size <= SIZE_MAX_NODES && add_states(group, size);
}

/* Reads an item that is neither a parenthesis nor an alternative. */
static bool add_simple(struct group *group, const char **text)
{
	const char *at = *text;
	unsigned long times = 0;

	if (*at == '{' && (times = read_interval(text)))
		return repeat_states(group, times);
	*text = *at == '[' ? skip_bracket(at) : at + 1 + (*at == '\\' && at[1]);
	if (*at == '+')
		return repeat_states(group, 2);
	if (*at == '*' || *at == '?')
		return true;
	return add_states(group, 1);
}

bool query_pattern_fits(const char *text)
{
	struct group groups[DEPTH_MAX] = {0};
	size_t depth = 0;

	while (*text) {
		bool fits = true;

		if (*text == '(' && ++depth < DEPTH_MAX) {
			groups[depth] = (struct group){0};
			text++;
		} else if (*text == '(') {
			return false;
		} else if (*text == ')' && depth) {
			depth--;
			fits = add_states(&groups[depth], groups[depth + 1].size + 1);
			text++;
		} else {
			fits = add_simple(&groups[depth], &text);
		}
		if (!fits)
			return false;
	}
	return true;
}
