#include "image/demangle.h"

#include "base/vector.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * A short name may stand for an endless one (each substitution can double it), and the
 * library does not stop by itself. So the text is taken in pieces, and left when it gets
 * too long.
 */
enum { TEXT_LIMIT = 64 * 1024, NAME_LIMIT = 16 * 1024 };

struct output {
	jmp_buf too_long;
	size_t length;
	char text[TEXT_LIMIT];
};

static void take_piece(const char *piece, size_t length, void *context)
{
	struct output *output = context;

	if (length >= TEXT_LIMIT - output->length)
		longjmp(output->too_long, 1);
	memcpy(output->text + output->length, piece, length);
	output->length += length;
}

static bool demangle_into(const char *name, struct output *output)
{
	const int options = DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO;

	if (setjmp(output->too_long))
		return false;
	if (rust_demangle_callback(name, options, take_piece, output))
		return true;
	output->length = 0;
	return cplus_demangle_v3_callback(name, options, take_piece, output);
}

static char *demangle_pieces(const char *name)
{
	struct output *output = memory_allocate(sizeof(*output));
	char *text = NULL;

	output->length = 0;
	if (demangle_into(name, output)) {
		output->text[output->length] = 0;
		text = memory_copy_string(output->text);
	}
	free(output);
	return text;
}

char *image_demangle(const char *name)
{
	char *text = NULL;

	if (name[0] == '_' && strnlen(name, NAME_LIMIT) < NAME_LIMIT) {
		if (name[1] == 'Z' || name[1] == 'R' || strncmp(name, "_GLOBAL_", 8) == 0)
			text = demangle_pieces(name);
		else if (name[1] == 'D')
			text = dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI);
	}
	return text ? text : memory_copy_string(name);
}
