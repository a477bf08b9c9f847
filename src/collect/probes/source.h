/* One-line probes of a run: a source of points for all modules. */
#ifndef TRAMMEL_COLLECT_PROBES_SOURCE_H
#define TRAMMEL_COLLECT_PROBES_SOURCE_H

#include "base/text.h"
#include "session/options/options.h"
#include "wire/spans.h"

struct probe_program;

/* Of the words for routines in wire_control the last: tools have those from the first
 * on. */
enum { PROBES_ROUTINE = WIRE_ROUTINE_OWN };

/* Makes the probes of a program those of a run: adds a source of points to its options.
 * The program, and the options, must outlive the run. */
void probes_source_begin(struct session_options *options, struct probe_program *program);

/* Frees what that has made. */
void probes_source_end(struct session_options *options);

/* Returns the probes of a run; NULL: it has none. */
struct probe_program *probes_source_program(const struct session_options *options);

/* Returns the index of the source among those of the options. */
uint32_t probes_source_index(const struct session_options *options);

/* Adds a line for each probe that could not be placed in some function, and why. */
void probes_source_troubles(const struct session_options *options, struct text *ret_text);

/* The displacement of struct wire_probes in the banks of a run. */
uint32_t probes_source_area(const struct session_options *options);

#endif
