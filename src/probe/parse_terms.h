/* Terms of probes from their text. Only for the parser. */
#ifndef TRAMMEL_PROBE_PARSE_TERMS_H
#define TRAMMEL_PROBE_PARSE_TERMS_H

#include "probe/parser.h"

/* Reads a term. `ret_term` is its index in program.terms. */
struct trm_error *probe_parse_term(struct probe_parser *parser, uint32_t *ret_term);

#endif
