/*
 * A tool: its shared object, loaded beside the program for its instrumentation part, and
 * what it has added so far.
 */
#ifndef TRAMMEL_TOOL_TOOL_H
#define TRAMMEL_TOOL_TOOL_H

#include "base/error.h"
#include "tool/added.h"
#include "tool/labels.h"
#include "tool/module.h"
#include "tool/prototypes.h"

#include <trammel/tool.h>

#include <pthread.h>

/* A counter of a tool. */
struct trammel_counter {
	char *name;
	uint32_t number;
};

/* A buffer of each thread. */
struct trammel_buffer {
	uint32_t number;    /* of the tool */
	uint32_t prototype; /* of the routine that makes room */
};

enum { TOOL_COUNTERS_MAX = 64, TOOL_BUFFERS_MAX = 8 };

/* A call at the start or end of the program or its threads. */
struct tool_moment_call {
	uint8_t where; /* enum trammel_where */
	uint32_t prototype;
	size_t count;
	struct trammel_argument arguments[ADDED_ARGUMENTS_MAX]; /* static ones; texts are
								   owned */
};

/* A module that a tool was shown, and what it added to its functions. */
struct tool_shown {
	struct tool_module *module;
	char *path;
	struct added_function **functions; /* one for each of the module's; NULL: none */
};

struct tool {
	void *object; /* of dlopen(3) */
	const struct trammel_tool *table;
	char *path;
	const char *name;     /* of its records: the caller's; NULL: the table's */
	pthread_mutex_t lock; /* for all below */
	struct prototypes prototypes;
	uint32_t first_routine; /* word of the routine of the first prototype */
	struct trammel_counter counters[TOOL_COUNTERS_MAX];
	uint32_t counter_count, words;
	struct trammel_buffer buffers[TOOL_BUFFERS_MAX];
	uint32_t buffer_count;
	uint32_t first_buffer; /* its number in the run; set by the caller */
	struct VECTOR(struct tool_moment_call) moments;
	struct VECTOR(struct tool_shown *) shown;
	struct VECTOR(struct tool_module *) others; /* for labels: not owned */
	bool started;                               /* its start() has returned */
	bool regions;                               /* it wants the program's */
	char *argument_text;                        /* its words, which it may keep */
	char *failure;                              /* the first one; NULL: none */
	struct point_source source;
	struct point_data *data; /* for its routines; not owned */
	/* While label() runs: */
	struct labels *labels;
	struct label_module *label_module;
};

/* Whether a file has the table of a tool. */
bool tool_has_table(const char *path);

/* Loads a tool and has it start with `words` (separated by colons or commas; NULL: none).
 * Errors: it cannot be loaded, is none, is of another version, or does not start.
 * `first_routine`: word of its first routine. `data`: takes the bytes that routines
 * are given; NULL: they are given none. The caller closes it. */
struct trm_error *tool_open(const char *path, const char *words, uint32_t first_routine,
			    struct point_data *data, struct tool **ret_tool);
void tool_close(struct tool *tool);

/* What went wrong in the tool's own code, so far; NULL: nothing. */
struct trm_error *tool_failure(struct tool *tool);

/* Has a tool label a module, which it sees as `labels` has it. */
struct trm_error *tool_label(struct tool *tool, struct tool_module *module,
			     struct labels *labels);

/* Runs one of the tool's functions; what it asks for is the tool's. */
void tool_code_begins(struct tool *tool);
void tool_code_ends(struct tool *tool);

/* The tool that runs; NULL: none. */
struct tool *tool_current(void);

/* Notes that the tool that runs asks for something that cannot be; frees the error.
 * False.
 */
bool tool_refuse(struct trm_error *error);

#endif
