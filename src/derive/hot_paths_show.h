/*
 * Paths as a table, and their code.
 */
#ifndef TRAMMEL_DERIVE_HOT_PATHS_SHOW_H
#define TRAMMEL_DERIVE_HOT_PATHS_SHOW_H

#include "derive/hot_paths.h"
#include "x86/disassemble.h"

struct hot_paths_options {
	struct walk_options table;
	bool disassemble;               /* each path's instructions, too */
	enum disassemble_syntax syntax; /* of them */
};

/* Adds them as a table. */
void hot_paths_text(const struct hot_paths *paths,
		    const struct hot_paths_options *options, struct text *out);

#endif
