#include "debug/gdb/packet.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

enum { SEND_MS = 5000 };

/* A gdb that does not read what it is sent is left: its end of the socket is closed,
 * which the server sees. */
void gdb_send_raw(struct gdb *gdb, const char *bytes, size_t size)
{
	for (size_t done = 0; done < size && gdb->fd >= 0;) {
		const ssize_t n = send(gdb->fd, bytes + done, size - done, MSG_NOSIGNAL);
		struct pollfd end = {.fd = gdb->fd, .events = POLLOUT};

		if (n > 0)
			done += (size_t)n;
		else if (errno == EAGAIN && poll(&end, 1, SEND_MS) > 0)
			continue;
		else {
			shutdown(gdb->fd, SHUT_RDWR);
			return;
		}
	}
}

void gdb_send_bytes(struct gdb *gdb, const char *bytes, size_t size)
{
	static const char special[] = "#$}*";
	struct text text = {0};
	unsigned char sum = 0;

	text_add(&text, "$");
	for (size_t i = 0; i < size; i++) {
		const char escaped[2] = {'}', (char)(bytes[i] ^ 0x20)};

		if (bytes[i] && strchr(special, bytes[i]))
			text_add_bytes(&text, escaped, 2);
		else
			text_add_bytes(&text, &bytes[i], 1);
	}
	for (size_t i = 1; i < text.length; i++)
		sum = (unsigned char)(sum + (unsigned char)text.data[i]);
	text_format(&text, "#%02x", sum);
	gdb_send_raw(gdb, text.data, text.length);
	text_deinit(&text);
}

void gdb_send(struct gdb *gdb, const char *text)
{
	gdb_send_bytes(gdb, text, strlen(text));
}

void gdb_send_result(struct gdb *gdb, struct trm_error *error)
{
	gdb_send(gdb, error ? "E01" : "OK");
	trm_error_destroy(error);
}

void gdb_add_hex(struct text *text, const void *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *from = bytes;

	for (size_t i = 0; i < size; i++) {
		const char both[2] = {digits[from[i] >> 4], digits[from[i] & 15]};

		text_add_bytes(text, both, 2);
	}
}

size_t gdb_read_hex(const char *digits, void *bytes, size_t size)
{
	unsigned char *to = bytes;
	size_t i = 0;

	for (; i < size; i++) {
		const int high = text_hex_digit(digits[2 * i]);
		const int low = high < 0 ? -1 : text_hex_digit(digits[2 * i + 1]);

		if (low < 0)
			break;
		to[i] = (unsigned char)(high << 4 | low);
	}
	return i;
}

uint64_t gdb_read_number(const char **text)
{
	uint64_t number = 0;
	int digit;

	while ((digit = text_hex_digit(**text)) >= 0) {
		number = number << 4 | (unsigned int)digit;
		(*text)++;
	}
	return number;
}

size_t gdb_unescape(char *packet, size_t size)
{
	size_t to = 0;

	for (size_t i = 0; i < size; i++)
		packet[to++] =
			packet[i] == '}' && i + 1 < size ? packet[++i] ^ 0x20 : packet[i];
	packet[to] = '\0';
	return to;
}

bool gdb_is_sound(const char *packet, size_t size)
{
	unsigned char sum = 0, said;

	for (size_t i = 0; i < size; i++)
		sum = (unsigned char)(sum + (unsigned char)packet[i]);
	return gdb_read_hex(packet + size + 1, &said, 1) == 1 && said == sum;
}

void gdb_add_thread(const struct gdb *gdb, struct text *text, pid_t pid, pid_t tid)
{
	if (gdb->knows_processes)
		text_format(text, "p%x.", (unsigned int)pid);
	text_format(text, "%x", (unsigned int)tid);
}

static pid_t read_signed(const char **text)
{
	const bool all = **text == '-';

	*text += all;
	const pid_t number = (pid_t)gdb_read_number(text);

	return all ? -1 : number;
}

/* pPID, without a thread, is all of the process. */
pid_t gdb_read_thread(const char **text)
{
	if (**text != 'p')
		return read_signed(text);
	(*text)++;
	read_signed(text);
	if (**text != '.')
		return -1;
	(*text)++;
	return read_signed(text);
}
