#include "context/channels.h"

#include "context/channel_view.h"
#include "context/save.h"
#include "context/traces.h"
#include "record/trm_writer.h"
#include "wire/context_channel.h"

/* Values that tell contexts apart, and are no part of the tree. */
static void add_keys(const struct channel_view *view,
		     const struct context_known_thread *thread, uint32_t number,
		     struct channel_pairs *pairs)
{
	while (number) {
		const struct context_path *path = &thread->paths.items[number];

		if (!path->metric &&
		    view_properties(view, path->attribute) & RECORD_AS_VALUE)
			pairs_add(pairs, view->attributes[path->attribute], path->value);
		number = path->parent;
	}
}

static struct record_value mean_of(enum record_type type, uint64_t sum, uint64_t count)
{
	const struct record_value value = {.u = sum};
	double all = type == RECORD_DOUBLE ? value.d
		     : type == RECORD_INT  ? (double)value.i
					   : (double)value.u;

	return (struct record_value){.type = RECORD_DOUBLE,
				     .d = count ? all / (double)count : 0};
}

static void add_sums(struct channel_pairs *pairs, const struct channel_sums *sums,
		     enum record_type type, const uint64_t cells[3], uint64_t count)
{
	pairs_add_bits(pairs, sums->sum, context_sum_type(type), cells[0]);
	pairs_add_bits(pairs, sums->least, type, cells[1]);
	pairs_add_bits(pairs, sums->most, type, cells[2]);
	pairs_add(pairs, sums->mean, mean_of(type, cells[0], count));
	pairs_add(pairs, sums->count, record_uint(count));
}

/* Sum, least and most; of ticks, as nanoseconds. */
static void scale_cells(const struct channel_view *view, const uint64_t *cells,
			bool ticks, uint64_t ret_cells[3])
{
	for (int i = 0; i < 3; i++)
		ret_cells[i] = ticks ? view_ns(view, cells[i]) : cells[i];
}

static void add_metrics(const struct channel_view *view, const uint64_t *row,
			struct channel_pairs *pairs)
{
	for (uint32_t i = 0; i < view->metric_count; i++) {
		const struct context_channel_metric *metric = &view->channel->metrics[i];
		const uint64_t *cells = row + CONTEXT_SUMS_METRICS + 3 * (size_t)i;
		bool at_end = metric->flags & CONTEXT_METRIC_AT_END;
		uint64_t count = row[at_end ? CONTEXT_SUMS_ENDS : CONTEXT_SUMS_SNAPSHOTS];
		uint64_t ns[3];

		if (metric->flags & CONTEXT_METRIC_KEY || !count)
			continue;
		scale_cells(view, cells, metric->flags & CONTEXT_METRIC_TICKS, ns);
		add_sums(pairs, &view->metrics[i], view_metric_type(metric), ns, count);
	}
}

/* Whether a node tells contexts apart below a region: by a value, or by what happens. */
static bool is_below(const struct channel_view *view, const struct context_path *path)
{
	const uint32_t properties = view_properties(view, path->attribute);

	return path->attribute == view->channel->path_attribute ||
	       properties & RECORD_AS_VALUE ||
	       (properties & (RECORD_SKIP_EVENTS | RECORD_NESTED)) == RECORD_SKIP_EVENTS;
}

/* Whether it is a region, or a call path or what tells contexts apart below one. */
static bool is_of_region(const struct channel_view *view,
			 const struct context_known_thread *thread, uint32_t node)
{
	const struct context_path *path = &thread->paths.items[node];

	while (node && is_below(view, path)) {
		node = path->parent;
		path = &thread->paths.items[node];
	}
	return node && (view_properties(view, path->attribute) &
			(RECORD_NESTED | RECORD_HIDDEN)) == RECORD_NESTED;
}

