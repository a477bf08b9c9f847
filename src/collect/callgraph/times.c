#include "collect/callgraph/times.h"

#include "base/cleanup.h"

/* Effect of the calls in a context on its time. */
struct calls_within {
	double cost;    /* ticks that their probes took in it, beside their own time */
	double untimed; /* ticks of the calls that were not timed */
	double count;   /* number of untimed calls */
};

static double at_least_0(double ticks)
{
	return ticks > 0 ? ticks : 0;
}

static double own_ticks(const struct image_context_sums *sums,
			const struct callgraph_cost *cost)
{
	return at_least_0((double)sums->ticks - (double)sums->timed * cost->inside);
}

/* Returns the ticks of a call of a context, from the timed calls in `sums`; if none of
 * them was timed, from the timed calls of the whole run. */
static double ticks_of_call(const struct image_context *context,
			    const struct image_context_sums *sums,
			    const struct callgraph_cost *cost)
{
	if (!sums->timed)
		sums = &context->all;
	return sums->timed ? own_ticks(sums, cost) / (double)sums->timed : 0;
}

static double untimed_calls(const struct image_context_sums *sums)
{
	return sums->calls > sums->timed ? (double)(sums->calls - sums->timed) : 0;
}

static struct calls_within *add_calls(const struct image_graph *graph,
				      const struct image_context_sums *sums,
				      const struct callgraph_cost *cost)
{
	struct calls_within *within =
		memory_allocate_zeroed(graph->contexts.count, sizeof(*within));

	for (size_t i = 1; i < graph->contexts.count; i++) {
		const struct image_context *context = &graph->contexts.items[i];
		struct calls_within *around = &within[context->parent];
		double untimed = untimed_calls(&sums[i]);

		around->cost += context->leaf ? (double)sums[i].calls * cost->leaf
					      : (double)sums[i].timed * cost->outside +
							untimed * cost->untimed;
		around->count += context->leaf ? 0 : untimed;
		around->untimed += ticks_of_call(context, &sums[i], cost) * untimed;
	}
	return within;
}

/* Returns the part of the estimated time of a context's untimed calls that can be
 * moved, after the cost of their probes was subtracted. Time in no function is not
 * known, and not reported. */
static double share_of_calls(const struct image_context *context,
			     const struct calls_within *within, double ticks)
{
	if (context->kind != IMAGE_CONTEXT_FUNCTION || within->untimed <= ticks)
		return 1;
	return ticks / within->untimed;
}

/*
 * Probes take time in the context of a call's caller, and in its own if it was timed. And
 * of short calls not all were timed: what the others took is in the time of a call around
 * them. The timed ones tell how much that is. Callers come first, as their own calls may
 * have been timed in part.
 */
void callgraph_correct(const struct image_graph *graph, struct image_context_sums *sums,
		       const struct callgraph_cost *cost)
{
	scoped_free struct calls_within *within = add_calls(graph, sums, cost);
	scoped_free double *shares =
		memory_allocate_zeroed(graph->contexts.count, sizeof(*shares));

	for (size_t i = 0; i < graph->contexts.count; i++) {
		const struct image_context *context = &graph->contexts.items[i];
		double ticks = own_ticks(&sums[i], cost);

		if (i)
			ticks += ticks_of_call(context, &sums[i], cost) *
				 untimed_calls(&sums[i]) * shares[context->parent];
		ticks = at_least_0(ticks - within[i].cost);
		shares[i] = share_of_calls(context, &within[i], ticks);
		sums[i].ticks =
			(uint64_t)at_least_0(ticks - within[i].untimed * shares[i]);
	}
}
