#include "record/output.h"

#include "base/text.h"
#include "base/vector.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct trm_error *trm_output_open(const char *path, struct trm_output *ret_output)
{
	struct stat status;
	struct text part = {0};
	bool direct = !stat(path, &status) && !S_ISREG(status.st_mode);

	text_format(&part, direct ? "%s" : "%s.part", path);

	int fd = open(part.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd < 0) {
		struct trm_error *error =
			trm_error_system(errno, "cannot write '%s'", part.data);

		text_deinit(&part);
		return error;
	}
	*ret_output =
		(struct trm_output){fd, direct, memory_copy_string(path), part.data};
	return NULL;
}

struct trm_error *trm_output_close(struct trm_output *output, struct trm_error *error)
{
	if (!error && !output->direct && rename(output->part, output->path))
		error = trm_error_system(errno, "cannot write '%s'", output->path);
	if (error && !output->direct)
		unlink(output->part);
	if (error)
		error = trm_error_prefix(error, "no profile '%s'", output->path);
	close(output->fd);
	free(output->path);
	free(output->part);
	return error;
}
