/* Tables of channels against their page; settings, names that are near. */
#include "runtime/channel/registry.h"
#include "runtime/channel/service.h"
#include "runtime/channel/settings.h"
#include "runtime/channel/unsupported.h"
#include "runtime/config/clauses.h"
#include "runtime/config/configurations.h"
#include "runtime/config/document.h"
#include "runtime/config/specs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char page[1 << 16];

static void expect_in_page(const char *name)
{
	char text[128];

	snprintf(text, sizeof(text), "**%s*", name);
	if (!strstr(page, text))
		snprintf(text, sizeof(text), "**%s=*", name);
	if (!strstr(page, text))
		fail_msg("the page does not have '%s'", name);
}

static void test_page(void **state)
{
	const struct configuration *configuration;
	const struct configuration_option *option;
	const char *name;
	const struct service *service;
	char keys[512];

	(void)state;
	for (size_t i = 0; (name = configuration_name_at(i)); i++) {
		configuration = configuration_find(name);
		assert_string_equal(configuration->name, name);
		expect_in_page(configuration->name);
		if (configuration->alias)
			expect_in_page(configuration->alias);
	}
	for (size_t i = 0; (option = configuration_option_at(i)); i++)
		expect_in_page(option->name);
	for (size_t i = 0; (service = service_at(i)); i++) {
		expect_in_page(service->name);
		snprintf(keys, sizeof(keys), "%s", service->keys ? service->keys : "");
		for (char *key = strtok(keys, " "); key; key = strtok(NULL, " "))
			expect_in_page(key);
	}
}

/* What configurations and options name is there. */
static void expect_services(const char *names)
{
	char text[256], *at;

	snprintf(text, sizeof(text), "%s", names ? names : "");
	for (char *name = strtok_r(text, ",", &at); name; name = strtok_r(NULL, ",", &at))
		if (!service_find(name))
			fail_msg("there is no service '%s'", name);
}

static void test_tables(void **state)
{
	static const char *const lacking[] = {
		"topdown",      "topdown.toplevel", "topdown.all",
		"perf_topdown", "papi.topdown.all", "perf.topdown.all",
	};
	const struct configuration *configuration;
	const struct configuration_option *option;
	const char *name;

	(void)state;
	for (size_t i = 0; (name = configuration_name_at(i)); i++) {
		configuration = configuration_find(name);
		assert_string_equal(configuration->name, name);
		expect_services(configuration->services);
		assert_null(unsupported_why(configuration->name));
	}
	for (size_t i = 0; (option = configuration_option_at(i)); i++) {
		expect_services(option->services);
		assert_null(unsupported_why(option->name));
		assert_true(!option->setting || strchr(option->setting, '='));
	}
	assert_null(configuration_find("no such"));
	assert_null(service_find("no such"));
	for (size_t i = 0; i < sizeof(lacking) / sizeof(lacking[0]); i++) {
		assert_null(service_find(lacking[i]));
		assert_null(configuration_option_find(lacking[i]));
		assert_non_null(strstr(unsupported_why(lacking[i]), "hardware"));
	}
	assert_ptr_equal(service_find("allocstats"), service_find("alloc"));
}

static void test_nearest(void **state)
{
	(void)state;
	assert_string_equal(settings_nearest("evnt", service_name_at), "event");
	assert_string_equal(settings_nearest("runtime-reprot", configuration_name_at),
			    "runtime-report");
	assert_null(settings_nearest("xyzxyzxyz", service_name_at));
	assert_null(settings_nearest("", service_name_at));
}

static void test_documents(void **state)
{
	static const char *const wrong[] = {
		"",      "{",     "[1,]", "{\"a\" 1}", "{1: 2}", "\"\\x\"", "\"\\u12g4\"",
		"\"abc", "[1 2]", "trux", "[] []",     "\"\\",   "-",
	};
	const char text[] = "{\"a\": [1.5, true,\n \"\\u00e9\\ud83d\\ude00\\ud83d\\n\"]}",
		   *at = NULL;
	const struct document *all = document_read(text, &at), *item;
	static char deep[200];
	size_t line, column;

	(void)state;
	assert_null(document_member(all, "b"));
	item = document_member(all, "a")->first;
	assert_string_equal(item->text, "1.5");
	assert_string_equal(item->next->text, "true");
	item = item->next->next;
	assert_string_equal(item->text, "\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd\n");
	document_place(text, item->at, &line, &column);
	assert_int_equal(line, 2);
	assert_int_equal(column, 2);
	assert_null(item->next);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		at = NULL;
		assert_null(document_read(wrong[i], &at));
		assert_in_range(at - wrong[i], 0, strlen(wrong[i]));
	}
	memset(deep, '[', sizeof(deep) - 1);
	assert_null(document_read(deep, &at));
}

