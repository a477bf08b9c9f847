/* The manual pages against what the commands say of themselves. */
#include "base/cleanup.h"
#include "base/text.h"

/* The whole program, its table of commands included. */
#define main trammel_main
#include "cli/main/main.c"
#undef main

#include "cli/doctor/doctor.h"
#include "collect/collect.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

/* The folder man/, with a slash behind it. */
static char manual_folder[PATH_MAX];

static char *read_stream(FILE *file)
{
	struct text text = {0};
	char buffer[4096];
	size_t n;

	rewind(file);
	while ((n = fread(buffer, 1, sizeof(buffer), file)) > 0)
		text_add_bytes(&text, buffer, n);
	assert_false(ferror(file));
	assert_non_null(text.data);
	return text.data;
}

/* The page of a command (NULL: of trammel itself) without its marks for bold and italic.
 */
static char *read_manual(const char *command)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%strammel%s%s.1.md", manual_folder,
		 command ? "-" : "", command ? command : "");
	scoped_file FILE *file = fopen(path, "r");

	assert_non_null(file);
	char *manual = read_stream(file), *plain = manual;

	for (const char *s = manual; *s; s++)
		if (*s != '*')
			*plain++ = *s;
	*plain = '\0';
	return manual;
}

/* What a command line prints on standard output; its exit status must be `status`. */
static char *run(const char *const *words, int status)
{
	const char *arguments[8] = {"trammel"};
	scoped_file FILE *file = tmpfile();
	int count = 1, saved = dup(STDOUT_FILENO);

	while (words[count - 1]) {
		arguments[count] = words[count - 1];
		count++;
	}
	assert_non_null(file);
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	int result = trammel_main(count, arguments);

	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_int_equal(result, status);
	return read_stream(file);
}

/* One line of popt's help: "  -o, --output=FILE    description"; false if it is another.
 */
static bool read_option(const char *line, char *name, char *description, size_t size)
{
	const char *option = strstr(line, "--"), *end = strchr(line, '\n');
	size_t length;

	if (!end || !option || option != line + 6 || strncmp(line, "  ", 2) != 0)
		return false;
	length = strcspn(option, " \n");
	if (length >= size || !option[length + 1])
		return false;
	snprintf(name, size, "%.*s\n", (int)length, option);
	option += length + strspn(option + length, " ");
	snprintf(description, size, "%.*s", (int)(end - option), option);
	return true;
}

/* Every option of the command's help is in its page, with the same words. */
static void check_options(const char *command, size_t expected)
{
	const char *const words[] = {command, "--help", NULL};
	char *help = run(words, EXIT_DONE), *manual = read_manual(command);
	char name[128], description[128];
	size_t count = 0;

	for (const char *line = help; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!read_option(line, name, description, sizeof(name)))
			continue;
		count++;
		if (!strstr(manual, name))
			fail_msg("trammel-%s.1.md has no option %s", command, name);
		if (!strstr(manual, description))
			fail_msg("trammel-%s.1.md does not say '%s'", command,
				 description);
	}
	assert_int_equal(count, expected);
	free(help);
	free(manual);
}

/* And the other way round: the page has no option that the help does not know. */
static void check_no_more_options(const char *command)
{
	const char *const words[] = {command, "--help", NULL};
	char *help = run(words, EXIT_DONE), *manual = read_manual(command);
	char *options = strstr(manual, "\n# OPTIONS\n");

	assert_non_null(options);
	for (char *line = strtok(options + 11, "\n"); line && *line != '#';
	     line = strtok(NULL, "\n")) {
		const char *name = strstr(line, "--");

		if (line[0] == '-' && name && !strstr(help, name))
			fail_msg("trammel %s --help has no option %s", command, name);
	}
	free(help);
	free(manual);
}

static void test_run(void **state)
{
	(void)state;
	check_options("run", 47);
	check_no_more_options("run");
}

static void test_attach(void **state)
{
	(void)state;
	check_options("attach", 44);
	check_no_more_options("attach");
}

static void test_debug(void **state)
{
	(void)state;
	check_options("debug", 49);
	check_no_more_options("debug");
}

