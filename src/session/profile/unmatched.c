#include "session/profile/unmatched.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "code/plan/plan_rows.h"
#include "image/demangle.h"
#include "image/open.h"
#include "session/options/options.h"
#include "session/state/session.h"
#include "wire/hooks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Names that are near a pattern, the nearest first. */
#define NEAR_MAX 3
struct near {
	size_t count;
	size_t limit; /* no name is as far as this */
	struct {
		char *name;
		size_t distance;
	} best[NEAR_MAX];
};

/* What a pattern is about: which functions it can have meant. */
struct question {
	const char *option;
	const struct pattern *pattern;
	uint8_t hook; /* it must have led to this hook, or that of both; 0: to none */
	bool skip;    /* what it meant is not wanted */
};

static void near_add(struct near *near, const char *name, size_t distance)
{
	size_t at = near->count;

	if (distance >= near->limit)
		return;
	for (size_t i = 0; i < near->count; i++)
		if (!strcmp(near->best[i].name, name))
			return;
	if (at == NEAR_MAX && near->best[--at].distance <= distance)
		return;
	if (at < near->count)
		free(near->best[at].name);
	else
		near->count++;
	for (; at > 0 && near->best[at - 1].distance > distance; at--)
		near->best[at] = near->best[at - 1];
	near->best[at].name = memory_copy_string(name);
	near->best[at].distance = distance;
}

static void near_deinit(struct near *near)
{
	for (size_t i = 0; i < near->count; i++)
		free(near->best[i].name);
}

/* The distance of a name from what is between the stars at a pattern's ends. */
static size_t pattern_distance(const char *pattern, const char *name, size_t limit)
{
	size_t stars = strspn(pattern, "*"), length = strlen(pattern + stars);
	size_t name_length = strlen(name);
	bool open = length && pattern[stars + length - 1] == '*';

	while (length && pattern[stars + length - 1] == '*')
		length--;
	scoped_free char *core = strndup(pattern + stars, length);
	scoped_free char *part = memory_copy_string(name);
	char *from = part;

	if (open && name_length > length)
		part[length] = '\0';
	else if (stars && name_length > length)
		from += name_length - length;
	size_t part_length = strlen(from);

	if (part_length + limit <= length || length + limit <= part_length)
		return limit;
	return text_distance(core, from);
}

/* A name as a user would type it: without parameters, and without namespaces and leading
 * underscores if the pattern has none. */
static char *plain_name(const char *shown, const char *pattern)
{
	size_t length = strcspn(shown, "(<");
	char *name = strndup(shown, length ? length : strlen(shown));
	char *last = NULL, *next = name;

	if (*pattern != '_' && *pattern != '*')
		memmove(name, name + strspn(name, "_"),
			strlen(name + strspn(name, "_")) + 1);
	if (strstr(pattern, "::"))
		return name;
	while ((next = strstr(next, "::")))
		last = next += 2;
	if (last)
		memmove(name, last, strlen(last) + 1);
	return name;
}

static char *shown_name(const struct plan *plan, const struct plan_function *function)
{
	char *name = NULL;

	if (function->name)
		return image_demangle(plan->names.items + function->name);
	return asprintf(&name, "sub_%" PRIx64, function->address) < 0 ? NULL : name;
}

/* Whether the pattern may have led to what became of the function. */
static bool is_candidate(const struct question *question,
			 const struct plan_function *function)
{
	if (plan_is_cold_part(function))
		return false;
	if (question->hook)
		return function->hook == question->hook ||
		       function->hook == WIRE_HOOK_BOTH;
	return (function->reason == PLAN_NOT_WANTED) == question->skip;
}

static struct patterns patterns_of(const struct question *question)
{
	return (struct patterns){.items = (struct pattern *)(uintptr_t)question->pattern,
				 .count = 1};
}

static bool matches_function(const struct question *question,
			     const struct module_file *file, const struct image *image)
{
	const struct patterns patterns = patterns_of(question);

	vector_for_each (&file->plan->functions, function) {
		if (!is_candidate(question, function))
			continue;
		scoped_free char *name = shown_name(file->plan, function);

		if (name && patterns_have_names(&patterns, file->path, image, name,
						function->address))
			return true;
	}
	return false;
}

/* By the other names that functions have, too. */
static bool matches_alias(const struct question *question, const struct module_file *file)
{
	struct image *image;
	struct trm_error *error = image_open(file->path, NULL, &image);
	bool matches = !error && matches_function(question, file, image);

	if (error)
		trm_error_destroy(error);
	else
		image_close(image);
	return matches;
}

static bool is_whole(const struct pattern *pattern)
{
	return !strcmp(pattern->function, "*");
}

