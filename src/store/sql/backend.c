#include "store/sql/backend.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void sql_deinit(struct sql *sql)
{
	vector_for_each (&sql->kept, kept)
		sql->backend->release(kept->statement);
	vector_deinit(&sql->kept);
	vector_for_each (&sql->texts, text)
		free(*text);
	vector_deinit(&sql->texts);
	free(sql->path);
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The word of the table that stands here; NULL: none. */
static const struct sql_word *find_word(const struct sql_backend *backend,
					const char *text, const char *at)
{
	for (const struct sql_word *word = backend->words; word->ours; word++) {
		const size_t length = strlen(word->ours);

		if (strncmp(at, word->ours, length) != 0)
			continue;
		if (at > text && in_name(at[-1]) && in_name(*at))
			continue;
		if (!in_name(at[length - 1]) || !in_name(at[length]))
			return word;
	}
	return NULL;
}

static const char *skip_word(const struct sql_word *word, const char *at)
{
	at += strlen(word->ours);
	if (!word->and_name)
		return at;
	while (*at == ' ')
		at++;
	while (in_name(*at))
		at++;
	return at;
}

/* "?" is the number after the largest so far, "?2" is 2. */
static const char *number_parameter(const char *at, long *largest, struct text *to)
{
	char *end;
	long number = strtol(at + 1, &end, 10);

	if (end == at + 1)
		number = *largest + 1;
	*largest = number > *largest ? number : *largest;
	text_format(to, "$%ld", number);
	return end;
}

void sql_translate(const struct sql_backend *backend, const char *text,
		   struct text *ret_text)
{
	long largest = 0;
	bool quoted = false;

	for (const char *at = text; *at;) {
		const struct sql_word *word =
			quoted ? NULL : find_word(backend, text, at);

		if (word) {
			text_add(ret_text, word->theirs);
			at = skip_word(word, at);
		} else if (*at == '?' && backend->numbered && !quoted) {
			at = number_parameter(at, &largest, ret_text);
		} else {
			quoted ^= *at == '\'';
			text_add_bytes(ret_text, at++, 1);
		}
	}
}
