/*
 * What can be known of probes without any program: whether values exist at their points,
 * and which are text. Only for the parser.
 */
#ifndef TRAMMEL_PROBE_CHECK_H
#define TRAMMEL_PROBE_CHECK_H

#include "probe/parser.h"

/* Checks a probe that was just read, and gives its actions their cells. */
struct trm_error *probe_check(struct probe_parser *parser, struct probe *probe);

/* Checks that each variable that is read is set, too. */
struct trm_error *probe_check_variables(struct probe_parser *parser);

#endif