/* Files of a module that the pattern can be about; `ret_any`: there is one. */
static bool is_matched(const struct session *session, const struct question *question,
		       bool *ret_any)
{
	const struct patterns patterns = patterns_of(question);

	*ret_any = false;
	vector_for_each (&session->files, item) {
		const struct module_file *file = *item;

		if (file->bare || !patterns_have_file(&patterns, file->path))
			continue;
		*ret_any = true;
		if (is_whole(question->pattern) ||
		    (file->plan && (matches_function(question, file, NULL) ||
				    matches_alias(question, file))))
			return true;
	}
	return false;
}

static void find_near_modules(const struct session *session,
			      const struct question *question, struct near *near)
{
	vector_for_each (&session->files, file)
		if (!(*file)->bare)
			near_add(near, (*file)->name,
				 pattern_distance(question->pattern->module,
						  (*file)->name, near->limit));
}

static void find_near_functions(const struct session *session,
				const struct question *question, struct near *near)
{
	const struct patterns patterns = patterns_of(question);

	vector_for_each (&session->files, item) {
		const struct module_file *file = *item;

		if (file->bare || !file->plan ||
		    !patterns_have_file(&patterns, file->path))
			continue;
		vector_for_each (&file->plan->functions, function) {
			if (plan_is_cold_part(function))
				continue;
			scoped_free char *shown = shown_name(file->plan, function);
			scoped_free char *name =
				plain_name(shown, question->pattern->function);

			near_add(near, shown,
				 pattern_distance(question->pattern->function, name,
						  near->limit));
		}
	}
}

/* Names that are this far and more are not what was meant. */
static size_t limit_of(const char *pattern)
{
	size_t length = strlen(pattern);

	return length / 3 + 2 < 6 ? length / 3 + 2 : 6;
}

static void describe_near(const struct near *near, struct text *text)
{
	for (size_t i = 0; i < near->count; i++)
		text_format(text, "%s%s", i ? ", " : "; near: ", near->best[i].name);
}

static void ask_question(const struct session *session, const struct question *question,
			 struct text *text)
{
	const struct pattern *pattern = question->pattern;
	bool module;

	if (is_matched(session, question, &module))
		return;
	struct near near = {
		.limit = limit_of(module ? pattern->function : pattern->module)};

	text_format(text, "%s--%s '%s' matches no %s", text->length ? "\n" : "",
		    question->option, pattern->text,
		    !module          ? "module that was loaded"
		    : question->hook ? "function that can be watched"
				     : "function");
	if (module && !pattern->to)
		find_near_functions(session, question, &near);
	else if (!module)
		find_near_modules(session, question, &near);
	describe_near(&near, text);
	near_deinit(&near);
}

static bool program_ran(const struct session *session, const struct pattern *pattern)
{
	const struct patterns patterns = {.items = (struct pattern *)(uintptr_t)pattern,
					  .count = 1};

	vector_for_each (&session->images, image)
		if (patterns_have_file(&patterns, (*image)->program) ||
		    ((*image)->name && patterns_have_file(&patterns, (*image)->name)))
			return true;
	return false;
}

static void ask_program(const struct session *session, const char *option,
			const struct pattern *pattern, struct text *text)
{
	struct near near = {.limit = limit_of(pattern->module)};

	if (program_ran(session, pattern))
		return;
	text_format(text, "%s--%s '%s' matches no program that ran",
		    text->length ? "\n" : "", option, pattern->text);
	vector_for_each (&session->images, image) {
		const char *slash = strrchr((*image)->program, '/');
		const char *name = slash ? slash + 1 : (*image)->program;

		near_add(&near, name,
			 pattern_distance(pattern->module, name, near.limit));
	}
	describe_near(&near, text);
	near_deinit(&near);
}

void unmatched_describe(const struct session *session, struct text *text)
{
	const struct session_options *options = session->options;
	const struct window_edge *start = &options->window.start,
				 *stop = &options->window.stop;
	const struct {
		const char *option;
		const struct patterns *patterns;
		uint8_t hook;
		bool skip;
	} rows[] = {
		{options->collector->spans_alone ? "regions" : "only", &options->only, 0,
		 false},
		{"regions", &options->regions, 0, false},
		{"skip", &options->skip, 0, true},
		{"start-at", &start->calls, WIRE_HOOK_START, false},
		{"start-at-load", &start->loads, 0, false},
		{"stop-at", &stop->calls, WIRE_HOOK_STOP, false},
		{"stop-at-load", &stop->loads, 0, false},
	};

	for (size_t i = options->collector->values_alone; i < array_count(rows); i++)
		vector_for_each (rows[i].patterns, pattern)
			ask_question(session,
				     &(struct question){rows[i].option, pattern,
							rows[i].hook, rows[i].skip},
				     text);
	vector_for_each (&options->only_programs, pattern)
		ask_program(session, "only-program", pattern, text);
	vector_for_each (&options->skip_programs, pattern)
		ask_program(session, "skip-program", pattern, text);
}
