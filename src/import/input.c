#include "import/input.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/vector.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

enum { INPUT_MAX = 1 << 30, READ_BYTES = 1 << 20, GZIP_WINDOW = 15 + 16 };

/* What gzip data may unpack to: so much, and so many times their size. */
enum { UNPACKED_FREE = 64 << 20, UNPACKED_RATIO = 200 };

static struct trm_error *error_large(const char *path)
{
	return trm_error_create(TRM_ERROR_LIMIT,
				"'%s' has more than 1 GiB: import a part of it", path);
}

/* Unpacks; several streams may stand one behind the other. */
static struct trm_error *inflate_bytes(struct import_input *input, z_stream *zip)
{
	struct text text = {0};
	int result = Z_OK;
	uint64_t most = UNPACKED_FREE + (uint64_t)zip->avail_in * UNPACKED_RATIO;

	if (most > INPUT_MAX)
		most = INPUT_MAX;

	do {
		char *room = text_room(&text, READ_BYTES);

		zip->next_out = (unsigned char *)room;
		zip->avail_out = READ_BYTES;
		result = inflate(zip, Z_NO_FLUSH);
		text_grow(&text, (char *)zip->next_out);
		if (result == Z_STREAM_END && zip->avail_in)
			result = inflateReset(zip);
	} while (result == Z_OK && text.length <= most);
	input->bytes = text.data;
	input->size = text.length;
	if (text.length > most)
		return trm_error_create(TRM_ERROR_LIMIT,
					"'%s' unpacks to more than %" PRIu64
					" MiB, which no profile of its size does",
					input->path, most >> 20);
	if (result == Z_STREAM_END)
		return NULL;
	return trm_error_create(TRM_ERROR_FORMAT, "'%s', byte %lu: the gzip data %s",
				input->path, zip->total_in,
				result == Z_BUF_ERROR ? "end too early" : "are damaged");
}

static struct trm_error *unpack_bytes(struct import_input *input, const void *bytes,
				      size_t size)
{
	z_stream zip = {.avail_in = (unsigned)size};
	struct trm_error *error;

	/* zlib does not write to its input. */
	zip.next_in = (unsigned char *)(uintptr_t)bytes;
	if (inflateInit2(&zip, GZIP_WINDOW) != Z_OK)
		return trm_error_create(TRM_ERROR_SYSTEM, "no memory left");
	error = inflate_bytes(input, &zip);
	inflateEnd(&zip);
	return error;
}

struct trm_error *import_input_init(struct import_input *input, const char *path,
				    const void *bytes, size_t size)
{
	const unsigned char *head = bytes;
	struct trm_error *error = NULL;

	*input = (struct import_input){.path = path};
	if (size > INPUT_MAX)
		return error_large(path);
	if (size > 2 && head[0] == 0x1f && head[1] == 0x8b) {
		error = unpack_bytes(input, bytes, size);
	} else {
		input->bytes = memory_allocate(size + 1);
		input->size = size;
		if (size)
			memcpy(input->bytes, bytes, size);
		input->bytes[size] = '\0';
	}
	if (error)
		import_input_deinit(input);
	input->at = input->bytes;
	return error;
}

static struct trm_error *read_all(const char *path, struct text *text)
{
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t now;

	if (fd < 0)
		return trm_error_system(errno, "cannot open '%s'", path);
	do {
		char *room = text_room(text, READ_BYTES);

		now = read(fd, room, READ_BYTES);
		if (now < 0 && errno != EINTR)
			return trm_error_system(errno, "cannot read '%s'", path);
		if (now > 0)
			text_grow(text, room + now);
		if (text->length > INPUT_MAX)
			return error_large(path);
	} while (now);
	return NULL;
}

struct trm_error *import_input_read(struct import_input *input, const char *path)
{
	struct text text = {0};
	struct trm_error *error = read_all(path, &text);

	if (!error)
		error = import_input_init(input, path, text.data ? text.data : "",
					  text.length);
	text_deinit(&text);
	return error;
}

void import_input_deinit(struct import_input *input)
{
	free(input->bytes);
	input->bytes = NULL;
	input->size = 0;
}

char *import_line(struct import_input *input)
{
	char *start = input->bytes + (input->at - input->bytes);
	const char *end = input->bytes + input->size;
	char *stop;
	size_t length;

	if (start >= end)
		return NULL;
	stop = memchr(start, '\n', (size_t)(end - start));
	length = (size_t)((stop ? stop : end) - start);
	input->line++;
	if (memchr(start, '\0', length))
		return NULL;
	input->at = start + length + (stop != NULL);
	start[length] = '\0';
	if (length && start[length - 1] == '\r')
		start[length - 1] = '\0';
	return start;
}

struct trm_error *import_input_end(const struct import_input *input)
{
	return input->at < input->bytes + input->size
		       ? import_fault(input, "a zero byte: this is no text")
		       : NULL;
}

static struct trm_error *make_fault(const struct import_input *input, const char *unit,
				    uint64_t place, const char *format, va_list arguments)
{
	char what[256];

	vsnprintf(what, sizeof(what), format, arguments);
	return trm_error_create(TRM_ERROR_FORMAT, "'%s', %s %" PRIu64 ": %s", input->path,
				unit, place, what);
}

struct trm_error *import_fault(const struct import_input *input, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	struct trm_error *error =
		make_fault(input, "line", input->line, format, arguments);

	va_end(arguments);
	return error;
}

struct trm_error *import_fault_at(const struct import_input *input, const void *place,
				  const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	struct trm_error *error =
		make_fault(input, "byte", (uint64_t)((const char *)place - input->bytes),
			   format, arguments);

	va_end(arguments);
	return error;
}

bool import_number(char **at, uint64_t *ret_number)
{
	uint64_t number = 0;
	char *digit = *at;

	for (; *digit >= '0' && *digit <= '9'; digit++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*digit - '0'), &number))
			return false;
	if (digit == *at)
		return false;
	*at = digit;
	*ret_number = number;
	return true;
}

bool import_hex(char **at, uint64_t *ret_number)
{
	char *digit = *at;
	uint64_t number = 0;

	if (digit[0] == '0' && (digit[1] == 'x' || digit[1] == 'X'))
		digit += 2;
	char *first = digit;

	for (; text_hex_digit(*digit) >= 0; digit++) {
		if (number >> 60)
			return false;
		number = number << 4 | (uint64_t)text_hex_digit(*digit);
	}
	if (digit == first)
		return false;
	*at = digit;
	*ret_number = number;
	return true;
}

void import_unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		int high = -1, low = -1;

		if (text[0] == '\\' && text[1] == 'x') {
			high = text_hex_digit(text[2]);
			low = high < 0 ? -1 : text_hex_digit(text[3]);
		}
		if (low >= 0 && (high || low)) {
			*to++ = (char)(high << 4 | low);
			text += 3;
		} else {
			text += text[0] == '\\' && text[1] == '\\';
			*to++ = *text;
		}
	}
	*to = '\0';
}
