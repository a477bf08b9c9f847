/* Layout of the trees of calls in banks, for code that counts. */
#ifndef TRAMMEL_SESSION_CACHE_GRAPH_LAYOUT_H
#define TRAMMEL_SESSION_CACHE_GRAPH_LAYOUT_H
#include "wire/graph.h"
#include "wire/layout.h"

/* Layout of the tree that gates use: a struct plan_graph_layout. */
#define CALLGRAPH_LAYOUT                                                                 \
	{                                                                                \
		.top = WIRE_GRAPH_TOP, .frames = WIRE_GRAPH_FRAMES,                      \
		.nodes = WIRE_GRAPH_NODES, .left = WIRE_GRAPH_LEFT_AT,                   \
		.children = WIRE_GRAPH_CHILDREN_AT, .leaf = WIRE_GRAPH_LEAF,             \
		.depth = WIRE_GRAPH_DEPTH, .near = WIRE_GRAPH_NEAR                       \
	}

#endif
