/*
 * Which function calls which, for Graphviz and for programs.
 */
#ifndef TRAMMEL_REPORT_CALLGRAPH_H
#define TRAMMEL_REPORT_CALLGRAPH_H

#include "base/text.h"
#include "report/profile.h"

/* Adds the graph of what is selected of a profile: the `limit` heaviest edges. An edge is
 * all calls of one function by another. */
void callgraph_dot(const struct report_profile *profile, size_t limit, struct text *out);

/* The same as one JSON object: see man/trammel-graph.1.md. */
void callgraph_json(const struct report_profile *profile, size_t limit, struct text *out);

#endif
