/* Probes from their text. */
#ifndef TRAMMEL_PROBE_PARSE_H
#define TRAMMEL_PROBE_PARSE_H

#include "probe/program.h"

/* Adds the probes of `text` to a program (all-zero at first). On an error `ret_place` is
 * the offset in the text that it is about, and the program is of no use but to
 * deinit. */
struct trm_error *probe_program_add(struct probe_program *program, const char *text,
				    size_t *ret_place);

#endif