static void test_top(void **state)
{
	(void)state;
	check_options("top", 16);
	check_no_more_options("top");
}

static void test_doctor(void **state)
{
	(void)state;
	check_options("doctor", 2);
	check_no_more_options("doctor");
}

static void test_merge(void **state)
{
	(void)state;
	check_options("merge", 2);
	check_no_more_options("merge");
}

/* Without SQLite there is no help. */
static void test_db(void **state)
{
	(void)state;
	if (!cmd_db.run)
		skip();
	check_options("db", 32);
	check_no_more_options("db");
}

static void test_daemon(void **state)
{
	(void)state;
	if (!cmd_daemon.run)
		skip();
	check_options("daemon", 21);
	check_no_more_options("daemon");
}

static void test_channel(void **state)
{
	(void)state;
	check_options("channel", 4);
	check_no_more_options("channel");
}

static void test_annotate(void **state)
{
	(void)state;
	check_options("annotate", 8);
	check_no_more_options("annotate");
}

static void test_graph(void **state)
{
	(void)state;
	check_options("graph", 7);
	check_no_more_options("graph");
}

static void test_mix(void **state)
{
	(void)state;
	check_options("mix", 12);
	check_no_more_options("mix");
}

static void test_paths(void **state)
{
	(void)state;
	check_options("paths", 15);
	check_no_more_options("paths");
}

static void test_stacks(void **state)
{
	(void)state;
	check_options("stacks", 13);
	check_no_more_options("stacks");
}

static void test_values(void **state)
{
	(void)state;
	check_options("values", 14);
	check_no_more_options("values");
}

static void test_loops(void **state)
{
	(void)state;
	check_options("loops", 11);
	check_no_more_options("loops");
}

static void test_info(void **state)
{
	(void)state;
	check_options("info", 5);
	check_no_more_options("info");
}

static void test_advise(void **state)
{
	(void)state;
	check_options("advise", 16);
	check_no_more_options("advise");
}

static void test_flame(void **state)
{
	(void)state;
	check_options("flame", 14);
	check_no_more_options("flame");
}

static void test_browse(void **state)
{
	(void)state;
	check_options("browse", 4);
	check_no_more_options("browse");
}

static void test_page(void **state)
{
	(void)state;
	check_options("page", 7);
	check_no_more_options("page");
}

static void test_export(void **state)
{
	(void)state;
	check_options("export", 13);
	check_no_more_options("export");
}

static void test_import(void **state)
{
	(void)state;
	check_options("import", 6);
	check_no_more_options("import");
}

static void test_pbo(void **state)
{
	(void)state;
	check_options("pbo", 6);
	check_no_more_options("pbo");
}

static void test_query(void **state)
{
	(void)state;
	check_options("query", 8);
	check_no_more_options("query");
}

static void test_bbv(void **state)
{
	(void)state;
	check_options("bbv", 5);
	check_no_more_options("bbv");
}

static void test_coverage(void **state)
{
	(void)state;
	check_options("coverage", 16);
	check_no_more_options("coverage");
}

static void test_diff(void **state)
{
	(void)state;
	check_options("diff", 13);
	check_no_more_options("diff");
}

static void test_label(void **state)
{
	(void)state;
	check_options("label", 16);
	check_no_more_options("label");
}

static void test_summarize(void **state)
{
	(void)state;
	check_options("summarize", 5);
	check_no_more_options("summarize");
}

static void test_tool(void **state)
{
	(void)state;
	check_options("tool", 2);
	check_no_more_options("tool");
}

static void test_report(void **state)
{
	(void)state;
	check_no_more_options("report");
}

/* Every command is in the page of trammel, and all but help have a page of their own. */
static void test_commands(void **state)
{
	char *manual = read_manual(NULL);

	(void)state;
	for (size_t i = 0; i < array_count(commands); i++) {
		char name[64];

		assert_non_null(strstr(manual, commands[i]->summary));
		if (commands[i] == &cmd_help)
			continue;
		char *page = read_manual(commands[i]->name);

		assert_non_null(strstr(page, commands[i]->summary));
		snprintf(name, sizeof(name), "trammel-%s(1)", commands[i]->name);
		assert_non_null(strstr(manual, name));
		free(page);
	}
	free(manual);
}

