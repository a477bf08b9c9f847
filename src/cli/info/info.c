/* `trammel info`: see man/trammel-info.1.md. */
#include "base/json_write.h"
#include "cli/commands.h"
#include "cli/showing.h"
#include "report/text/terms.h"

#include <string.h>

enum { MEANINGS_MOST = 8 };

static struct {
	struct showing shown;
	int list;
} arguments;

static const struct poptOption option_table[] = {
	{"list", 0, POPT_ARG_NONE, &arguments.list, 0, "all words that are known", NULL},
	SHOWING_PRINT(arguments.shown),
	POPT_TABLEEND};

static void add_text(struct text *out, const struct term *term)
{
	text_format(out, "%s (%s): %s", term->name, term_kind_name(term->kind),
		    term->text);
	if (term->see)
		text_format(out, "; see %s", term->see);
	text_add(out, "\n");
}

static void add_json(struct text *out, const struct term *term)
{
	json_begin_item(out);
	json_add_text(out, "name", term->name);
	json_add_text(out, "kind", term_kind_name(term->kind));
	json_add_text(out, "text", term->text);
	if (term->see)
		json_add_text(out, "see", term->see);
	text_add(out, "}");
}

static void add_term(struct text *out, const struct term *term)
{
	(arguments.shown.json ? add_json : add_text)(out, term);
}

static struct trm_error *add_word(struct text *out, const char *word)
{
	const struct term *found[MEANINGS_MOST];
	const size_t count = terms_find(word, found, MEANINGS_MOST);
	const char *near;

	for (size_t i = 0; i < count && i < MEANINGS_MOST; i++)
		add_term(out, found[i]);
	if (count)
		return NULL;
	near = term_near(word);
	if (near)
		return trm_error_create(TRM_ERROR_USAGE,
					"nothing is known of '%s': did you mean '%s'?",
					word, near);
	return trm_error_create(TRM_ERROR_USAGE,
				"nothing is known of '%s': trammel info --list has all "
				"words",
				word);
}

/* The words of the command line, which may be one term: basic block. */
static struct trm_error *add_words(struct text *out)
{
	const struct arguments_words *words = &arguments.shown.words;
	const struct term *found[1];
	struct text joined = {0};
	struct trm_error *error = NULL;

	vector_for_each (words, word)
		text_format(&joined, "%s%s", word == words->items ? "" : " ", *word);
	if (terms_find(joined.data, found, 1)) {
		error = add_word(out, joined.data);
	} else {
		vector_for_each (words, word)
			if (!error)
				error = add_word(out, *word);
	}
	text_deinit(&joined);
	return error;
}

static struct trm_error *run_info(int *ret_status)
{
	struct text text = {0};
	struct trm_error *error = NULL;

	(void)ret_status;
	if (!arguments.shown.words.count && !arguments.list)
		return trm_error_create(TRM_ERROR_USAGE,
					"no word: trammel info WORD; --list has all");
	if (arguments.shown.json)
		text_add(&text, "{\"terms\": [");
	for (const struct term *term = terms; arguments.list && term->name; term++)
		add_term(&text, term);
	if (!arguments.list)
		error = add_words(&text);
	if (arguments.shown.json)
		text_add(&text, "]}\n");
	if (!error)
		return showing_print(&arguments.shown, &text, true);
	text_deinit(&text);
	return error;
}

const struct command cmd_info = {
	.name = "info",
	.summary = "say what a column, an attribute or a term means",
	.usage = "Usage: trammel info [OPTION]... WORD...\n"
		 "Says what a column, an attribute or a term means.\n",
	.options = option_table,
	.given = &arguments.shown,
	.run = run_info,
};
