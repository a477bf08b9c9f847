#include "export/out.h"

#include "base/vector.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
	OUT_LONG = 256 << 10,
	GZIP_WINDOW = 15 + 16, /* zlib's largest window, with the head of gzip */
	GZIP_MEMORY = 8,
};

void export_out_init(struct export_out *out, int fd, bool compressed)
{
	*out = (struct export_out){.fd = fd, .compressed = compressed};
	if (!compressed)
		return;
	out->zip = memory_allocate_zeroed(1, sizeof(*out->zip));
	if (deflateInit2(out->zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
			 GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		out->error = trm_error_create(TRM_ERROR_SYSTEM, "no memory left");
}

static void write_bytes(struct export_out *out, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (!out->error && size) {
		ssize_t now = write(out->fd, at, size);

		if (now < 0 && errno == EINTR)
			continue;
		if (now <= 0) {
			out->error = trm_error_create(TRM_ERROR_SYSTEM, "%s",
						      strerror(now ? errno : ENOSPC));
			return;
		}
		at += now;
		size -= (size_t)now;
	}
}

static void write_compressed(struct export_out *out, int flush)
{
	unsigned char bytes[64 << 10];
	int result = Z_OK;

	/* zlib does not write to its input. */
	out->zip->next_in = (unsigned char *)out->text.data;
	out->zip->avail_in = (unsigned)out->text.length;
	do {
		out->zip->next_out = bytes;
		out->zip->avail_out = sizeof(bytes);
		result = deflate(out->zip, flush);
		write_bytes(out, bytes, sizeof(bytes) - out->zip->avail_out);
	} while (!out->error &&
		 (flush == Z_FINISH ? result == Z_OK || result == Z_BUF_ERROR
				    : !out->zip->avail_out));
}

static void write_text(struct export_out *out, bool last)
{
	if (!out->error && out->zip)
		write_compressed(out, last ? Z_FINISH : Z_NO_FLUSH);
	else if (!out->error)
		write_bytes(out, out->text.data, out->text.length);
	out->text.length = 0;
}

/* The last byte stays: by it writers of JSON see whether a comma is due. */
void export_out_drain(struct export_out *out)
{
	if (out->text.length < OUT_LONG)
		return;
	char last = out->text.data[--out->text.length];

	write_text(out, false);
	text_add_bytes(&out->text, &last, 1);
}

struct trm_error *export_out_finish(struct export_out *out)
{
	write_text(out, true);
	if (out->zip)
		deflateEnd(out->zip);
	free(out->zip);
	text_deinit(&out->text);
	return out->error;
}

void export_add_escaped(struct text *text, const char *name, const char *odd)
{
	if (!*name)
		text_add(text, "(no name)");
	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;

		if (byte == '\\')
			text_add(text, "\\\\");
		else if (byte < 0x20 || byte == 0x7f || strchr(odd, byte))
			text_format(text, "\\x%02x", byte);
		else
			text_add_bytes(text, name, 1);
	}
}

void export_add_replaced(struct text *text, const char *name, const char *odd,
			 char instead)
{
	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;

		text_add_bytes(text,
			       byte < 0x20 || byte == 0x7f || strchr(odd, byte) ? &instead
										: name,
			       1);
	}
}
