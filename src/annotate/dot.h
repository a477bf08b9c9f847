/* Writing control flow, for Graphviz and as JSON. */
#ifndef TRAMMEL_ANNOTATE_DOT_H
#define TRAMMEL_ANNOTATE_DOT_H

#include "annotate/graph.h"

/* Adds the graph in the language of Graphviz, or as one JSON object: see
 * man/trammel-graph.1.md. */
void graph_dot(const struct graph *graph, struct text *out);
void graph_json(const struct graph *graph, struct text *out);

#endif
