#include "collect/collect.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "code/plan/request.h"

#include <string.h>

const struct collector *const collectors[] = {
	&collector_functions,
	&collector_coverage,
	&collector_blocks,
	&collector_block_coverage,
	&collector_edges,
	&collector_calls,
	&collector_callgraph,
	&collector_returns,
	&collector_memory,
	&collector_probes,
	&collector_paths,
	&collector_tools,
	&collector_pbo,
	&collector_regions,
	&collector_trace,
	&collector_mpi,
	&collector_openmp,
	&collector_samples,
	&collector_samples_callpath,
	&collector_stacks,
	&collector_values,
	&collector_values_exact,
	&collector_waits,
	NULL,
};

struct trm_error *collector_find(const char *name, const struct collector **ret_collector)
{
	const struct collector *nearest = collectors[0];

	for (const struct collector *const *c = collectors; *c; c++) {
		if (!strcmp((*c)->name, name)) {
			*ret_collector = *c;
			return NULL;
		}
		if (text_distance((*c)->name, name) < text_distance(nearest->name, name))
			nearest = *c;
	}
	if (!text_is_near(name, nearest->name))
		return trm_error_create(
			TRM_ERROR_USAGE,
			"'%s' is not a measurement: 'trammel help run' lists all", name);
	return trm_error_create(
		TRM_ERROR_USAGE,
		"'%s' is not a measurement: did you mean '%s'? See 'trammel "
		"help run'.",
		name, nearest->name);
}

/* Adds an operation table, if the collector does not have it yet. */
static void add_ops(struct collector *collector, const struct collector_ops *ops)
{
	size_t count = 0;

	for (; collector->ops[count]; count++)
		if (collector->ops[count] == ops)
			return;
	if (count < COLLECTOR_OPS_MAX)
		collector->ops[count] = ops;
}

/* Counts tell what flags would tell, too. */
static void add_collector(struct collector *all, const struct collector *one)
{
	all->regions |= one->regions;
	all->trace |= one->trace;
	all->mpi |= one->mpi;
	all->openmp |= one->openmp;
	all->samples |= one->samples;
	all->stacks |= one->stacks;
	all->waits |= one->waits;
	all->callpath |= one->callpath;
	all->values |= one->values;
	if (!one->slot_size)
		return;
	all->covers = one->covers && (all->covers || !all->slot_size);
	if (one->probe == PLAN_PROBE_COUNT || !all->slot_size) {
		all->probe = one->probe;
		all->slot_size = one->slot_size;
	}
	if (one->depth > all->depth)
		all->depth = one->depth;
	all->calls |= one->calls;
	all->graph |= one->graph;
	all->exits |= one->exits;
	all->paths |= one->paths;
	all->pbo |= one->pbo;
	if (one->points)
		all->points = one->points;
	for (size_t i = 0; one->ops[i]; i++)
		add_ops(all, one->ops[i]);
}

void collector_add_spans(struct collector *collector)
{
	const bool gates = collector->calls || collector->graph || !collector->slot_size;
	const enum plan_depth least = gates ? PLAN_CALLS : PLAN_BLOCKS;

	collector->spans = true;
	collector->spans_alone = !collector->slot_size;
	collector->probe = PLAN_PROBE_COUNT;
	if (collector->depth < least)
		collector->depth = least;
	collector->slot_size = 8;
	add_ops(collector, &collector_spans_ops);
}

void collector_add_values(struct collector *collector)
{
	collector->values_alone = true;
	collector->probe = PLAN_PROBE_COUNT;
	collector->depth = PLAN_ENTRIES;
	collector->slot_size = 8;
}

void collector_add_routines(struct collector *collector)
{
	collector->routines = true;
	/* They run on the same stack as what is told of spans. */
	add_ops(collector, &collector_spans_ops);
}

struct trm_error *collector_combine(const char *list, struct collector *ret_collector)
{
	scoped_free char *copy = memory_copy_string(list);
	char *rest = copy, *name;
	struct collector all = {.name = list};

	while ((name = strsep(&rest, ","))) {
		const struct collector *one;

		TRM_TRY(collector_find(name, &one));
		add_collector(&all, one);
		all.summary = one->summary;
	}
	/* Counters on edges run less often than those in blocks. */
	if (all.depth == PLAN_BLOCKS && all.probe == PLAN_PROBE_COUNT)
		all.depth = PLAN_EDGES;
	/* Their memory in banks is the same. */
	if (all.paths && collector_has_gates(&all))
		return trm_error_create(TRM_ERROR_USAGE,
					"paths cannot be counted together with calls by "
					"their sites or contexts: measure them one after "
					"the other");
	*ret_collector = all;
	return NULL;
}
