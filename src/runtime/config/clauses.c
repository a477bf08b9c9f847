#include "runtime/config/clauses.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *word;
	bool by;                     /* the word BY is behind it */
	const char *before, *behind; /* what parts of it have around them */
	size_t at;
} known[] = {
	{"let", false, ",", "", offsetof(struct clauses, lets)},
	{"select", false, ",", "", offsetof(struct clauses, columns)},
	{"aggregate", false, ",", "", offsetof(struct clauses, columns)},
	{"group", true, ",", "", offsetof(struct clauses, keys)},
	{"where", false, ",(", ")", offsetof(struct clauses, filters)},
	{"order", true, ",", "", offsetof(struct clauses, order)},
};

static const char *skip_space(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

static bool is_end(char c)
{
	return !c || strchr(" \t\r\n", c);
}

/* What is behind a clause's word, and which it is; NULL: there is none here. */
static const char *behind_word(const char *at, size_t *ret_number)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t length = strlen(known[i].word);
		const char *behind;

		if (strncasecmp(at, known[i].word, length) != 0 || !is_end(at[length]))
			continue;
		behind = skip_space(at + length);
		if (known[i].by &&
		    (strncasecmp(behind, "by", 2) != 0 || !is_end(behind[2])))
			continue;
		*ret_number = i;
		return known[i].by ? behind + 2 : behind;
	}
	return NULL;
}

/* Where the clause ends: at the next one's word, outside of quotes and parentheses. */
static const char *end_of(const char *at)
{
	size_t number;
	int depth = 0;
	char quote = '\0';

	for (bool starts = true; *at; at++) {
		if (starts && !quote && !depth && behind_word(at, &number))
			break;
		if (quote)
			quote = *at == quote ? '\0' : quote;
		else if (*at == '"' || *at == '\'')
			quote = *at;
		else
			depth += (*at == '(') - (*at == ')' && depth);
		starts = is_end(*at);
	}
	return at;
}

const char *clauses_add(struct clauses *clauses, const char *text)
{
	for (text = skip_space(text); *text;) {
		size_t number, used;
		const char *from = behind_word(text, &number), *end;
		char *to;

		if (!from)
			return text;
		end = end_of(from);
		to = (char *)clauses + known[number].at;
		used = strlen(to);
		if (strlen(known[number].before) + (size_t)(end - from) +
			    strlen(known[number].behind) <
		    CLAUSES_TEXT_MAX - used)
			sprintf(to + used, "%s%.*s%s", known[number].before,
				(int)(end - from), from, known[number].behind);
		else
			clauses->full = true;
		text = end;
	}
	return NULL;
}

static void append_text(char *text, size_t size, const char *more, size_t length)
{
	size_t used = strlen(text);

	if (used < size)
		snprintf(text + used, size - used, "%.*s", (int)length, more);
}

void clauses_place(const struct clauses *clauses, const char *rest, char *text,
		   size_t size)
{
	const char *group = strcasestr(rest, " group by");
	size_t before = group ? (size_t)(group - rest) : strlen(rest);
	const char *filters = clauses->filters;

	append_text(text, size, rest, before);
	if (*filters && !strcasestr(rest, " where ")) {
		append_text(text, size, " WHERE ", strlen(" WHERE "));
		filters++;
	}
	append_text(text, size, filters, strlen(filters));
	append_text(text, size, rest + before, strlen(rest + before));
	if (!group && *clauses->keys) {
		append_text(text, size, " GROUP BY ", strlen(" GROUP BY "));
		append_text(text, size, clauses->keys + 1, strlen(clauses->keys + 1));
	} else {
		append_text(text, size, clauses->keys, strlen(clauses->keys));
	}
}
