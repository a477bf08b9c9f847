#include "publish/steps.h"

#include "base/cleanup.h"
#include "base/vector.h"
#include "query/format.h"
#include "query/parse.h"
#include "query/result.h"
#include "query/run.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct trm_error *step_parse(const char *text, bool caliper, struct query **ret_query)
{
	size_t place;

	return caliper ? query_parse_caliper(text, ret_query, &place)
		       : query_parse(text, ret_query, &place);
}

struct trm_error *step_add_all(const char *text, bool caliper, const int *profiles,
			       size_t count, struct text *out)
{
	const struct query_style style = {.width = 0};
	char(*names)[64] = memory_allocate_zeroed(count + 1, sizeof(*names));
	const char **paths = memory_allocate_zeroed(count + 1, sizeof(*paths));
	struct text warnings = {0};
	struct query_result *result;
	struct query *query = NULL;
	struct trm_error *error = step_parse(text, caliper, &query);

	for (size_t i = 0; i < count; i++) {
		snprintf(names[i], sizeof(names[i]), "/proc/self/fd/%d", profiles[i]);
		paths[i] = names[i];
	}
	if (!error)
		error = query_run(query, paths, count, 1, &result, &warnings);
	if (!error) {
		query_print(result, &style, out);
		query_result_destroy(result);
	}
	text_deinit(&warnings);
	if (query)
		query_destroy(query);
	free(paths);
	free(names);
	return error;
}

struct trm_error *step_add(const char *text, bool caliper, int profile, struct text *out)
{
	return step_add_all(text, caliper, &profile, 1, out);
}

struct trm_error *step_keep(const struct text *text, int *ret_fd)
{
	scoped_fd int fd = memfd_create("trammel sums", MFD_CLOEXEC);

	if (fd < 0)
		return trm_error_system(errno, "cannot make a file in memory");
	if (text->length && write(fd, text->data, text->length) != (ssize_t)text->length)
		return trm_error_system(errno, "cannot write to memory");
	*ret_fd = take_fd(&fd);
	return NULL;
}

struct trm_error *step_run(const char *query, bool caliper, int profile, int *ret_fd)
{
	struct text text = {0};
	struct trm_error *error = step_add(query, caliper, profile, &text);

	if (!error)
		error = step_keep(&text, ret_fd);
	text_deinit(&text);
	return error;
}
