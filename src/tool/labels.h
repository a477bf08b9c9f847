/*
 * Labels: points of modules with a kind, an id and static arguments, in a file between
 * `trammel label`, which marks them, and `trammel run --labels`, which has routines
 * called there. The file is text, a line each (man/trammel-label.1.md has all of it):
 *
 *     trammel labels 1
 *     kind alloc "arg0,ret"
 *     module "/usr/bin/prog" 8a7f01...
 *     function 0x1139 "main"
 *     entry 1 entry
 *     cbr 2 before 0x1160
 *     load 3 before 0x1167 operand 0
 *     store 4 after 0x116a operand 0
 *     mbr 5 before 0x1190 targets 0x11a0 0x11b0
 *     alloc 6 edge 0x1139 0x1160 args 17 "text"
 *     next 7
 */
#ifndef TRAMMEL_TOOL_LABELS_H
#define TRAMMEL_TOOL_LABELS_H

#include "base/error.h"
#include "base/text.h"
#include "base/vector.h"
#include "tool/kinds.h"

/* Version in the first line: goes up with every change that older readers cannot take. */
enum { LABELS_VERSION = 1 };

enum label_where {
	LABEL_BEFORE, /* an instruction */
	LABEL_AFTER,
	LABEL_EDGE,  /* from the block at `address` to that at `to` */
	LABEL_ENTRY, /* of the function */
	LABEL_START, /* of the program, or of a thread, and their ends: of no module */
	LABEL_END,
	LABEL_THREAD,
	LABEL_THREAD_END,
	LABEL_PLACES
};

struct label_argument {
	char *text; /* NULL: a number */
	int64_t number;
};

struct label {
	uint32_t kind; /* in labels.kinds */
	uint8_t where; /* enum label_where */
	uint8_t operand;
	bool has_operand;
	uint64_t id;
	uint64_t address, to; /* link-time; of an edge `to` 0: out of the function */
	struct VECTOR(uint64_t) targets; /* of a switch, in the order of indices */
	struct VECTOR(struct label_argument) arguments;
};

struct label_function {
	uint64_t address;
	char *name;
	struct VECTOR(struct label) items; /* in the order of calls at one place */
};

struct label_module {
	char *path;
	char *build_id;                                 /* hex digits; "": it has none */
	struct VECTOR(struct label_function) functions; /* by address */
};

struct labels {
	struct tool_kinds kinds;
	struct VECTOR(struct label) moments; /* of no module: LABEL_START and later */
	struct VECTOR(struct label_module) modules;
	uint64_t next; /* above all ids */
};

/* No labels, with the built-in kinds. */
void labels_init(struct labels *labels);
void labels_deinit(struct labels *labels);

/* Adds the text of the file. */
void labels_write(const struct labels *labels, struct text *out);

/* Adds a module without functions; one with the same path goes. */
struct label_module *labels_add_module(struct labels *labels, const char *path,
				       const char *build_id);

/* Puts the functions of a module in their order. */
void label_module_sort(struct label_module *module);

/* The function at an address; NULL: it has no labels. */
const struct label_function *labels_function_at(const struct label_module *module,
						uint64_t address);

/* Frees what a label, a function holds. */
void label_deinit(struct label *label);
void label_function_deinit(struct label_function *function);

/* The word for a place in files: "before"; LABEL_PLACES of them. */
extern const char *const label_places[];

#endif
