#include "cli/options/settings.h"

#include "base/array.h"
#include "base/settings.h"
#include "base/text.h"
#include "cli/options/words.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENVIRONMENT "TRAMMEL_OPTIONS"

/* Reading of one source. */
struct gathering {
	const struct poptOption *table, *known;
	struct option_settings *settings;
	enum option_source source;
	const char *path;
};

char *option_settings_user_path(void)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	struct text path = {0};

	if (config && *config == '/')
		text_format(&path, "%s/trammel/options", config);
	else
		text_format(&path, "%s/.config/trammel/options", home ? home : "");
	return path.data;
}

bool option_settings_are_needed(int argc, const char *const *argv)
{
	static const char *const names[] = {"-f", "--options", "--host",
					    "--agent-command"};
	const char *environment = getenv(ENVIRONMENT);
	char *user = option_settings_user_path();
	bool needed = (environment && *environment) || !access(user, F_OK);

	free(user);
	for (int i = 1; i < argc && !needed && strcmp(argv[i], "--") != 0; i++)
		for (size_t k = 0; k < array_count(names); k++)
			needed = needed || !strncmp(argv[i], names[k], strlen(names[k]));
	return needed;
}

static const struct poptOption *find_row(const struct poptOption *table, const char *name)
{
	for (; table->longName; table++)
		if (!strcmp(table->longName, name))
			return table;
	return NULL;
}

static bool is_flag(const struct poptOption *row)
{
	return (row->argInfo & POPT_ARG_MASK) == POPT_ARG_NONE;
}

/* What was said before, where it does not add up. */
static void drop_earlier(struct option_settings *settings, const struct poptOption *row)
{
	for (size_t i = settings->all.count; i-- > 0;) {
		struct option_setting *setting = &settings->all.items[i];

		if (setting->row != row)
			continue;
		free(setting->value);
		free(setting->path);
		settings->all.count--;
		memmove(setting, setting + 1,
			(settings->all.count - i) * sizeof(*setting));
	}
}

static void add_setting(const struct gathering *gathering, const struct poptOption *row,
			const char *value, size_t line)
{
	struct option_setting setting = {
		.row = row,
		.value = value ? memory_copy_string(value) : NULL,
		.source = gathering->source,
		.path = gathering->path ? memory_copy_string(gathering->path) : NULL,
		.line = line,
	};

	if (!measuring_word_adds(row->val))
		drop_earlier(gathering->settings, row);
	vector_push(&gathering->settings->all, setting);
}

static struct trm_error *unknown_name(const struct gathering *gathering, const char *name)
{
	const char *nearest = NULL;

	for (const struct poptOption *row = gathering->known; row->longName; row++)
		nearest = text_nearer(name, row->longName, nearest);
	if (text_is_near(name, nearest))
		return trm_error_create(TRM_ERROR_USAGE,
					"there is no option '%s': is '%s' meant?", name,
					nearest);
	return trm_error_create(TRM_ERROR_USAGE,
				"there is no option '%s': 'trammel config' lists all",
				name);
}

/* Of a file: `settings_take`. */
static struct trm_error *take_setting(void *context, const char *given, const char *value,
				      size_t line)
{
	const struct gathering *gathering = context;
	char name[64];

	snprintf(name, sizeof(name), "%s", given);
	for (char *at = name; *at; at++)
		if (*at == '_')
			*at = '-';
	const struct poptOption *row = find_row(gathering->table, name);

	/* What other commands have is no mistake. */
	if (!row)
		return find_row(gathering->known, name) ? NULL
							: unknown_name(gathering, given);
	if (!is_flag(row)) {
		add_setting(gathering, row, value, line);
		return NULL;
	}
	if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
		return trm_error_create(TRM_ERROR_USAGE,
					"option '%s' is true or false, not '%s'", given,
					value);
	add_setting(gathering, row, value, line);
	return NULL;
}

static struct trm_error *read_file(struct gathering *gathering, enum option_source source,
				   const char *path)
{
	gathering->source = source;
	gathering->path = path;
	struct trm_error *error = settings_read(path, take_setting, gathering);

	gathering->path = NULL;
	return error;
}

/* The table with options that are all returned: none is stored. */
static struct poptOption *make_scanner(const struct poptOption *table)
{
	size_t count = 0;

	while (table[count].longName)
		count++;
	struct poptOption *scanner = memory_allocate_zeroed(count + 1, sizeof(*scanner));

	for (size_t i = 0; i < count; i++) {
		scanner[i] = table[i];
		scanner[i].arg = NULL;
		scanner[i].val = (int)i + 1;
	}
	return scanner;
}

