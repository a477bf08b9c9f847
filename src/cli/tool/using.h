/*
 * Tools and labels of a run: opened here, and put among the options of the session.
 */
#ifndef TRAMMEL_CLI_TOOL_USING_H
#define TRAMMEL_CLI_TOOL_USING_H

#include "base/error.h"
#include "session/options/options.h"
#include "tool/label_source.h"
#include "tool/tool.h"

struct tool_using {
	struct VECTOR(char *) label_files;
	char *analysis; /* NULL: none was given */
	struct VECTOR(struct tool *) tools;
	struct label_source labels;
	struct point_data *data; /* of tools; NULL: none */
	uint32_t buffers;        /* of all tools */
	uint32_t direct;         /* routines that are called directly */
	bool labelled;           /* `labels` is in use */
	bool points;             /* something has points */
	bool regions;            /* a tool wants the program's regions */
};

/* Opens the tools of the options, and the labels; adds what they want to the options.
 * Prints which labels have no routine. */
struct trm_error *tool_using_begin(struct tool_using *given,
				   struct session_options *options);
void tool_using_end(struct tool_using *given);

#endif
