/*
 * Modules as tools see them: a file with all its functions, whose code is read when it is
 * asked for. Works on files alone, without a process. Not thread-safe.
 */
#ifndef TRAMMEL_TOOL_MODULE_H
#define TRAMMEL_TOOL_MODULE_H

#include "base/error.h"
#include "base/table.h"
#include "base/vector.h"
#include "code/relocate/cfg.h"
#include "image/image.h"
#include "image/lines.h"

#include <trammel/tool_code.h>

struct tool_code;
struct tool_decoded;

/* A function; tools see its first member. */
struct tool_function {
	struct trammel_function seen;
	struct tool_code *code; /* NULL: not read yet, or not understood */
	uint8_t trouble;        /* enum cfg_trouble: why it was not */
};

/* A module; tools see its first member. */
struct tool_module {
	struct trammel_module seen;
	char build_id[2 * 32 + 1];
	struct image *image;
	struct scan scan;
	struct tool_function *functions;            /* one for each of image->functions */
	struct VECTOR(struct tool_function *) read; /* those with code */
	struct VECTOR(char *) texts;                /* names that were made */
	const struct image_rows *rows; /* NULL: there are none, or they were not needed */
	bool rows_tried;
	struct cfg cfg;               /* scratch */
	struct tool_decoded *decoded; /* instructions met before: function_code.c */
};

/* Opens the file at `path`, and looks through its code; errors of image_open. The caller
 * closes the module. */
struct trm_error *tool_module_open(const char *path, struct tool_module **ret_module);
void tool_module_close(struct tool_module *module);

/* The module that tools see as `seen`. */
static inline struct tool_module *tool_module_of(const struct trammel_module *seen)
{
	return (struct tool_module *)(uintptr_t)seen;
}

/* Functions of a module: see struct trammel_api. */
const struct trammel_function *tool_module_function(const struct trammel_module *module,
						    uint32_t number);
const struct trammel_function *tool_module_find(const struct trammel_module *module,
						const char *name);
const struct trammel_function *tool_module_at(const struct trammel_module *module,
					      uint64_t address);
const uint8_t *tool_module_bytes(const struct trammel_module *module, uint64_t address,
				 size_t size);

/* Finds the line of an address: see struct trammel_api. */
bool tool_module_place(const struct trammel_module *module, uint64_t address,
		       struct trammel_place *ret_place);

/* The demangled form of a linked name; it belongs to the module. */
const char *tool_module_demangle(struct tool_module *module, const char *name);

#endif
