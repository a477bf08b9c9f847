#include "publish/steps.h"

#include "base/cleanup.h"

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

struct trm_error *step_add(const char *text, bool caliper, int profile, struct text *out)
{
	const struct query_style style = {.width = 0};
	struct text warnings = {0};
	struct query_result *result;
	char name[64];
	const char *path = name;
	struct query *query;
	struct trm_error *error;

	TRM_TRY(step_parse(text, caliper, &query));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", profile);
	error = query_run(query, &path, 1, 1, &result, &warnings);
	if (!error) {
		query_print(result, &style, out);
		query_result_destroy(result);
	}
	text_deinit(&warnings);
	query_destroy(query);
	return error;
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
