#include "report/demangle.h"

#include "base/text.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

/* A name of some hundred bytes can stand for one of many GiB: that is where we stop. */
#define DEMANGLED_MAX ((size_t)64 << 10)

struct output {
	struct text text;
	jmp_buf stop;
};

/* The demangler allocates nothing in this form, so that leaving it by a jump leaks
 * nothing. */
static void add_piece(const char *piece, size_t length, void *context)
{
	struct output *output = context;

	if (output->text.length + length > DEMANGLED_MAX)
		longjmp(output->stop, 1);
	text_add_bytes(&output->text, piece, length);
}

char *report_demangle(const char *name)
{
	struct output output = {0};
	volatile int done = 0;
	bool rust = !strncmp(name, "_R", 2), cplusplus = !strncmp(name, "_Z", 2);

	if (!rust && !cplusplus)
		return NULL;
	if (!setjmp(output.stop)) {
		/* The old Rust form is a C++ name with a hash; it must be tried first. */
		done = rust_demangle_callback(name, 0, add_piece, &output);
		if (!done && cplusplus)
			done = cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI,
							  add_piece, &output);
	}
	if (!done || !output.text.data) {
		text_deinit(&output.text);
		return NULL;
	}
	return output.text.data;
}