/* The page of run explains each measurement of -m in the list there, "NAME: ..." or
 * "NAME, NAME: ...". */
static void test_measurements(void **state)
{
	char *manual = read_manual("run");
	char *list = strstr(manual, "--measure="), *end = strstr(manual, "--only=");

	(void)state;
	assert_true(list && end && list < end);
	*end = '\0';
	for (const struct collector *const *c = collectors; *c; c++) {
		char colon[64], comma[64];

		snprintf(colon, sizeof(colon), " %s:", (*c)->name);
		snprintf(comma, sizeof(comma), " %s, ", (*c)->name);
		if (!strstr(list, colon) && !strstr(list, comma))
			fail_msg("trammel-run.1.md does not explain -m %s", (*c)->name);
	}
	free(manual);
}

/* Every check is explained in the page of doctor, found by doctor, and counted once. */
static void test_checks(void **state)
{
	const char *const words[] = {"doctor", "--json", NULL};
	struct finding finding = {0};
	bool failed = false;
	char *manual = read_manual("doctor"), *json;

	(void)state;
	for (const struct check *check = checks; check->name; check++) {
		check->look(&finding);
		failed |= check->need == NEED_COUNTS && finding.status == FINDING_FAIL;
		assert_true(finding.value.length > 0);
		text_deinit(&finding.value);
		text_deinit(&finding.remedy);
		finding = (struct finding){0};
	}
	json = run(words, failed ? EXIT_FINDING : EXIT_DONE);
	assert_int_equal(strncmp(json, "{\"checks\": [\n", 13), 0);
	for (const struct check *check = checks; check->name; check++) {
		char line[64];

		snprintf(line, sizeof(line), "\n%s\n:   ", check->name);
		if (!strstr(manual, line))
			fail_msg("trammel-doctor.1.md does not explain '%s'",
				 check->name);
		snprintf(line, sizeof(line), "{\"name\": \"%s\", \"status\": \"",
			 check->name);
		const char *first = strstr(json, line);

		assert_non_null(first);
		assert_null(strstr(first + 1, line));
	}
	free(json);
	free(manual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run),          cmocka_unit_test(test_attach),
		cmocka_unit_test(test_debug),        cmocka_unit_test(test_top),
		cmocka_unit_test(test_doctor),       cmocka_unit_test(test_report),
		cmocka_unit_test(test_merge),        cmocka_unit_test(test_db),
		cmocka_unit_test(test_daemon),       cmocka_unit_test(test_diff),
		cmocka_unit_test(test_coverage),     cmocka_unit_test(test_commands),
		cmocka_unit_test(test_measurements), cmocka_unit_test(test_checks),
		cmocka_unit_test(test_mix),          cmocka_unit_test(test_bbv),
		cmocka_unit_test(test_page),         cmocka_unit_test(test_flame),
		cmocka_unit_test(test_browse),       cmocka_unit_test(test_advise),
		cmocka_unit_test(test_info),         cmocka_unit_test(test_pbo),
		cmocka_unit_test(test_export),       cmocka_unit_test(test_import),
		cmocka_unit_test(test_query),        cmocka_unit_test(test_loops),
		cmocka_unit_test(test_annotate),     cmocka_unit_test(test_graph),
		cmocka_unit_test(test_channel),      cmocka_unit_test(test_label),
		cmocka_unit_test(test_summarize),    cmocka_unit_test(test_tool),
		cmocka_unit_test(test_values),       cmocka_unit_test(test_paths),
		cmocka_unit_test(test_stacks),
	};
	char beside[PATH_MAX];

	snprintf(beside, sizeof(beside) - 16, "%s", __FILE__);
	*(strrchr(beside, '/') + 1) = '\0';
	strcat(beside, "../../man");
	if (!realpath(beside, manual_folder)) {
		perror(beside);
		return 1;
	}
	strcat(manual_folder, "/");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
