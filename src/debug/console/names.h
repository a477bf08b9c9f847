/* Names and lines of the debugged program. */
#ifndef TRAMMEL_DEBUG_CONSOLE_NAMES_H
#define TRAMMEL_DEBUG_CONSOLE_NAMES_H

#include "debug/console/console.h"

/* Finds the address of a place: a number (0x..., *0x...), $pc, [MODULE:]FUNCTION with
 * +OFFSET or not, FILE:LINE. */
struct trm_error *names_find(struct console *console, const char *place,
			     uint64_t *ret_address);

/* Adds "FUNCTION+0x10 at FILE:LINE" for an address; as much of it as is known. */
void names_add(struct console *console, uint64_t address, struct text *text);

/* Finds the code of the source line at an address: [start, end). False: no line is known
 * there. */
bool names_line(struct console *console, uint64_t address, uint64_t *ret_start,
		uint64_t *ret_end);

/* Finds the function around an address: its first address and the one behind it. */
bool names_function(struct console *console, uint64_t address, uint64_t *ret_start,
		    uint64_t *ret_end);

/* Adds names of functions that begin with `begin`, a line each, at most `most`. */
void names_complete(struct console *console, const char *begin, size_t most,
		    struct text *text);

/* Forgets what is known of modules. */
void names_forget(struct console *console);

/* Returns the address space of the process that commands are about; NULL: none. */
struct space *names_space(const struct console *console);

#endif
