#include "agent/files.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "image/lookup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int64_t file_max = (int64_t)1 << 30;

/* Who asks is to tell it from a cut: by errno. */
static struct trm_error *no_file(int why, struct trm_error *error)
{
	error->system_code = why;
	return error;
}

static struct trm_error *check_build(const char *path, const char *build_id)
{
	char found[IMAGE_BUILD_ID_TEXT];

	if (access(path, R_OK))
		return trm_error_system(errno, "cannot read '%s'", path);
	if (image_file_build_id(path, found) && !strcmp(found, build_id) && *found)
		return NULL;
	return no_file(ESTALE,
		       trm_error_create(TRM_ERROR_GONE,
					"'%s' is another build there by now", path));
}

/* Opens it for the first piece; the others are of the same file. */
static struct trm_error *open_file(struct agent *agent, const Trm__Request *request)
{
	const char *path = request->words[0];
	const bool debug = request->n_words > 2 && !strcmp(request->words[2], "debug");
	scoped_free char *found = NULL;

	if (agent->file_fd > 0)
		close(agent->file_fd);
	agent->file_fd = -1;
	TRM_TRY(check_build(path, request->words[1]));
	found = debug ? image_debug_file_of(path) : memory_copy_string(path);
	if (!found)
		return no_file(ENOENT,
			       trm_error_create(TRM_ERROR_GONE,
						"'%s' has no separate debug information "
						"there",
						path));
	agent->file_fd = open(found, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return agent->file_fd < 0 ? trm_error_system(errno, "cannot read '%s'", found)
				  : NULL;
}

struct trm_error *files_serve(struct agent *agent, const Trm__Request *request,
			      Trm__Answer *answer)
{
	const uint64_t size =
		request->size < PROTOCOL_FILE_PIECE ? request->size : PROTOCOL_FILE_PIECE;
	struct stat status;

	if (request->n_words < 2)
		return trm_error_create(TRM_ERROR_USAGE, "a path and a build id");
	if (!request->address)
		TRM_TRY(open_file(agent, request));
	if (agent->file_fd <= 0 || fstat(agent->file_fd, &status))
		return trm_error_create(TRM_ERROR_USAGE, "no file was asked for");
	if (status.st_size > file_max)
		return trm_error_create(
			TRM_ERROR_LIMIT, "'%s' has %lld MiB: more than is sent",
			request->words[0], (long long)status.st_size >> 20);
	answer->data.data = memory_allocate(PROTOCOL_FILE_PIECE);
	ssize_t count =
		pread(agent->file_fd, answer->data.data, size, (off_t)request->address);

	if (count < 0)
		return trm_error_system(errno, "cannot read '%s'", request->words[0]);
	answer->data.len = (size_t)count;
	answer->number = (uint64_t)status.st_size;
	return NULL;
}
