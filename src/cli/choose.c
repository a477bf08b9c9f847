#include "cli/choose.h"

#include "cli/showing.h"

#include <inttypes.h>
#include <stdio.h>

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
