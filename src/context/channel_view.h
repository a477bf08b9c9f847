/* A channel of a process while it is written to a profile: shared by records of sums
 * and of traces. */
#ifndef TRAMMEL_CONTEXT_CHANNEL_VIEW_H
#define TRAMMEL_CONTEXT_CHANNEL_VIEW_H
#include "context/channels.h"
#include "context/shared.h"
#include "wire/context_channel.h"

enum { PAIRS_MAX = 5 * CONTEXT_METRICS_MAX + 32 };

/* Properties of attributes, as Caliper has them: of values in snapshots, of sums, and of
 * metadata of the run, which are global. */
enum {
	VIEW_VALUE = RECORD_AS_VALUE | RECORD_SCOPE_THREAD | RECORD_SKIP_EVENTS,
	VIEW_SUM = VIEW_VALUE | RECORD_AGGREGATABLE,
	VIEW_RUN = RECORD_GLOBAL | RECORD_SCOPE_PROCESS | RECORD_SKIP_EVENTS |
		   RECORD_UNALIGNED,
};

/* Attributes of the profile that a metric becomes. */
struct channel_sums {
	record_attribute sum, least, most, mean, count;
};

struct rooted_node {
	record_node node;
	uint32_t change; /* in channel_view.run_changes; 0: none */
};

struct channel_view {
	const struct context_channel_saving *saving;
	const struct context_process *process;
	const struct context_channel *channel;
	uint32_t metric_count;
	size_t traced; /* of them, in each snapshot of a trace */
	struct channel_sums metrics[CONTEXT_METRICS_MAX];
	record_attribute values[CONTEXT_METRICS_MAX]; /* of traces */
	uint32_t strings[CONTEXT_METRICS_MAX]; /* the process's number; 0: no strings */
	record_attribute image, thread, count, regions, offset, duration, is_main, slot,
		pthread;
	bool tells_threads;           /* there are several, or it is for a profile */
	struct record_pair rank;      /* of all records; attribute 0: no rank */
	record_attribute *attributes; /* by the process's number */
	record_node **nodes;          /* by thread; NULL: not needed yet */
	/* Metadata of the run in a trace, up to the current event: nodes above all
	 * others. */
	struct VECTOR(struct record_pair) run;
	record_node run_node;        /* the innermost of them */
	uint32_t run_changes;        /* how often it was another one */
	struct rooted_node **rooted; /* by thread: the nodes below each; NULL: none yet */
	record_attribute *events;    /* by kind and number, + 1: event.begin#NAME; 0 */
	struct shared_values shared; /* as far as the traces are read */
};

struct channel_pairs {
	struct record_pair items[PAIRS_MAX];
	size_t count;
};

void view_init(struct channel_view *view, const struct context_channel_saving *saving,
	       const struct context_process *process,
	       const struct context_channel *channel);
void view_deinit(struct channel_view *view);

/* Returns the attribute PREFIXNAME of the records. */
record_attribute view_make(const struct channel_view *view, const char *prefix,
			   const char *name, enum record_type type, uint32_t properties);
/* An attribute of nanoseconds, which says so. */
record_attribute view_make_ns(const struct channel_view *view, const char *name,
			      uint32_t properties);
struct channel_sums view_make_sums(const struct channel_view *view, const char *name,
				   enum record_type type);
/* Returns the nodes of a thread's contexts in the profile, by number; a context left
 * out of the profile's tree has the node of its parent. */
const record_node *view_nodes(struct channel_view *view, uint32_t number);
/* Returns the node of one context of a thread, below the metadata of the run. */
record_node view_node(struct channel_view *view, uint32_t thread, uint32_t number);
/* Sets the run's value of an attribute from here on; NULL: removes it. */
void view_say_run(struct channel_view *view, record_attribute attribute,
		  const struct record_value *value);
/* Tells whether a block has rows or snapshots of the channel that were not cleared. */
bool view_has(const struct context_channel *channel, const struct context_block *block);
/* Begins a record with the pairs that identify its process and thread. */
void view_begin(const struct channel_view *view,
		const struct context_known_thread *thread, struct channel_pairs *pairs);

/* NULL: the file is wrong. */
static inline const struct context_known_thread *
view_thread(const struct channel_view *view, uint32_t number)
{
	return number < view->process->threads.count
		       ? &view->process->threads.items[number]
		       : NULL;
}

static inline uint32_t view_properties(const struct channel_view *view,
				       uint32_t attribute)
{
	return view->process->attributes.items[attribute].properties;
}

static inline uint64_t view_ns(const struct channel_view *view, uint64_t ticks)
{
	return context_scale(ticks, view->saving->ns_per_tick);
}

/* Adds a pair; drops it if there is no room. */
static inline void pairs_add(struct channel_pairs *pairs, record_attribute attribute,
			     struct record_value value)
{
	if (pairs->count < PAIRS_MAX)
		pairs->items[pairs->count++] = (struct record_pair){attribute, value};
}

static inline void pairs_add_bits(struct channel_pairs *pairs, record_attribute attribute,
				  enum record_type type, uint64_t bits)
{
	pairs_add(pairs, attribute, (struct record_value){.type = type, .u = bits});
}

static inline enum record_type
view_metric_type(const struct context_channel_metric *metric)
{
	return metric->type < RECORD_TYPE_COUNT ? (enum record_type)metric->type
						: RECORD_UINT;
}

#endif
