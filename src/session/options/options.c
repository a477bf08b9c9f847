#include "session/options/options.h"

#include "base/text.h"
#include "image/aliases.h"
#include "image/image.h"
#include "session/options/collector.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Reads "0x1000-0x2000", or "0x1000" for that address alone. */
static void parse_range(struct pattern *pattern)
{
	const char *text = pattern->function;
	char *end;

	if (strncmp(text, "0x", 2) || !isxdigit((unsigned char)text[2]))
		return;
	uint64_t from = strtoull(text, &end, 16), to = from + 1;

	if (*end == '-' && !strncmp(end + 1, "0x", 2))
		to = strtoull(end + 1, &end, 16);
	if (*end || to <= from)
		return;
	pattern->from = from;
	pattern->to = to;
}

struct pattern pattern_parse(const char *text)
{
	struct pattern pattern = {.text = memory_copy_string(text)};
	/* C++ names have colons in pairs: the separator is the first single one. */
	const char *colon = strchr(text, ':');

	while (colon && colon[1] == ':')
		colon = strchr(colon + 2, ':');
	if (colon) {
		pattern.module = strndup(text, (size_t)(colon - text));
		pattern.function = memory_copy_string(colon[1] ? colon + 1 : "*");
	} else if (strchr(text, '/') || strstr(text, ".so")) {
		pattern.module = memory_copy_string(text);
		pattern.function = memory_copy_string("*");
	} else {
		pattern.module = memory_copy_string("*");
		pattern.function = memory_copy_string(text);
	}
	if (!*pattern.module) {
		free(pattern.module);
		pattern.module = memory_copy_string("*");
	}
	parse_range(&pattern);
	return pattern;
}

void pattern_deinit(struct pattern *pattern)
{
	free(pattern->module);
	free(pattern->function);
	free(pattern->text);
}

void patterns_add(struct patterns *patterns, const char *list)
{
	char *copy = memory_copy_string(list), *rest = copy, *word;

	while ((word = strsep(&rest, ",")))
		if (*word)
			vector_push(patterns, pattern_parse(word));
	free(copy);
}

void patterns_deinit(struct patterns *patterns)
{
	vector_for_each (patterns, pattern)
		pattern_deinit(pattern);
	vector_deinit(patterns);
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether a library has a name, but for numbers at the end of its version: programs are
 * linked to libz.so.1, which is libz.so.1.2.13. */
static bool has_longer_version(const char *library, const char *name)
{
	size_t size = strlen(name);

	return strstr(name, ".so") && !strncmp(library, name, size) &&
	       library[size] == '.' &&
	       !library[size + strspn(library + size, ".0123456789")];
}

static bool module_matches(const struct pattern *pattern, const char *module)
{
	return text_glob(pattern->module, file_name(module)) ||
	       text_glob(pattern->module, module) ||
	       has_longer_version(file_name(module), pattern->module);
}

void patterns_add_files(struct patterns *patterns, const char *list)
{
	char *copy = memory_copy_string(list), *rest = copy, *word;

	while ((word = strsep(&rest, ",")))
		if (*word)
			vector_push(patterns, ((struct pattern){
						      .module = memory_copy_string(word),
						      .function = memory_copy_string("*"),
						      .text = memory_copy_string(word),
					      }));
	free(copy);
}

bool patterns_have_file(const struct patterns *patterns, const char *path)
{
	vector_for_each (patterns, pattern)
		if (module_matches(pattern, path))
			return true;
	return false;
}

static bool function_matches(const struct pattern *pattern, const char *function,
			     uint64_t address)
{
	if (pattern->to)
		return address >= pattern->from && address < pattern->to;
	return text_glob(pattern->function, function);
}

/* Whether one of the patterns matches a function by this name. */
static bool have_function(const struct patterns *patterns, const char *module,
			  const char *function, uint64_t address)
{
	vector_for_each (patterns, pattern)
		if (module_matches(pattern, module) &&
		    function_matches(pattern, function, address))
			return true;
	return false;
}

bool patterns_have_names(const struct patterns *patterns, const char *module,
			 const struct image *image, const char *function,
			 uint64_t address)
{
	size_t count = 0;
	const struct image_alias *alias;

	if (have_function(patterns, module, function, address))
		return true;
	if (!image || !patterns_have_file(patterns, module))
		return false;
	alias = image_aliases(image, address, &count);
	for (size_t i = 0; i < count; i++)
		if (have_function(patterns, module, alias[i].name, address))
			return true;
	return false;
}

bool window_edge_is_empty(const struct window_edge *edge)
{
	return !edge->calls.count && !edge->loads.count && !edge->signals &&
	       !edge->wait_ns;
}

void window_edge_deinit(struct window_edge *edge)
{
	patterns_deinit(&edge->calls);
	patterns_deinit(&edge->loads);
}

bool options_want_program(const struct session_options *options, const char *path,
			  const char *name)
{
	const struct patterns *only = &options->only_programs,
			      *skip = &options->skip_programs;

	return !patterns_have_file(skip, path) && !patterns_have_file(skip, name) &&
	       (!only->count || patterns_have_file(only, path) ||
		patterns_have_file(only, name));
}

bool options_have_parts(const struct session_options *options)
{
	return collector_has_flags(options->collector) && options->window.words;
}

bool options_take_all(const struct session_options *options)
{
	return !options->only.count && !options->hooks_alone;
}

bool options_want_module(const struct session_options *options, const char *module)
{
	const char *own = options->context.library;

	if (own && !strcmp(own, module))
		return false;
	vector_for_each (&options->skip, pattern)
		if (!strcmp(pattern->function, "*") && module_matches(pattern, module))
			return false;
	vector_for_each (&options->only, pattern)
		if (module_matches(pattern, module))
			return true;
	return options_take_all(options);
}

bool options_want_function(const struct session_options *options, const char *module,
			   const struct image *image, const char *function,
			   uint64_t address)
{
	return !patterns_have_names(&options->skip, module, image, function, address) &&
	       (options_take_all(options) ||
		patterns_have_names(&options->only, module, image, function, address));
}

void tool_choices_add(struct tool_choices *tools, const char *text)
{
	const char *colon = strchr(text, ':');
	struct tool_choice *tool = vector_add(tools);

	tool->path = memory_copy_string(text);
	if (!colon)
		return;
	tool->path[colon - text] = '\0';
	tool->words = memory_copy_string(colon + 1);
}

static void deinit_use(struct tool_use *use)
{
	free(use->routine);
	for (size_t i = 0; i < use->count; i++)
		free(use->arguments[i].text);
}

void tool_choices_deinit(struct tool_choices *tools)
{
	vector_for_each (tools, tool) {
		free(tool->path);
		free(tool->words);
		free(tool->name);
		vector_for_each (&tool->uses, use)
			deinit_use(use);
		vector_deinit(&tool->uses);
		vector_for_each (&tool->routines, routine)
			free(routine->name);
		vector_deinit(&tool->routines);
	}
	vector_deinit(tools);
}

const struct point_sources *options_points_of(const struct session_options *options,
					      const char *module)
{
	for (uint32_t i = 0; i < options->points.count; i++) {
		const struct point_source *source = options->points.items[i];

		if (!source->concerns || source->concerns(source->context, module))
			return &options->points;
	}
	return NULL;
}
