#include "libcontrol/fetch.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "record/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static struct trm_error *write_all(int fd, const char *what, const uint8_t *bytes,
				   size_t count)
{
	while (count) {
		ssize_t written = write(fd, bytes, count);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return trm_error_system(errno, "cannot write the %s", what);
		bytes += written;
		count -= (size_t)written;
	}
	return NULL;
}

/* A piece; `ret_more`: there is another one. */
static struct trm_error *fetch_piece(struct control_process *process, bool now, int fd,
				     uint64_t *offset, bool *ret_more,
				     uint64_t *ret_time_ns)
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

	*ret_time_ns = strtoull(answer->answer->text, NULL, 10);
	*offset += data->len;
	*ret_more = data->len && *offset < answer->answer->number;
	return write_all(fd, "profile", data->data, data->len);
}

static struct trm_error *fetch_pieces(struct control_process *process, bool now, int fd,
				      uint64_t *ret_time_ns)
{
	uint64_t offset = 0;
	bool more = true;

	while (more)
		TRM_TRY(fetch_piece(process, now, fd, &offset, &more, ret_time_ns));
	return NULL;
}

struct trm_error *fetch_profile(struct control_process *process, bool now, int fd)
{
	Trm__Request request = TRM__REQUEST__INIT;
	uint64_t time_ns;

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
	return fetch_pieces(process, now, fd, &time_ns);
}

struct trm_error *fetch_saved(struct control_process *process, const char *path,
			      uint64_t *ret_time_ns)
{
	struct trm_output output;

	TRM_TRY(trm_output_open(path, &output));
	return trm_output_close(&output,
				fetch_pieces(process, false, output.fd, ret_time_ns));
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

static struct trm_error *fetch_module(struct control_engine *engine,
				      Trm__Request *request, int fd)
{
	bool more = true;

	request->verb = PROTOCOL_FILE;
	request->size = PROTOCOL_FILE_PIECE;
	while (more) {
		scoped_message Trm__Message *answer = NULL;

		TRM_TRY(engine_ask(engine, request, &answer));
		const ProtobufCBinaryData *data = &answer->answer->data;

		request->address += data->len;
		more = data->len && request->address < answer->answer->number;
		TRM_TRY(write_all(fd, "module", data->data, data->len));
	}
	return NULL;
}

EXPORT struct trm_error *trm_engine_module(struct trm_engine *ticket, const char *path,
					   const char *build_id, int debug,
					   const char *to)
{
	char part[] = "debug";
	char *words[] = {(char *)(uintptr_t)path, (char *)(uintptr_t)build_id, part};
	Trm__Request request = TRM__REQUEST__INIT;
	struct control_engine *engine;
	struct trm_output output;

	request.words = words;
	request.n_words = debug ? array_count(words) : array_count(words) - 1;
	TRM_TRY(engine_enter(ticket, &engine));
	struct trm_error *error = trm_output_open(to, &output);

	if (!error)
		error = trm_output_close(&output,
					 fetch_module(engine, &request, output.fd));
	engine_leave(engine);
	return error;
}
