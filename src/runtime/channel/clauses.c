#include "runtime/channel/clauses.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *word;
	bool by;            /* the word BY is behind it */
	const char *before; /* what parts of it have in front */
	size_t at;
} known[] = {
	{"let", false, ",", offsetof(struct clauses, lets)},
	{"select", false, ",", offsetof(struct clauses, columns)},
	{"aggregate", false, ",", offsetof(struct clauses, columns)},
	{"group", true, ",", offsetof(struct clauses, keys)},
	{"where", false, " WHERE ", offsetof(struct clauses, filters)},
	{"order", true, ",", offsetof(struct clauses, order)},
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
		if (strlen(known[number].before) + (size_t)(end - from) <
		    CLAUSES_TEXT_MAX - used)
			sprintf(to + used, "%s%.*s", known[number].before,
				(int)(end - from), from);
		else
			clauses->full = true;
		text = end;
	}
	return NULL;
}
