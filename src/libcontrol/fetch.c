#include "libcontrol/fetch.h"

#include "base/cleanup.h"
#include "record/output.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct trm_error *write_all(int fd, const uint8_t *bytes, size_t count)
{
	while (count) {
		ssize_t written = write(fd, bytes, count);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return trm_error_system(errno, "cannot write the profile");
		bytes += written;
		count -= (size_t)written;
	}
	return NULL;
}

/* A piece; `ret_more`: there is another one. */
static struct trm_error *fetch_piece(struct control_process *process, bool now, int fd,
				     uint64_t *offset, bool *ret_more)
{
	Trm__Request request = TRM__REQUEST__INIT;
	scoped_message Trm__Message *answer = NULL;
	char word[] = "now", *words[] = {word};

	request.verb = PROTOCOL_READ;
	request.address = *offset;
	request.size = PROTOCOL_PIECE;
	if (now) {
		request.words = words;
		request.n_words = 1;
	}
	TRM_TRY(process_ask(process, &request, &answer));
	const ProtobufCBinaryData *data = &answer->answer->data;

	*offset += data->len;
	*ret_more = data->len && *offset < answer->answer->number;
	return write_all(fd, data->data, data->len);
}

struct trm_error *fetch_profile(struct control_process *process, bool now, int fd)
{
	Trm__Request request = TRM__REQUEST__INIT;
	uint64_t offset = 0;
	bool more = true;

	request.verb = PROTOCOL_SAVE;
	if (now)
		TRM_TRY(process_ask(process, &request, NULL));
	else if (process->state != TRM_PROCESS_MEASURED)
		return trm_error_create(TRM_ERROR_USAGE,
					process->number
						? "the measurement goes on: its profile "
						  "is there when it is over"
						: "the process was not run: there is no "
						  "profile");
	while (more)
		TRM_TRY(fetch_piece(process, now, fd, &offset, &more));
	return NULL;
}

struct trm_error *fetch_to_path(struct control_process *process, bool now,
				const char *path)
{
	struct trm_output output;

	TRM_TRY(trm_output_open(path, &output));
	return trm_output_close(&output, fetch_profile(process, now, output.fd));
}

struct trm_error *fetch_to_memory(struct control_process *process, bool now, int *ret_fd)
{
	scoped_fd int fd = memfd_create("trammel-profile", MFD_CLOEXEC);

	if (fd < 0)
		return trm_error_system(errno, "cannot keep the profile");
	TRM_TRY(fetch_profile(process, now, fd));
	*ret_fd = take_fd(&fd);
	return NULL;
}
