#include "cli/choose.h"

#include "report/tools.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct trm_error *
choose(const char *path, const struct report_filter *filter,
       struct trm_error *(*need)(const struct report_profile *profile, const char *path),
       struct report_profile **ret_profile)
{
	struct report_profile *profile;

	TRM_TRY(showing_load(path, filter, &profile));
	struct trm_error *error = need(profile, path);

	if (error)
		report_profile_destroy(profile);
	else
		*ret_profile = profile;
	return error;
}

struct trm_error *choose_profile(const char *path, const struct report_filter *filter,
				 struct report_profile **ret_profile)
{
	return choose(path, filter, showing_need_blocks, ret_profile);
}

static struct trm_error *need_places(const struct report_profile *profile,
				     const char *path)
{
	return profile->samples.count ? NULL : showing_need_blocks(profile, path);
}

static struct trm_error *need_instructions(const struct report_profile *profile,
					   const char *path)
{
	vector_for_each (&profile->tool_tables, table)
		if (!strcmp(table->tool, "values"))
			return NULL;
	return need_places(profile, path);
}

struct trm_error *choose_places(const char *path, const struct report_filter *filter,
				struct report_profile **ret_profile)
{
	return choose(path, filter, need_places, ret_profile);
}

struct trm_error *choose_instructions(const char *path,
				      const struct report_filter *filter,
				      struct report_profile **ret_profile)
{
	return choose(path, filter, need_instructions, ret_profile);
}

struct trm_error *choose_calls(const char *path, const struct report_filter *filter,
			       struct report_profile **ret_profile)
{
	return choose(path, filter, showing_need_calls, ret_profile);
}

static struct trm_error *find_function(const struct report_profile *profile,
				       const char *word,
				       const struct report_function **ret_function)
{
	const struct report_function **matches;
	struct trm_error *error = NULL;
	size_t count;

	TRM_TRY(annotation_find(profile, word, &matches, &count));
	for (size_t i = 0; i < count && count > 1; i++)
		fprintf(stderr, "  0x%-8" PRIx64 "  %s  %s\n", matches[i]->offset,
			profile->modules.items[matches[i]->module].path,
			matches[i]->name);
	if (count > 1)
		error = trm_error_create(TRM_ERROR_USAGE,
					 "'%s' means %zu functions: choose one by its "
					 "address and --module",
					 word, count);
	else
		*ret_function = matches[0];
	free(matches);
	return error;
}

struct trm_error *choose_functions(const struct showing *given, const char *command,
				   struct choice *ret_choice)
{
	const struct arguments_words *words = &given->words;

	if (!words->count || words->count > 2)
		return trm_error_create(TRM_ERROR_USAGE,
					"a profile is needed, and perhaps a function: "
					"trammel %s FILE [FUNCTION]",
					command);
	*ret_choice = (struct choice){
		.functions = words->count > 1 ? words->items[1] : NULL,
		.options.width = showing_width(),
	};
	TRM_TRY(showing_colour(given, &ret_choice->options.colour));
	TRM_TRY(showing_limit(given, &ret_choice->options.limit));
	return showing_filter(given, &ret_choice->filter);
}

struct trm_error *
choose_and_print(const struct showing *given, const struct choice *choice,
		 void (*add)(const struct report_profile *profile,
			     const struct choice *choice, struct text *out))
{
	scoped_profile struct report_profile *profile = NULL;
	struct text text = {0};

	TRM_TRY(choose_profile(given->words.items[0], &choice->filter, &profile));
	TRM_TRY(walk_check(choice->functions, profile));
	add(profile, choice, &text);
	return showing_print(given, &text, true);
}

struct trm_error *choose_function(const struct report_profile *profile, const char *word,
				  struct annotation_file *file,
				  struct annotation *annotation)
{
	const struct report_function *function = NULL;

	TRM_TRY(find_function(profile, word, &function));
	TRM_TRY(annotation_open(file, &profile->modules.items[function->module]));
	struct trm_error *error = annotation_init(annotation, profile, function, file);

	if (error)
		annotation_close(file);
	return error;
}
