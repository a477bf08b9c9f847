/* Lines of the source by run-time addresses, from modules' debug information. */
#ifndef TRAMMEL_COLLECT_PROBES_SOURCE_LINES_H
#define TRAMMEL_COLLECT_PROBES_SOURCE_LINES_H

#include "base/text.h"
#include "base/vector.h"
#include "session/state/module.h"

/* Modules whose lines were read: each once. */
struct source_lines {
	struct VECTOR(struct source_lines_module *) modules;
};

/* Adds "file.c:42" for an address in a module, or "module+0x1234" if its line is not
 * known. */
void source_lines_add(struct source_lines *lines, const struct module *module,
		      uint64_t address, struct text *text);

#endif
