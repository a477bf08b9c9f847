/* The prompt of `trammel debug`: lines go to the tracer, its answers to standard output.
 */
#ifndef TRAMMEL_CLI_DEBUG_PROMPT_H
#define TRAMMEL_CLI_DEBUG_PROMPT_H

#include "base/error.h"
#include "base/vector.h"

#include <stdbool.h>

/* Where lines come from: these first, and then a terminal, if there is one. */
struct prompt_lines {
	struct VECTOR(char *) lines;
	size_t next;
	bool terminal; /* standard input is one, and is asked when they are used up */
};

/* Adds the lines of a file ("-": standard input), or one line. */
struct trm_error *prompt_add_file(struct prompt_lines *lines, const char *path);
void prompt_add_line(struct prompt_lines *lines, const char *line);
void prompt_deinit(struct prompt_lines *lines);

/* Serves the prompt at the other end of `fd` until there is nothing left to debug, or no
 * line is left: then the program runs on alone. `token`: sent first; NULL: none is.
 * `far`: Ctrl-C stops the program; else the terminal sends it SIGINT itself. */
struct trm_error *prompt_run(int fd, struct prompt_lines *lines, const char *token,
			     bool far);

#endif
