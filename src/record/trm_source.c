#include "record/trm_source.h"

#include "base/vector.h"

#include <errno.h>
#include <unistd.h>

#define READ_SIZE ((size_t)256 << 10)

struct trm_source trm_source_memory(const void *bytes, size_t size)
{
	return (struct trm_source){.fd = -1, .window = bytes, .window_size = size};
}

struct trm_source trm_source_fd(int fd)
{
	return (struct trm_source){.fd = fd};
}

void trm_source_deinit(struct trm_source *source)
{
	free(source->buffer);
}

/* One read() behind the window; 0 at the end. */
static size_t read_more(struct trm_source *source, size_t wanted)
{
	ssize_t got;

	if (wanted < source->window_size + READ_SIZE)
		wanted = source->window_size + READ_SIZE;
	if (source->buffer && source->window_size)
		memmove(source->buffer, source->window, source->window_size);
	source->buffer = vector_reserve_(source->buffer, 1, wanted, &source->buffer_size);
	source->window = source->buffer;
	do
		got = read(source->fd, source->buffer + source->window_size,
			   source->buffer_size - source->window_size);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		source->failure = errno;
	return got > 0 ? (size_t)got : 0;
}

size_t trm_source_peek(struct trm_source *source, size_t wanted)
{
	while (source->fd >= 0 && source->window_size < wanted && !source->failure) {
		size_t got = read_more(source, wanted);

		if (!got)
			break;
		source->window_size += got;
	}
	return source->window_size;
}

void trm_source_skip(struct trm_source *source, size_t count)
{
	source->window += count;
	source->window_size -= count;
	source->offset += count;
}

int trm_source_seek(struct trm_source *source, const void *bytes, size_t size)
{
	while (trm_source_peek(source, READ_SIZE) >= size) {
		const uint8_t *found =
			memmem(source->window, source->window_size, bytes, size);

		if (found) {
			trm_source_skip(source, (size_t)(found - source->window));
			return 1;
		}
		/* The bytes may begin at the end of the window. */
		trm_source_skip(source, source->window_size - size + 1);
	}
	return 0;
}