static void test_clauses(void **state)
{
	static struct clauses clauses;
	static char long_text[CLAUSES_TEXT_MAX + 8] = "let ";
	char place[64] = "";

	(void)state;
	assert_null(clauses_add(&clauses,
				" let a=f(b, let) select sum(a) as \"x select y\",c"
				" Group  By k"));
	assert_null(clauses_add(&clauses, "aggregate d"));
	assert_string_equal(clauses.lets, ",a=f(b, let) ");
	assert_string_equal(clauses.columns, ",sum(a) as \"x select y\",c ,d");
	assert_string_equal(clauses.keys, ", k");
	assert_null(clauses_add(&clauses, "where x order by y desc where z"));
	assert_string_equal(clauses.filters, ",(x ),(z)");
	assert_string_equal(clauses.order, ", y desc ");
	assert_string_equal(clauses_add(&clauses, " having x"), "having x");
	clauses_place(&clauses, " WHERE path GROUP BY path", place, sizeof(place));
	assert_string_equal(place, " WHERE path,(x ),(z) GROUP BY path, k");
	place[0] = '\0';
	clauses_place(&clauses, " group by path", place, sizeof(place));
	assert_string_equal(place, " WHERE (x ),(z) group by path, k");
	place[0] = '\0';
	clauses_place(&clauses, "", place, sizeof(place));
	assert_string_equal(place, " WHERE (x ),(z) GROUP BY  k");
	assert_false(clauses.full);
	memset(long_text + strlen("let "), 'x', CLAUSES_TEXT_MAX);
	assert_null(clauses_add(&clauses, long_text));
	assert_true(clauses.full);
	assert_string_equal(clauses.lets, ",a=f(b, let) ");
}

/* However long it is, it is there as a whole. */
static void test_long_list(void **state)
{
	enum { COUNT = 400 };
	static char text[8192] = "{\"name\": \"a\", \"services\": [";
	static struct trm_specs specs;
	const struct configuration *own;

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		strcat(text, i ? ",\"timer\"" : "\"timer\"");
	specs_read(&specs, strcat(text, "]}"));
	own = specs_configuration(&specs, "a");
	assert_non_null(own);
	assert_int_equal(strlen(own->services), COUNT * strlen("timer,") - 1);
}

/* The program's own go first, those of a configuration are its own, categories count. */
static void test_specs(void **state)
{
	static struct trm_specs specs;
	const struct configuration *own, *other;

	(void)state;
	specs_read(&specs,
		   "{\"configs\": [{\"name\": \"a\", \"categories\": [\"output\", \"x\"],"
		   "\"options\": [{\"name\": \"b\"}], \"alias\": [\"c\"]}],"
		   "\"options\": [{\"name\": \"d\", \"category\": \"x\"},"
		   "{\"name\": \"e\", \"category\": \"metric\"}]}");
	assert_string_equal(specs.message, "");
	own = specs_configuration(&specs, "c");
	other = specs_configuration(&specs, "runtime-report");
	assert_non_null(own);
	assert_null(specs_configuration(NULL, "c"));
	assert_null(specs_of_configuration(&specs, other));
	assert_ptr_equal(
		specs_of_configuration(&specs, own),
		specs_of_configuration(&specs, specs_configuration(&specs, "a")));
	assert_non_null(specs_option_of(&specs, own, "b"));
	assert_non_null(specs_option_of(&specs, own, "d"));
	assert_non_null(specs_option_of(&specs, own, "output"));
	assert_null(specs_option_of(&specs, own, "e"));
	assert_null(specs_option_of(&specs, own, "region.count"));
	assert_null(specs_option_of(&specs, other, "b"));
	assert_null(specs_option_of(&specs, other, "d"));
	assert_non_null(specs_option_of(&specs, other, "e"));
	specs_read(&specs, "[{\"category\": \"metric\"}, 7]");
	assert_string_equal(specs.message,
			    "line 1, column 2: an option has no 'name'\n"
			    "line 1, column 26: a configuration is not in braces");
	specs_load(&specs, "/no such file");
	assert_string_equal(specs.message, "cannot read '/no such file'");
}

static void test_settings(void **state)
{
	struct settings settings = {.count = 0};

	(void)state;
	settings_add(&settings, "CALI_A", "1");
	settings_add(&settings, "TRAMMEL_B", "true");
	settings_add(&settings, "A", "2");
	assert_int_equal(settings.count, 2);
	assert_int_equal(settings_number(&settings, "A", 7), 2);
	assert_int_equal(settings_number(&settings, "none", 7), 7);
	assert_int_equal(settings_number(&settings, "B", 7), 7); /* no number */
	assert_true(settings_is_true(&settings, "B", false));
	assert_false(settings_is_true(&settings, "A", true));
	setenv("CALI_A", "3", 1);
	assert_int_equal(settings_number(&settings, "A", 7), 2);
	settings.reads_environment = true;
	assert_int_equal(settings_number(&settings, "A", 7), 3);
	setenv("TRAMMEL_A", "4", 1);
	assert_int_equal(settings_number(&settings, "A", 7), 4);
	settings.fixed = 1;
	assert_int_equal(settings_number(&settings, "A", 7), 2);
	settings_add(&settings, "A", "5"); /* what is fixed stays */
	assert_int_equal(settings_number(&settings, "A", 7), 2);
}

int main(int count, char **words)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),     cmocka_unit_test(test_tables),
		cmocka_unit_test(test_nearest),  cmocka_unit_test(test_documents),
		cmocka_unit_test(test_clauses),  cmocka_unit_test(test_specs),
		cmocka_unit_test(test_settings), cmocka_unit_test(test_long_list),
	};
	FILE *file = count > 1 ? fopen(words[1], "re") : NULL;

	if (!file || !fread(page, 1, sizeof(page) - 1, file)) {
		fprintf(stderr, "usage: test_channels man/trammel-channels.7.md\n");
		return 2;
	}
	fclose(file);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