static void save_row(struct channel_view *view, uint32_t number, uint32_t node,
		     const uint64_t *row)
{
	const struct context_known_thread *thread = view_thread(view, number);
	const struct context_path *path = &thread->paths.items[node];
	struct channel_pairs pairs;

	bool hidden = view_properties(view, path->attribute) & RECORD_HIDDEN;

	if (path->metric && hidden)
		return;
	view_begin(view, thread, &pairs);
	add_keys(view, thread, node, &pairs);
	if (path->metric) {
		const struct context_known_attribute *known =
			&view->process->attributes.items[path->attribute];
		struct channel_sums sums = view_make_sums(view, known->name, known->type);
		uint64_t cells[3];

		scale_cells(view, row + CONTEXT_SUMS_METRICS,
			    known->properties & CONTEXT_OF_TICKS, cells);
		add_sums(&pairs, &sums, known->type, cells, row[CONTEXT_SUMS_SNAPSHOTS]);
	} else {
		bool snapshots = view->channel->says & CONTEXT_SAYS_SNAPSHOTS;
		bool happens = view->channel->says & CONTEXT_SAYS_HAPPENS;

		pairs_add(&pairs, view->count,
			  record_uint(hidden ? 0
					     : row[snapshots ? CONTEXT_SUMS_SNAPSHOTS
							     : CONTEXT_SUMS_ENDS]));
		if (view->channel->says & CONTEXT_SAYS_SLOTS)
			pairs_add(&pairs, view->slot, record_uint(node));
		/* As the peer's: records in which nothing ended have none. */
		if (is_of_region(view, thread, node) &&
		    (row[CONTEXT_SUMS_ENDS] || !happens))
			pairs_add(&pairs, view->regions,
				  record_uint(row[CONTEXT_SUMS_ENDS]));
		add_metrics(view, row, &pairs);
	}
	trm_writer_record(view->saving->writer, view_nodes(view, number)[node],
			  pairs.items, pairs.count);
}

static void save_sums(struct channel_view *view)
{
	const struct context_channel *channel = view->channel;
	struct context_blocks blocks = context_blocks_of(view->process, CONTEXT_SUMS);
	size_t words = (CONTEXT_BLOCK - sizeof(struct context_block)) / sizeof(uint64_t);
	size_t width = channel->row_words;

	if (width < CONTEXT_SUMS_WORDS_MIN ||
	    width < CONTEXT_SUMS_METRICS + 3 * (size_t)view->metric_count)
		blocks.count = 0; /* the file is wrong */
	vector_for_each (&blocks, block) {
		const struct context_known_thread *thread =
			view_thread(view, (*block)->owner);
		const uint64_t *row = (const void *)(*block + 1);
		uint64_t node = (*block)->order;

		if (!view_has(channel, *block))
			continue;
		for (size_t i = 0; thread && i < words / width; i++, node++, row += width)
			if (node < thread->paths.count &&
			    (row[CONTEXT_SUMS_SNAPSHOTS] || row[CONTEXT_SUMS_ENDS]))
				save_row(view, (*block)->owner, (uint32_t)node, row);
	}
	vector_deinit(&blocks);
}

struct context_channels context_channels_of(const struct context_process *process)
{
	struct context_blocks blocks = context_blocks_of(process, CONTEXT_CHANNEL);
	struct context_channels channels = {0};

	vector_for_each (&blocks, block)
		vector_push(&channels, (const void *)*block);
	vector_deinit(&blocks);
	return channels;
}

void context_channel_save(const struct context_channel_saving *saving,
			  const struct context_process *process, uint32_t channel)
{
	struct context_channels channels = context_channels_of(process);
	struct channel_view view;

	vector_for_each (&channels, known) {
		if ((*known)->head.channel != channel)
			continue;
		view_init(&view, saving, process, *known);
		save_sums(&view);
		view_save_traces(&view);
		view_deinit(&view);
		break;
	}
	vector_deinit(&channels);
}

bool context_channel_has(const struct context_process *process, uint32_t channel)
{
	static const enum context_block_kind kinds[] = {CONTEXT_SUMS, CONTEXT_SNAPSHOTS};
	bool found = false;

	for (size_t i = 0; i < 2; i++) {
		struct context_blocks blocks = context_blocks_of(process, kinds[i]);

		vector_for_each (&blocks, block)
			found |= (*block)->channel == channel;
		vector_deinit(&blocks);
	}
	return found;
}
