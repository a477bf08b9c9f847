#include "derive/path_graph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct report_path_graph *path_graph_find(const struct report_profile *profile,
						uint32_t function, uint64_t part)
{
	vector_for_each (&profile->path_graphs, graph)
		if (graph->function == function && graph->part == part)
			return graph;
	return NULL;
}

/* A block in hexadecimal digits; none at all: PATH_GRAPH_NONE. */
static const char *take_block(const char *text, uint64_t *ret_block)
{
	char *end = NULL;

	*ret_block = PATH_GRAPH_NONE;
	if (strchr(">^/!= ", *text))
		return text;
	*ret_block = strtoull(text, &end, 16);
	return end;
}

/* The next step, or NULL: it is none. */
static const char *take_step(const char *text, struct path_graph_step *ret_step)
{
	char *end;

	text = take_block(text, &ret_step->from);
	if (!*text || !strchr(">^/!", *text))
		return NULL;
	ret_step->sign = *text;
	text = take_block(text + 1, &ret_step->to);
	if (*text != '=')
		return NULL;
	ret_step->value = strtoull(text + 1, &end, 10);
	ret_step->increment = *end == '+' || *end == '-' ? strtoll(end, &end, 10) : 0;
	if (*end && *end != ' ')
		return NULL;
	return *end ? end + 1 : end;
}

bool path_graph_init(struct path_graph *graph, const struct report_path_graph *row)
{
	const char *text = row->steps;

	*graph = (struct path_graph){.row = row};
	while (*text) {
		struct path_graph_step step;

		text = take_step(text, &step);
		if (!text) {
			graph->steps.count = 0;
			return false;
		}
		vector_push(&graph->steps, step);
	}
	return graph->steps.count;
}

void path_graph_deinit(struct path_graph *graph)
{
	vector_deinit(&graph->steps);
}

/* The step from a block with the greatest value up to `rest`. */
static const struct path_graph_step *find_step(const struct path_graph *graph,
					       uint64_t from, uint64_t rest)
{
	const struct path_graph_step *found = NULL;

	vector_for_each (&graph->steps, step)
		if (step->from == from && step->value <= rest &&
		    (!found || step->value >= found->value))
			found = step;
	return found;
}

static const char *end_of(const struct path_graph_step *step)
{
	switch (step->sign) {
	case '^':
		return "back";
	case '/':
		return "split";
	case '!':
		return "stop";
	default:
		return "leave";
	}
}

const char *path_graph_walk(const struct path_graph *graph, uint64_t number,
			    struct text *ret_blocks)
{
	uint64_t block = PATH_GRAPH_NONE;

	if (number >= graph->row->of)
		return NULL;
	/* Not more steps than there are: the file may be wrong. */
	for (size_t i = 0; i <= graph->steps.count; i++) {
		const struct path_graph_step *step = find_step(graph, block, number);

		if (!step)
			return NULL;
		number -= step->value;
		if (step->sign != '>' || step->to == PATH_GRAPH_NONE)
			return number ? NULL : end_of(step);
		block = step->to;
		text_format(ret_blocks, "%s%" PRIx64, ret_blocks->length ? " " : "",
			    block);
	}
	return NULL;
}

uint64_t path_graph_next(const struct path_graph *graph, uint64_t block)
{
	uint64_t next = PATH_GRAPH_NONE;

	vector_for_each (&graph->steps, step)
		if (step->from != PATH_GRAPH_NONE && step->from > block &&
		    step->from < next)
			next = step->from;
	return next;
}
