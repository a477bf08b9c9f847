#include "cli/cali/options.h"

#include <string.h>

/* The row of a long option, or of a letter; -1 if there is none such. */
static int find_option(const struct cali_option *table, const char *name, size_t size,
		       bool letter)
{
	for (int i = 0; table[i].name; i++)
		if (letter ? table[i].letter == *name
			   : strlen(table[i].name) == size &&
				     !memcmp(table[i].name, name, size))
			return i;
	return -1;
}

/* Takes an option; its argument may be behind it. */
static void take_option(const struct cali_option *table, int option, const char *argument,
			const char ***at, cali_taker take)
{
	if (table[option].argument && !argument && (*at)[1])
		argument = *++*at;
	take(option, argument ? argument : "");
}

/* Letters of one word: the last one may have an argument. */
static bool take_letters(const struct cali_option *table, const char *word,
			 const char ***at, cali_taker take)
{
	size_t count = strcspn(word, "=");

	for (size_t i = 0; i < count; i++) {
		int option = find_option(table, word + i, 1, true);

		if (option < 0)
			return false;
		if (i + 1 < count)
			take(option, "");
		else
			take_option(table, option, word[count] ? word + count + 1 : NULL,
				    at, take);
	}
	return true;
}

const char *cali_options_parse(const struct cali_option *table, const char **argv,
			       cali_taker take, struct cali_words *words)
{
	const char **at = argv + 1;

	for (; *at && strcmp(*at, "--") != 0; at++) {
		const char *word = *at;

		if (!strncmp(word, "--", 2)) {
			size_t size = strcspn(word + 2, "=");
			int option = find_option(table, word + 2, size, false);
			const char *value = word + 2 + size;

			if (option < 0)
				return word;
			take_option(table, option, *value && value[1] ? value + 1 : NULL,
				    &at, take);
		} else if (word[0] == '-' && word[1]) {
			if (!take_letters(table, word + 1, &at, take))
				return word;
		} else if (*word) {
			vector_push(words, word);
		}
	}
	for (at += *at != NULL; *at; at++)
		vector_push(words, *at);
	return NULL;
}

void cali_options_print(const struct cali_option *table, FILE *out)
{
	for (; table->name; table++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s%s%s", table->name,
			 table->argument ? "=" : "",
			 table->argument ? table->argument : "");
		if (table->letter)
			fprintf(out, "  -%c, %-32s %s\n", table->letter, name,
				table->what);
		else
			fprintf(out, "      %-32s %s\n", name, table->what);
	}
}

void cali_add_quoted(struct text *out, const char *list, const char *separators)
{
	for (;;) {
		size_t size = strcspn(list, separators);

		text_add(out, "\"");
		for (size_t i = 0; i < size; i++) {
			if (strchr("\"\\", list[i]))
				text_add(out, "\\");
			text_add_bytes(out, list + i, 1);
		}
		text_add(out, "\"");
		list += size;
		if (!*list)
			return;
		list++;
		text_add(out, ", ");
	}
}
