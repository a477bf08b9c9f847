#include "image/read/warn.h"

#include "image/opened.h"

#include <stdio.h>

enum { WARNING_LIMIT = 20 };

void image_warn(struct reader *reader, const char *format, ...)
{
	struct image *image = reader->image;
	va_list arguments;
	char *text;

	if (reader->opened->more_warnings)
		return;
	if (image->warnings.count == WARNING_LIMIT) {
		reader->opened->more_warnings = true;
		vector_push(&image->warnings, memory_copy_string("and more of the kind"));
		return;
	}
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = memory_copy_string(format);
	va_end(arguments);
	vector_push(&image->warnings, text);
}

bool image_spend(struct reader *reader, uint64_t amount)
{
	if (amount <= reader->budget) {
		reader->budget -= amount;
		return true;
	}
	if (!reader->exhausted)
		image_warn(reader,
			   "tables refer to the same bytes over and over; the rest of "
			   "them is left out");
	reader->exhausted = true;
	return false;
}
