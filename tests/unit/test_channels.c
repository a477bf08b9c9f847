/* Tables of channels against their page; settings, names that are near. */
#include "runtime/channel/configurations.h"
#include "runtime/channel/settings.h"
#include "runtime/service/service.h"

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
	const struct service *service;
	char keys[512];

	(void)state;
	for (size_t i = 0; (configuration = configuration_at(i)); i++) {
		expect_in_page(configuration->name);
		if (configuration->alias)
			expect_in_page(configuration->alias);
		assert_ptr_equal(configuration_find(configuration->name), configuration);
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
	const struct configuration *configuration;
	const struct configuration_option *option;

	(void)state;
	for (size_t i = 0; (configuration = configuration_at(i)); i++) {
		expect_services(configuration->services);
		assert_null(configuration_missing(configuration->name));
	}
	for (size_t i = 0; (option = configuration_option_at(i)); i++) {
		expect_services(option->services);
		assert_null(configuration_missing(option->name));
		assert_true(!option->setting || strchr(option->setting, '='));
	}
	assert_null(configuration_find("no such"));
	assert_null(service_find("no such"));
	assert_ptr_equal(service_find("sysalloc"), service_find("alloc"));
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
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_settings),
	};
	FILE *file = count > 1 ? fopen(words[1], "re") : NULL;

	if (!file || !fread(page, 1, sizeof(page) - 1, file)) {
		fprintf(stderr, "usage: test_channels man/trammel-channels.7.md\n");
		return 2;
	}
	fclose(file);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
