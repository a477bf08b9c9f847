/* Probes of the command line, looked at before a program runs. */
#ifndef TRAMMEL_CLI_PROBES_H
#define TRAMMEL_CLI_PROBES_H

#include "base/error.h"
#include "base/text.h"

struct probe_program;

/* Finds what can be known to be wrong of probes before a program runs: variables that its
 * functions do not have, and functions that it lacks, where a probe names the program.
 * `path`: its name or path. On an error `ret_place` has the place in the text. */
struct trm_error *probes_check(struct probe_program *program, const char *path,
			       struct text *ret_place);

#endif
