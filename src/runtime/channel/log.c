#include "runtime/channel/log.h"

#include "runtime/channel/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 4096 };

static void add_to_file(const char *path, const char *front, const char *text)
{
	int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

	if (file < 0) {
		fprintf(stderr, "trammel: warning: cannot write the log '%s': %s\n", path,
			strerror(errno));
		fprintf(stderr, "%s%s\n", front, text);
		return;
	}
	dprintf(file, "%s%s\n", front, text);
	close(file);
}

static void write_line(int level, const char *format, va_list list)
{
	const char *place = settings_usual_of("LOG_LOGFILE");
	const char *verbosity = settings_usual_of("LOG_VERBOSITY");
	const char *front = place || verbosity ? "== CALIPER: " : "trammel: warning: ";
	int saved = errno;
	char text[TEXT_MAX];

	if ((place && !strcmp(place, "none")) ||
	    (level && (!verbosity || atoi(verbosity) < level)))
		return;
	vsnprintf(text, sizeof(text), format, list);
	/* Not through a lock that the program may hold: see service/debug.c. */
	if (!place || !*place || !strcmp(place, "stderr")) {
		dprintf(STDERR_FILENO, "%s%s\n", front, text);
	} else if (!strcmp(place, "stdout")) {
		printf("%s%s\n", front, text);
		fflush(stdout);
	} else {
		add_to_file(place, front, text);
	}
	errno = saved;
}

void log_warn(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	write_line(0, format, list);
	va_end(list);
}

void log_detail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	write_line(2, format, list);
	va_end(list);
}

void log_inform(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	write_line(1, format, list);
	va_end(list);
}
