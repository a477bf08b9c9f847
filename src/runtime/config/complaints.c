#include "runtime/config/complaints.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct {
	char *text; /* the caller's */
	size_t size;
} message;

void complaints_begin(char *text, size_t size)
{
	message.text = text;
	message.size = size;
	text[0] = '\0';
}

void complain(const char *format, ...)
{
	size_t used = strlen(message.text);
	va_list list;

	if (used && used + 2 < message.size) {
		strcpy(message.text + used, "\n");
		used++;
	}
	va_start(list, format);
	vsnprintf(message.text + used, message.size - used, format, list);
	va_end(list);
}
