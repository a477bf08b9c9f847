/*
 * Python at the prompt: a python3 of the prompt's own, a child that keeps its names from
 * one command to the next. It is no part of the tracer, so that nothing which a script
 * does can harm the measurement, and any version is good.
 */
#ifndef TRAMMEL_CLI_DEBUG_PYTHON_H
#define TRAMMEL_CLI_DEBUG_PYTHON_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <sys/types.h>

struct python {
	pid_t pid; /* 0: not started yet */
	int fd;
	struct text input;
};

/* Returns what stands behind the word "python" or "py" of a line; NULL: it is another
 * command. */
const char *python_code(const char *line);

/* Does a command of the debugger's: writes its answer to the end of `answer`. False:
 * there is nothing left to debug. */
typedef bool python_execute(void *context, const char *command, struct text *answer);

/* Runs code: a statement, or, `whole`, lines. */
struct trm_error *python_run(struct python *python, const char *code, bool whole,
			     python_execute *execute, void *context);

void python_deinit(struct python *python);

#endif
