#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char no_memory_message[] = "out of memory";
static struct trm_error no_memory = {TRM_ERROR_SYSTEM, 12, no_memory_message};

static struct trm_error *with_message(enum trm_error_code code, int system_code,
				      char *message)
{
	struct trm_error *error = message ? malloc(sizeof(*error)) : NULL;

	if (!error) {
		free(message);
		return &no_memory;
	}
	*error = (struct trm_error){code, system_code, message};
	return error;
}

static char *format_message(const char *format, va_list arguments)
{
	char *message = NULL;

	if (vasprintf(&message, format, arguments) < 0)
		return NULL;
	return message;
}

struct trm_error *trm_error_create(enum trm_error_code code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	char *message = format_message(format, arguments);
	va_end(arguments);
	return with_message(code, 0, message);
}

struct trm_error *trm_error_system(int system_code, const char *format, ...)
{
	va_list arguments;
	char *full = NULL;

	va_start(arguments, format);
	char *message = format_message(format, arguments);
	va_end(arguments);
	if (message && asprintf(&full, "%s: %s", message, strerror(system_code)) < 0)
		full = NULL;
	free(message);
	return with_message(TRM_ERROR_SYSTEM, system_code, full);
}

struct trm_error *trm_error_prefix(struct trm_error *error, const char *format, ...)
{
	va_list arguments;
	char *full = NULL;

	if (error == &no_memory)
		return error;
	va_start(arguments, format);
	char *prefix = format_message(format, arguments);
	va_end(arguments);
	if (prefix && asprintf(&full, "%s: %s", prefix, error->message) >= 0) {
		free(error->message);
		error->message = full;
	}
	free(prefix);
	return error;
}

void trm_error_destroy(struct trm_error *error)
{
	if (!error || error == &no_memory)
		return;
	free(error->message);
	free(error);
}

/* What is quoted of files and arguments must not control the terminal. */
static void hide_controls(char *message)
{
	for (char *s = message; *s; s++) {
		const unsigned char byte = (unsigned char)*s;
		/* C1 controls are U+0080 to U+009F: c2 80 to c2 9f. */
		const bool c1 = byte == 0xc2 && ((unsigned char)s[1] & 0xe0) == 0x80;

		if (c1)
			*s++ = '?';
		if (c1 || (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f)
			*s = '?';
	}
}

void trm_error_print(struct trm_error *error)
{
	bool colour = isatty(STDERR_FILENO) && !getenv("NO_COLOR");

	hide_controls(error->message);
	fprintf(stderr, "%strammel:%s %s\n", colour ? "\033[1;31m" : "",
		colour ? "\033[0m" : "", error->message);
	trm_error_destroy(error);
}
