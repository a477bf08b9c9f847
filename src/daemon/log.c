#include "daemon/log.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static int log_fd = STDERR_FILENO;

bool log_open(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	if (fd < 0)
		return false;
	log_fd = fd;
	return true;
}

void log_time(time_t at, char *ret_text, size_t size)
{
	struct tm broken;

	gmtime_r(&at, &broken);
	strftime(ret_text, size, "%Y-%m-%dT%H:%M:%SZ", &broken);
}

void log_line(const char *format, ...)
{
	char when[32], said[1024];
	struct text line = {0};
	va_list values;

	va_start(values, format);
	vsnprintf(said, sizeof(said), format, values);
	va_end(values);
	log_time(time(NULL), when, sizeof(when));
	text_format(&line, "%s trammel daemon: %s\n", when, said);
	/* Whoever reads the log may be gone; that ends nothing. */
	if (write(log_fd, line.data, line.length) < 0)
		errno = 0;
	text_deinit(&line);
}
