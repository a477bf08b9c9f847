/* The call graph between functions, for Graphviz and as JSON. */
#ifndef TRAMMEL_REPORT_CALLGRAPH_H
#define TRAMMEL_REPORT_CALLGRAPH_H

#include "base/text.h"
#include "report/profile.h"

/* Adds the call graph of the selected part of a profile in Graphviz's language, with
 * its `limit` heaviest edges. An edge stands for all calls of one function by another. */
void callgraph_dot(const struct report_profile *profile, size_t limit, struct text *out);

/* Adds the same graph as one JSON object: see man/trammel-graph.1.md. */
void callgraph_json(const struct report_profile *profile, size_t limit, struct text *out);

#endif
