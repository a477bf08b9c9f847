#include "protocol/frame.h"

#include "base/vector.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD = 4, READ_SIZE = 1 << 16 };

/* Memory of one message. */
struct allowance {
	size_t left;
};

static void *allocate_some(void *context, size_t size)
{
	struct allowance *allowance = context;

	if (size > allowance->left)
		return NULL;
	allowance->left -= size;
	return malloc(size ? size : 1);
}

static void release_some(void *context, void *memory)
{
	(void)context;
	free(memory);
}

void frame_put(struct frame_reader *reader, const void *bytes, size_t count)
{
	struct text *text = &reader->bytes;

	if (reader->taken) {
		memmove(text->data, text->data + reader->taken,
			text->length - reader->taken);
		text->length -= reader->taken;
		reader->taken = 0;
	}
	text_add_bytes(text, bytes, count);
}

struct trm_error *frame_receive(struct frame_reader *reader, int fd, bool *ret_ended)
{
	char buffer[READ_SIZE];
	ssize_t count = read(fd, buffer, sizeof(buffer));

	*ret_ended = false;
	if (count > 0) {
		frame_put(reader, buffer, (size_t)count);
		return NULL;
	}
	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return NULL;
	/* A peer that was killed resets its socket. */
	*ret_ended = !count || errno == ECONNRESET;
	return *ret_ended ? NULL : trm_error_system(errno, "cannot receive messages");
}

static size_t left_of(const struct frame_reader *reader)
{
	return reader->bytes.length - reader->taken;
}

bool frame_has_part(const struct frame_reader *reader)
{
	return left_of(reader) > 0;
}

struct trm_error *frame_next(struct frame_reader *reader, Trm__Message **ret_message)
{
	struct allowance allowance = {FRAME_MEMORY_MAX};
	ProtobufCAllocator allocator = {allocate_some, release_some, &allowance};
	const uint8_t *at = (const uint8_t *)reader->bytes.data + reader->taken;

	*ret_message = NULL;
	if (left_of(reader) < HEAD)
		return NULL;
	size_t length =
		at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;

	if (length > FRAME_MAX)
		return trm_error_create(TRM_ERROR_LIMIT,
					"a message claims to have %zu bytes, and at most "
					"%d are taken: the other side is no trammel, or "
					"is damaged",
					length, FRAME_MAX);
	if (left_of(reader) < HEAD + length)
		return NULL;
	Trm__Message *message = trm__message__unpack(&allocator, length, at + HEAD);

	reader->taken += HEAD + length;
	if (message && message->kind_case != TRM__MESSAGE__KIND__NOT_SET) {
		*ret_message = message;
		return NULL;
	}
	frame_free(message);
	return trm_error_create(
		allowance.left < FRAME_MEMORY_MAX / 2 ? TRM_ERROR_LIMIT
						      : TRM_ERROR_FORMAT,
		"what came is no message of trammel's: the other side is of another "
		"kind, or is damaged");
}

void frame_reader_deinit(struct frame_reader *reader)
{
	text_deinit(&reader->bytes);
	reader->taken = 0;
}

void frame_free(Trm__Message *message)
{
	struct allowance none = {0};
	ProtobufCAllocator allocator = {allocate_some, release_some, &none};

	if (message)
		trm__message__free_unpacked(message, &allocator);
}

void frame_add(struct text *out, const Trm__Message *message)
{
	size_t length = trm__message__get_packed_size(message);
	uint8_t *to = (uint8_t *)text_room(out, HEAD + length);

	for (int i = 0; i < HEAD; i++)
		to[i] = (uint8_t)(length >> 8 * i);
	trm__message__pack(message, to + HEAD);
	text_grow(out, (const char *)to + HEAD + length);
}

static ssize_t send_some(int fd, const char *bytes, size_t count)
{
	ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);

	if (sent < 0 && errno == ENOTSOCK)
		sent = write(fd, bytes, count);
	return sent;
}

struct trm_error *frame_send(struct text *out, int fd)
{
	size_t sent = 0;
	struct trm_error *error = NULL;

	while (sent < out->length && !error) {
		ssize_t count = send_some(fd, out->data + sent, out->length - sent);

		if (count > 0)
			sent += (size_t)count;
		else if (count < 0 && errno == EAGAIN)
			break;
		else if (count < 0 && (errno == EPIPE || errno == ECONNRESET))
			error = trm_error_create(TRM_ERROR_GONE,
						 "the other side is gone");
		else if (count < 0 && errno != EINTR)
			error = trm_error_system(errno, "cannot send messages");
	}
	if (sent)
		memmove(out->data, out->data + sent, out->length - sent);
	out->length -= sent;
	return error;
}

struct trm_error *frame_send_whole(int fd, const Trm__Message *message)
{
	struct text out = {0};
	struct trm_error *error = NULL;
	struct pollfd ready = {.fd = fd, .events = POLLOUT};

	frame_add(&out, message);
	while (!error && out.length) {
		error = frame_send(&out, fd);
		if (!error && out.length)
			poll(&ready, 1, -1);
	}
	text_deinit(&out);
	return error;
}

struct trm_error *frame_await(struct frame_reader *reader, int fd,
			      Trm__Message **ret_message)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	bool ended = false;

	for (;;) {
		TRM_TRY(frame_next(reader, ret_message));
		if (*ret_message)
			return NULL;
		if (ended)
			return trm_error_create(TRM_ERROR_GONE,
						frame_has_part(reader)
							? "the other side ended in the "
							  "middle of a message"
							: "the other side is gone");
		poll(&ready, 1, -1);
		TRM_TRY(frame_receive(reader, fd, &ended));
	}
}
