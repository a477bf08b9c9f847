/* Source names of code addresses in a process: functions, lines, modules. */
#ifndef TRAMMEL_SYMBOLS_SYMBOLS_H
#define TRAMMEL_SYMBOLS_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

enum { SYMBOLS_INLINES = 16 };

struct symbols;

struct symbols_place {
	/* Demangled names of functions, the outermost first, followed by the functions
	 * inlined there. A function without a name is called MODULE+0xADDRESS. */
	const char *functions[SYMBOLS_INLINES];
	size_t function_count; /* at least 1 */
	const char *place;     /* FILE:LINE; NULL: it is not known or not wanted */
	const char *file;      /* the parts of `place`; NULL and 0 without it */
	uint32_t line;
	const char *module; /* path of the file; "": not known */
};

/* Creates an empty set of modules. `lookups`: bits of enum context_look_up. */
struct symbols *symbols_create(uint32_t lookups);
/* Adds a module between two addresses; `bias`: its load address minus that in the
 * file. */
void symbols_add(struct symbols *symbols, uint64_t start, uint64_t end, uint64_t bias,
		 const char *path);
void symbols_destroy(struct symbols *symbols);

/* Valid until symbols_destroy. */
const struct symbols_place *symbols_find(struct symbols *symbols, uint64_t address);

#endif
