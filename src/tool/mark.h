/*
 * Labelling: marks points of a module by kinds that are asked for, and gives them ids.
 */
#ifndef TRAMMEL_TOOL_MARK_H
#define TRAMMEL_TOOL_MARK_H

#include "tool/labels.h"
#include "tool/module.h"

/* What is marked. */
struct mark_wishes {
	bool branches, switches, blocks, loads, stores, jumps /* setjmp and longjmp */,
		cycles, startup;
	bool entries, exits; /* with ids of their own */
	bool procedures;     /* entries; and exits, with their entry's id if `exits` is
				not set */
	const char *only;    /* a shell pattern for names of functions; NULL: all */
};

struct mark_sums {
	uint32_t functions;      /* that were looked at */
	uint32_t not_understood; /* of these: without labels */
	uint64_t points;
};

/* Labels a module, in place of what labels there are of the same path. */
void mark_module(struct labels *labels, struct tool_module *module,
		 const struct mark_wishes *wishes, struct mark_sums *ret_sums);

/* A label of an instruction without its id, at its usual place. */
struct label mark_label(enum trammel_kind kind,
			const struct trammel_instruction *instruction);

#endif
