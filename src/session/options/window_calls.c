#include "session/options/window_calls.h"

#include "base/cleanup.h"
#include "image/demangle.h"
#include "session/options/options.h"

static bool patterns_concern(const struct patterns *patterns, const char *module)
{
	return patterns_have_file(patterns, module);
}

bool window_concerns(const struct session_window *asked, const char *module)
{
	return patterns_concern(&asked->start.calls, module) ||
	       patterns_concern(&asked->stop.calls, module);
}

uint8_t window_hook_of(const struct session_window *asked, const char *module,
		       const struct image *image, const char *name, uint64_t address)
{
	scoped_free char *shown = image_demangle(name);
	uint8_t bits = 0;

	if (patterns_have_names(&asked->start.calls, module, image, shown, address))
		bits |= WINDOW_STARTS;
	if (patterns_have_names(&asked->stop.calls, module, image, shown, address))
		bits |= WINDOW_STOPS;
	return bits ? (uint8_t)(WIRE_HOOK_EXIT + bits) : 0;
}

static void describe_calls(const char *what, const struct patterns *patterns,
			   struct text *text)
{
	vector_for_each (patterns, pattern)
		text_format(text, "\n%s %s", what, pattern->text);
}

void window_describe_calls(const struct session_window *asked, struct text *text)
{
	describe_calls("start", &asked->start.calls, text);
	describe_calls("stop", &asked->stop.calls, text);
}