/* Words as of a command line; those behind the options go to the program if `whole`. */
static struct trm_error *scan_words(struct gathering *gathering, int argc,
				    const char **argv, unsigned int flags, bool whole)
{
	struct poptOption *scanner = make_scanner(gathering->table);
	poptContext context = poptGetContext("trammel", argc, argv, scanner, flags);
	struct trm_error *error = NULL;
	int option;

	while ((option = poptGetNextOpt(context)) > 0) {
		char *word = poptGetOptArg(context);

		add_setting(gathering, &gathering->table[option - 1],
			    is_flag(&gathering->table[option - 1]) ? "true" : word, 0);
		free(word);
	}
	if (option < -1)
		error = trm_error_create(TRM_ERROR_USAGE, "%s%s: %s",
					 gathering->source == OPTION_FROM_ENVIRONMENT
						 ? ENVIRONMENT ": "
						 : "",
					 poptBadOption(context, 0), poptStrerror(option));
	const char **rest = poptGetArgs(context);

	for (; !error && rest && *rest && whole; rest++)
		vector_push(&gathering->settings->words, memory_copy_string(*rest));
	if (!error && rest && *rest)
		error = trm_error_create(TRM_ERROR_USAGE,
					 ENVIRONMENT ": '%s' is not an option", *rest);
	poptFreeContext(context);
	free(scanner);
	return error;
}

static struct trm_error *scan_environment(struct gathering *gathering)
{
	const char *given = getenv(ENVIRONMENT), **argv;
	struct text line = {0};
	int argc;

	if (!given || !*given)
		return NULL;
	/* popt wants the name of a program in front. */
	text_format(&line, "trammel %s", given);
	gathering->source = OPTION_FROM_ENVIRONMENT;
	if (poptParseArgvString(line.data, &argc, &argv)) {
		text_deinit(&line);
		return trm_error_create(TRM_ERROR_USAGE, ENVIRONMENT
					": a quote has no end, or there are no words");
	}
	struct trm_error *error = scan_words(gathering, argc, argv, 0, false);

	free(argv);
	text_deinit(&line);
	return error;
}

/* The value of -f, of the command line or else of the environment. */
static struct trm_error *find_file(const struct gathering *gathering, int argc,
				   const char **argv, unsigned int flags, char **ret_path)
{
	struct option_settings found = {0};
	struct gathering looking = *gathering;

	looking.settings = &found;
	struct trm_error *error = scan_environment(&looking);

	looking.source = OPTION_FROM_COMMAND;
	if (!error)
		error = scan_words(&looking, argc, argv, flags, true);
	const char *path = option_settings_find(&found, "options");

	*ret_path = path ? memory_copy_string(path) : NULL;
	option_settings_deinit(&found);
	return error;
}

struct trm_error *option_settings_gather(const struct poptOption *table,
					 const struct poptOption *known, int argc,
					 const char **argv, unsigned int flags,
					 struct option_settings *ret_settings)
{
	struct gathering gathering = {
		.table = table, .known = known, .settings = ret_settings};
	char *user = option_settings_user_path(), *file = NULL;

	*ret_settings = (struct option_settings){0};
	struct trm_error *error = find_file(&gathering, argc, argv, flags, &file);

	if (!error && !access(user, F_OK))
		error = read_file(&gathering, OPTION_FROM_USER, user);
	if (!error && file)
		error = read_file(&gathering, OPTION_FROM_FILE, file);
	if (!error)
		error = scan_environment(&gathering);
	gathering.source = OPTION_FROM_COMMAND;
	if (!error)
		error = scan_words(&gathering, argc, argv, flags, true);
	free(user);
	free(file);
	if (error)
		option_settings_deinit(ret_settings);
	return error;
}

void option_settings_deinit(struct option_settings *settings)
{
	vector_for_each (&settings->all, setting) {
		free(setting->value);
		free(setting->path);
	}
	vector_for_each (&settings->words, word)
		free(*word);
	vector_deinit(&settings->all);
	vector_deinit(&settings->words);
}

const char *option_settings_find(const struct option_settings *settings, const char *name)
{
	const char *found = NULL;

	vector_for_each (&settings->all, setting)
		if (!strcmp(setting->row->longName, name))
			found = setting->value ? setting->value : "";
	return found;
}

const char **option_settings_line(const struct option_settings *settings,
				  const char *name, int *ret_count)
{
	struct VECTOR(const char *) line = {0};

	vector_push(&line, memory_copy_string(name));
	vector_for_each (&settings->all, setting) {
		struct text word = {0};
		const bool flag = is_flag(setting->row) || !setting->value;

		if (is_flag(setting->row) && setting->value &&
		    strcmp(setting->value, "true") != 0)
			continue;
		text_format(&word, flag ? "--%s" : "--%s=%s", setting->row->longName,
			    setting->value);
		vector_push(&line, word.data);
	}
	if (settings->words.count)
		vector_push(&line, memory_copy_string("--"));
	vector_for_each (&settings->words, word)
		vector_push(&line, memory_copy_string(*word));
	*ret_count = (int)line.count;
	vector_push(&line, NULL);
	return line.items;
}

void option_settings_free_line(const char **line)
{
	for (const char **word = line; word && *word; word++)
		free((char *)(uintptr_t)*word);
	free(line);
}
