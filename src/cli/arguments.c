#include "cli/arguments.h"

#include "cli/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { HELP_WIDTH = 79, HELP_COLUMN = 22 }; /* of descriptions */

/* Prints the words of a description behind `column` columns, each with a space in front,
 * and begins a new line where a word has no room. */
static void print_description(const char *text, int column)
{
	while (*text) {
		const int length = (int)strcspn(text, " ");

		if (column + 1 + length > HELP_WIDTH)
			column = printf("\n%*s", HELP_COLUMN, "") - 1;
		column += printf(" %.*s", length, text);
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

void arguments_print_help(const char *usage, const struct poptOption *options)
{
	puts(usage);
	for (const struct poptOption *option = options; option->longName; option++) {
		const bool has_value = option->argDescrip != NULL;
		int column = option->shortName ? printf("  -%c, ", option->shortName)
					       : printf("      ");

		column += printf("--%s%s%s", option->longName, has_value ? "=" : "",
				 has_value ? option->argDescrip : "");
		if (column < HELP_COLUMN)
			column += printf("%*s", HELP_COLUMN - column, "");
		print_description(option->descrip, column);
	}
}

/* The option that is nearest to a mistyped one; NULL if none is near. */
static const char *nearest_option(const struct poptOption *options, const char *typed)
{
	const char *best = NULL;
	size_t best_distance = 4;
	char name[64];

	snprintf(name, sizeof(name), "%s", typed + strspn(typed, "-"));
	name[strcspn(name, "=")] = '\0';
	for (const struct poptOption *option = options; option->longName; option++) {
		size_t distance = text_distance(name, option->longName);

		if (distance < best_distance && distance < strlen(option->longName)) {
			best = option->longName;
			best_distance = distance;
		}
	}
	return best;
}

static struct trm_error *describe_option_error(const char *command, poptContext context,
					       const struct poptOption *options, int code)
{
	const char *typed = poptBadOption(context, POPT_BADOPTION_NOALIAS);
	const char *best =
		code == POPT_ERROR_BADOPT ? nearest_option(options, typed) : NULL;
	int length = (int)strcspn(typed, "=");

	if (code != POPT_ERROR_BADOPT)
		return trm_error_create(TRM_ERROR_USAGE, "option '%.*s': %s", length,
					typed, poptStrerror(code));
	if (best)
		return trm_error_create(TRM_ERROR_USAGE,
					"unknown option '%.*s': did you mean '--%s'?",
					length, typed, best);
	return trm_error_create(TRM_ERROR_USAGE,
				"unknown option '%.*s': trammel %s --help shows all",
				length, typed, command);
}

struct trm_error *arguments_parse(const char *command, int argc, const char **argv,
				  const struct poptOption *options,
				  struct arguments_words *words)
{
	poptContext context = poptGetContext(command, argc, argv, options, 0);
	struct trm_error *error = NULL;
	const char *word;
	int code;

	while ((code = poptGetNextOpt(context)) > 0)
		;
	if (code < -1)
		error = describe_option_error(command, context, options, code);
	while (!error && (word = poptGetArg(context)))
		vector_push(words, memory_copy_string(word));
	poptFreeContext(context);
	return error;
}

void arguments_reset(const struct poptOption *options, struct arguments_words *words)
{
	for (const struct poptOption *option = options; option->longName; option++) {
		if ((option->argInfo & POPT_ARG_MASK) == POPT_ARG_STRING) {
			free(*(char **)option->arg);
			*(char **)option->arg = NULL;
		} else {
			*(int *)option->arg = 0;
		}
	}
	vector_for_each (words, word)
		free(*word);
	vector_deinit(words);
}

/* "a, b or c" */
static void list_words(struct text *text, const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		text_format(text, "%s%s",
			    !i             ? ""
			    : words[i + 1] ? ", "
					   : " or ",
			    words[i]);
}

struct trm_error *arguments_choose(const char *option, const char *given,
				   const char *const *words, int *ret_index)
{
	int best = 0;
	size_t best_distance = given ? SIZE_MAX : 0;
	struct text list = {0};
	struct trm_error *error;

	for (int i = 0; given && words[i]; i++) {
		size_t distance = text_distance(given, words[i]);

		if (distance < best_distance) {
			best = i;
			best_distance = distance;
		}
	}
	if (best_distance && best_distance <= 2)
		return trm_error_create(TRM_ERROR_USAGE,
					"--%s '%s' is unknown: did you mean '%s'?",
					option, given, words[best]);
	if (!best_distance) {
		*ret_index = best;
		return NULL;
	}
	list_words(&list, words);
	error = trm_error_create(TRM_ERROR_USAGE, "--%s '%s' is unknown: choose %s",
				 option, given, list.data);
	text_deinit(&list);
	return error;
}

struct trm_error *arguments_number(const char *option, const char *given, uint64_t least,
				   uint64_t *ret_number)
{
	char *end;

	*ret_number = 0;
	if (!given)
		return NULL;
	errno = 0;
	*ret_number = strtoull(given, &end, 10);
	if (errno || !*given || *end || strspn(given, "0123456789") != strlen(given) ||
	    *ret_number < least)
		return trm_error_create(TRM_ERROR_USAGE,
					"--%s '%s' is not a number from %llu up", option,
					given, (unsigned long long)least);
	return NULL;
}

/* Shows the text with $PAGER. False if it could not be started. */
static bool show_paged(const struct text *text)
{
	const char *pager = getenv("PAGER");
	void (*old)(int);
	FILE *pipe;
	int status;

	if (!pager)
		pager = "less -RFX";
	if (!*pager)
		return false;
	/* Who leaves the pager early does not want to hear of a broken pipe. */
	old = signal(SIGPIPE, SIG_IGN);
	pipe = popen(pager, "w");
	if (pipe)
		fwrite(text->data, 1, text->length, pipe);
	status = pipe ? pclose(pipe) : -1;
	signal(SIGPIPE, old);
	/* 126 and 127 are the shell's: there is no such pager. */
	return status != -1 && !(WIFEXITED(status) && WEXITSTATUS(status) >= 126);
}

struct trm_error *arguments_show(const struct text *text, size_t screen_lines)
{
	size_t lines = 0;

	for (size_t i = 0; i < text->length; i++)
		lines += text->data[i] == '\n';
	if (screen_lines && lines >= screen_lines && show_paged(text))
		return NULL;
	errno = 0;
	if ((text->length &&
	     fwrite(text->data, 1, text->length, stdout) != text->length) ||
	    fflush(stdout))
		return trm_error_system(errno, "cannot write the report");
	return NULL;
}

int arguments_status(struct trm_error *error, int done)
{
	int status = done;

	if (error) {
		status = error->code == TRM_ERROR_USAGE ? EXIT_USAGE : EXIT_FAILED;
		trm_error_print(error);
	}
	return status;
}
