#include "cli/top/screen.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* Control sequences that all terminals of today know (ECMA-48; 1049 is xterm's). */
#define OTHER_SCREEN "\033[?1049h\033[?25l"
#define FIRST_SCREEN "\033[?25h\033[?1049l"
#define HOME         "\033[H"
#define REST_OF_LINE "\033[K"
#define REST         "\033[J"

static struct termios before;
static bool is_open;

static void write_all(const char *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(STDOUT_FILENO, bytes, size);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return;
		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
		}
	}
}

void screen_open(void)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &before))
		return;
	raw = before;
	/* Ctrl-C and Ctrl-Z stay what they are. */
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	is_open = true;
	atexit(screen_close);
	write_all(OTHER_SCREEN, strlen(OTHER_SCREEN));
}

void screen_close(void)
{
	if (!is_open)
		return;
	is_open = false;
	write_all(FIRST_SCREEN, strlen(FIRST_SCREEN));
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

void screen_size(size_t *ret_columns, size_t *ret_lines)
{
	struct winsize size = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
		size = (struct winsize){.ws_col = 80, .ws_row = 24};
	*ret_columns = size.ws_col;
	*ret_lines = size.ws_row;
}

void screen_show(const struct text *lines, const char *last)
{
	struct text out = {0};
	size_t columns, height, line = 0;
	const char *s = lines->data ? lines->data : "";

	screen_size(&columns, &height);
	text_add(&out, HOME);
	/* In one write, and without clearing first: nothing flickers. */
	for (; *s && line + 1 < height; line++) {
		size_t length = strcspn(s, "\n");

		text_add_bytes(&out, s, length);
		text_add(&out, REST_OF_LINE "\n");
		s += length + (s[length] == '\n');
	}
	text_add(&out, REST);
	text_format(&out, "\033[%zu;1H%.*s" REST_OF_LINE, height, (int)columns, last);
	write_all(out.data, out.length);
	text_deinit(&out);
}

int screen_key(void)
{
	char byte, rest[32];
	ssize_t n = read(STDIN_FILENO, &byte, 1);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -1;
	if (n == 0)
		return 0;
	/* The rest of the sequence of a key that means nothing here. */
	if (byte == '\033')
		return read(STDIN_FILENO, rest, sizeof(rest)) < 0 ? -1 : 0;
	return byte;
}
