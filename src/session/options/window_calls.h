/* Functions whose calls begin or end counting. */
#ifndef TRAMMEL_SESSION_OPTIONS_WINDOW_CALLS_H
#define TRAMMEL_SESSION_OPTIONS_WINDOW_CALLS_H

#include "base/text.h"
#include "session/options/options.h"
#include "wire/hooks.h"

#include <stdbool.h>
#include <stdint.h>

/* Bits of wire_control.window. */
enum {
	WINDOW_STARTS = WIRE_HOOK_START - WIRE_HOOK_EXIT,
	WINDOW_STOPS = WIRE_HOOK_STOP - WIRE_HOOK_EXIT
};

/* Return facts about the calls that begin or end the window: whether the module (path)
 * may contain such functions; the hook of such a function, by its linked name, 0: it
 * needs none; and, written to `text`, all that a plan depends on. */
bool window_concerns(const struct session_window *asked, const char *module);
uint8_t window_hook_of(const struct session_window *asked, const char *module,
		       const struct image *image, const char *name, uint64_t address);
void window_describe_calls(const struct session_window *asked, struct text *text);

#endif
