#include "debug/frames.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

enum { SEND_MS = 5000 };

static bool send_all(int fd, const char *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		const ssize_t n = send(fd, bytes + done, size - done, MSG_NOSIGNAL);
		struct pollfd end = {.fd = fd, .events = POLLOUT};

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno == EINTR)
			continue;
		else if (n >= 0 || errno != EAGAIN || poll(&end, 1, SEND_MS) <= 0)
			return false;
	}
	return true;
}

bool frames_send(int fd, enum frame_kind kind, const char *bytes, size_t size)
{
	char head[FRAME_HEAD] = {(char)kind};
	const uint32_t length = htole32((uint32_t)size);

	memcpy(head + 1, &length, sizeof(length));
	return size < FRAME_MAX && send_all(fd, head, sizeof(head)) &&
	       send_all(fd, bytes, size);
}

int frames_take(struct text *input, struct text *ret_bytes)
{
	uint32_t length;
	int kind;

	if (input->length < FRAME_HEAD)
		return 0;
	memcpy(&length, input->data + 1, sizeof(length));
	length = le32toh(length);
	if (length >= FRAME_MAX)
		return -1;
	if (input->length < FRAME_HEAD + (size_t)length)
		return 0;
	kind = input->data[0];
	ret_bytes->length = 0;
	text_add_bytes(ret_bytes, input->data + FRAME_HEAD, length);
	input->length -= FRAME_HEAD + (size_t)length;
	memmove(input->data, input->data + FRAME_HEAD + length, input->length + 1);
	return kind;
}
