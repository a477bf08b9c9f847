/* Options from everywhere, and `trammel config`: see man/trammel-config.1.md. */
#include "cli/options/configured.h"

#include "cli/commands.h"
#include "cli/measuring.h"
#include "cli/options/words.h"
#include "cli/saving.h"

#include <stdio.h>
#include <string.h>

static struct measuring none;
static char *no_text;

static const struct poptOption known[] = {
	MEASURING_RUN_OPTIONS(none),  SAVING_OPTION(no_text), MEASURING_WAY_OPTIONS,
	MEASURING_LAST_OPTIONS(none), POPT_TABLEEND,
};

const struct poptOption *configured_known(void)
{
	return known;
}

static int print_usage_error(struct trm_error *error, const char *command)
{
	const size_t length = strlen(error->message);
	const bool asks = length && error->message[length - 1] == '?';

	trm_error_print(trm_error_create(error->code, "%s%s See 'trammel help %s'.",
					 error->message, asks ? "" : ".", command));
	trm_error_destroy(error);
	return EXIT_USAGE;
}

static bool names_others(const struct option_settings *settings)
{
	return !option_settings_find(settings, "help") &&
	       (option_settings_find(settings, "host") ||
		option_settings_find(settings, "agent-command"));
}

bool configured_is_far(const struct poptOption *table, unsigned int flags, int argc,
		       const char **argv, struct option_settings *ret_settings,
		       struct trm_error **ret_error)
{
	*ret_error = NULL;
	if (!option_settings_are_needed(argc, argv))
		return false;
	*ret_error =
		option_settings_gather(table, known, argc, argv, flags, ret_settings);
	if (*ret_error)
		return false;
	if (names_others(ret_settings))
		return true;
	option_settings_deinit(ret_settings);
	return false;
}

int configured_main(const struct configured_command *command, int argc, const char **argv)
{
	struct option_settings settings;
	int count, status;

	if (!option_settings_are_needed(argc, argv))
		return command->main(argc, argv);
	struct trm_error *error = option_settings_gather(command->table, known, argc,
							 argv, command->flags, &settings);

	if (error)
		return print_usage_error(error, command->name);
	if (!names_others(&settings)) {
		const char **line = option_settings_line(&settings, argv[0], &count);

		status = command->main(count, line);
		option_settings_free_line(line);
	} else {
		status = command->far(&settings);
	}
	option_settings_deinit(&settings);
	return status;
}

/* The value as files of settings have it. */
static void print_value(const char *value)
{
	if (*value && !value[strspn(value, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/,")])
		printf("%s", value);
	else {
		putchar('"');
		for (; *value; value++)
			printf(strchr("\"\\", *value) ? "\\%c" : "%c", *value);
		putchar('"');
	}
}

static void print_source(const struct option_setting *setting)
{
	static const char *const names[] = {
		[OPTION_FROM_USER] = "user's file",
		[OPTION_FROM_FILE] = "option file",
		[OPTION_FROM_ENVIRONMENT] = "environment",
		[OPTION_FROM_COMMAND] = "command line",
	};

	printf("  # %s", names[setting->source]);
	if (setting->path)
		printf(" %s:%zu", setting->path, setting->line);
	putchar('\n');
}

/* "... (default 10s)": what is meant without the option. */
static void print_usual(const struct poptOption *row)
{
	const char *at = strstr(row->descrip, "(default");
	const char *end = at ? strrchr(at, ')') : NULL;

	/* Those that mean something only if they are given are comments. */
	if ((row->argInfo & POPT_ARG_MASK) == POPT_ARG_NONE) {
		printf("%s = false  # built in\n", row->longName);
		return;
	}
	if (!end) {
		printf("# %s =  # built in\n", row->longName);
		return;
	}
	at += strlen("(default");
	at += strspn(at, ": ");
	printf("# %s = %.*s  # built in\n", row->longName, (int)(end - at), at);
}

static void print_option(const struct option_settings *settings,
			 const struct poptOption *row)
{
	bool given = false;

	vector_for_each (&settings->all, setting) {
		if (setting->row != row)
			continue;
		given = true;
		printf("%s = ", row->longName);
		print_value(setting->value ? setting->value : "true");
		print_source(setting);
	}
	if (!given)
		print_usual(row);
}

static const char usage[] =
	"Usage: trammel config [OPTION]...\n\n"
	"Shows the options of measurements, what each is, and where that is from: built\n"
	"in, the user's file, an option file (-f FILE), the environment\n"
	"(TRAMMEL_OPTIONS), or the command line. The output is an option file.\n"
	"OPTION is one of 'trammel run'.\n";

static int config_main(int argc, const char **argv)
{
	struct option_settings settings;

	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(usage, stdout);
		return EXIT_DONE;
	}
	struct trm_error *error =
		option_settings_gather(known, known, argc, argv, 0, &settings);

	if (!error && settings.words.count)
		error = trm_error_create(TRM_ERROR_USAGE, "'%s' is not an option",
					 settings.words.items[0]);
	if (error)
		return print_usage_error(error, "config");
	char *user = option_settings_user_path();

	printf("# user's file: %s\n", user);
	free(user);
	for (const struct poptOption *row = known; row->longName; row++)
		if (strcmp(row->longName, "help") != 0 &&
		    strcmp(row->longName, "options") != 0)
			print_option(&settings, row);
	option_settings_deinit(&settings);
	return EXIT_DONE;
}

const struct command cmd_config = {
	.name = "config",
	.summary = "show the options of measurements, and where they are from",
	.usage = usage,
	.main = config_main,
};
