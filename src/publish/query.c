/* Queries of programs over profiles of theirs. */
#include "query/parse.h"
#include "publish/publish.h"

#include "base/cleanup.h"
#include "publish/steps.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((visibility("default"))) publish_query_function trammel_publish_query;

static struct trm_error *check_request(struct publish_query *request)
{
	struct query *query = NULL;

	TRM_TRY(query_parse_caliper(request->text, &query, &request->place));
	query_destroy(query);
	return NULL;
}

/* The result, to the end of the file. */
static struct trm_error *run_request(const struct publish_query *request)
{
	scoped_fd int profile = open(request->profile, O_RDONLY | O_CLOEXEC);
	FILE *file = fopen(request->path, "ae");
	struct text text = {0};
	struct trm_error *error = NULL;

	if (profile < 0 || !file)
		error = trm_error_create(TRM_ERROR_SYSTEM, "cannot open '%s'",
					 file ? request->profile : request->path);
	if (!error)
		error = step_add(request->text, true, profile, &text);
	if (!error && text.length)
		fwrite(text.data, 1, text.length, file);
	if (file)
		fclose(file);
	text_deinit(&text);
	return error;
}

bool trammel_publish_query(struct publish_query *request)
{
	struct trm_error *error = NULL;

	if (request->abi != PUBLISH_ABI) {
		snprintf(request->message, request->message_size,
			 "queries are of another version");
		return false;
	}
	error = request->profile ? run_request(request) : check_request(request);
	if (!error)
		return true;
	snprintf(request->message, request->message_size, "%s", error->message);
	trm_error_destroy(error);
	return false;
}
