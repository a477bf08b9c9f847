#include "cli/cali/help.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/library.h"
#include "query/format.h"
#include "query/functions.h"
#include "query/operators.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <trammel/channel.h>

static void print_names(const char *const *first, size_t row_size)
{
	for (; *first; first = (const void *)((const char *)first + row_size))
		printf("  %s\n", *first);
}

static const struct topic {
	const char *topic, *text;
	const void *names; /* rows that begin with a name */
	size_t row_size;
} topics[] = {
	{"calql",
	 "LET name = expression [IF condition], ...\n"
	 "SELECT column [AS title] [UNIT unit], ...\nAGGREGATE operator(...), ...\n"
	 "GROUP BY path | attribute, ...\nWHERE condition\nHAVING condition\n"
	 "FORMAT format[(options)]\nORDER BY column [ASC | DESC], ...\nLIMIT rows\n"
	 "All are optional, in any order. trammel-query(1) says what they mean.\n",
	 NULL, 0},
	{"let", "LET name = function(...) [IF condition]; functions:\n", query_functions,
	 sizeof(query_functions[0])},
	{"select", "SELECT column or operator(...); operators:\n", query_operators,
	 sizeof(query_operators[0])},
	{"groupby", "GROUP BY path, attributes, or () for one group of all\n", NULL, 0},
	{"where",
	 "WHERE a, NOT a, a = v, also != < <= > >= ~= (glob) =~ (/regex/), with AND, "
	 "OR,\n"
	 "parentheses; a comma is AND\n",
	 NULL, 0},
	{"format", "FORMAT format(options); formats:\n", query_formats_caliper,
	 sizeof(query_formats_caliper[0])},
};

static const struct topic *find_topic(const char *name)
{
	for (size_t i = 0; i < array_count(topics); i++)
		if (!strcmp(topics[i].topic, name))
			return &topics[i];
	return NULL;
}

/* What the library offers that is not linked to this program. */
struct library {
	typeof(&trm_channels_configuration) configuration;
	typeof(&trm_channels_option) option;
	typeof(&trm_channels_service) service;
};

static bool load_library(struct library *ret_library)
{
	scoped_free char *path = library_find("runtime", LIBRARY_RUNTIME);
	void *opened = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

	if (!opened)
		return false;
	*(void **)&ret_library->configuration =
		dlsym(opened, "trm_channels_configuration");
	*(void **)&ret_library->option = dlsym(opened, "trm_channels_option");
	*(void **)&ret_library->service = dlsym(opened, "trm_channels_service");
	return ret_library->configuration && ret_library->option && ret_library->service;
}

static void list_configurations(const struct library *library)
{
	const char *name, *about;

	puts("Available configurations:");
	for (size_t i = 0; (name = library->configuration(i, &about)); i++)
		printf(" %-24s %s\n", name, about);
}

static void list_services(const struct library *library)
{
	const char *name, *about, *settings;

	puts("Available services:");
	for (size_t i = 0; (name = library->service(i, &about, &settings)); i++)
		printf(" %-24s %s\n", name, about);
}

static bool describe_configuration(const struct library *library, const char *wanted)
{
	const char *name, *about;

	for (size_t i = 0; (name = library->configuration(i, &about)); i++) {
		if (strcmp(name, wanted) != 0)
			continue;
		printf("%s\n %s\n Options:\n", name, about);
		for (i = 0; (name = library->option(wanted, i, &about)); i++)
			printf("  %s\n   %s\n", name, about);
		return true;
	}
	return false;
}

static bool describe_service(const struct library *library, const char *wanted)
{
	const char *name, *about, *settings;

	for (size_t i = 0; (name = library->service(i, &about, &settings)); i++) {
		if (strcmp(name, wanted) != 0)
			continue;
		printf("%s service:\n %s\n", name, about);
		if (*settings)
			printf(" Settings, see trammel-channels(7):\n");
		for (size_t size; *settings; settings += size + (settings[size] == ' ')) {
			size = strcspn(settings, " ");
			printf("  CALI_%.*s\n", (int)size, settings);
		}
		return true;
	}
	return false;
}

void cali_help(const char *name)
{
	const struct topic *topic = find_topic(name);
	struct library library;

	if (topic) {
		fputs(topic->text, stdout);
		if (topic->names)
			print_names(topic->names, topic->row_size);
		return;
	}
	if (!load_library(&library))
		fputs("cali-query: cannot find '" LIBRARY_RUNTIME
		      "', which knows services and configurations: install trammel as a "
		      "whole\n",
		      stderr);
	else if (!strcmp(name, "configs") || !strcmp(name, "recipes"))
		list_configurations(&library);
	else if (!strcmp(name, "services"))
		list_services(&library);
	else if (!describe_configuration(&library, name) &&
		 !describe_service(&library, name))
		fprintf(stderr,
			"Unknown help option \"%s\": there is services, configs, the "
			"name of one of these,\n"
			"calql, let, select, groupby, where and format\n",
			name);
}
