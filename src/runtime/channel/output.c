/*
 * What a channel has, as records: an own room for what the program's attributes and nodes
 * are in the profile. One channel is written at a time (channels.writing).
 */
#include "runtime/channel/internal.h"
#include "runtime/channel/paths.h"
#include "runtime/service/trace.h"

#include <stdio.h>
#include <string.h>

enum { ATTRIBUTES_MAX = (1 << 16) + 1 };

/* Attributes in the profile that a metric becomes. */
struct sums {
	uint32_t sum, least, most, count;
};

static struct {
	const struct publish_sink *sink;
	const struct channel *channel;
	double ns_per_tick;
	uint64_t until;       /* ticks: threads that run may trace on meanwhile */
	uint32_t *attributes; /* by the process's number: the profile's + 1 */
	struct sums metrics[CHANNEL_METRICS_MAX];
	uint32_t thread, count, regions, image;
} output;

struct pairs {
	struct publish_pair items[2 * CHANNEL_METRICS_MAX + 3 * CHANNEL_METRICS_MAX + 16];
	size_t count;
};

static uint32_t attribute_of(const char *prefix, const char *name, uint32_t type,
			     uint32_t properties)
{
	char text[512];

	snprintf(text, sizeof(text), "%s%s", prefix, name);
	return output.sink->attribute(output.sink->context, text, type, properties);
}

static struct sums sums_of(const char *name, uint32_t type)
{
	return (struct sums){
		attribute_of("sum#", name, type, TRM_AS_VALUE | TRM_AGGREGATABLE),
		attribute_of("min#", name, type, TRM_AS_VALUE),
		attribute_of("max#", name, type, TRM_AS_VALUE),
		attribute_of("count#", name, TRM_TYPE_UINT,
			     TRM_AS_VALUE | TRM_AGGREGATABLE),
	};
}

static const char *name_of(uint32_t attribute)
{
	const struct context_attribute *known = attributes_get(attribute);

	return known ? strings_at(known->name)->bytes : "";
}

/* The profile's attribute for one of the process. */
static uint32_t known_attribute(uint32_t number)
{
	const struct context_attribute *known = attributes_get(number);

	if (!known)
		return 0;
	if (!output.attributes || !output.attributes[number]) {
		uint32_t id = attribute_of("", name_of(number), known->type,
					   known->properties & ~(uint32_t)TRM_GLOBAL);

		if (!output.attributes)
			return id;
		output.attributes[number] = id + 1;
	}
	return output.attributes[number] - 1;
}

static struct publish_value value_of(uint32_t type, uint64_t bits)
{
	struct publish_value value = {.type = type, .u = bits};

	if (type == TRM_TYPE_STRING || type == TRM_TYPE_BLOB) {
		const struct context_string *string = strings_at(bits);

		value.size = string->size;
		value.bytes = string->bytes;
	}
	return value;
}

static void add_pair(struct pairs *pairs, uint32_t attribute, uint32_t type,
		     uint64_t bits)
{
	if (pairs->count < sizeof(pairs->items) / sizeof(pairs->items[0]))
		pairs->items[pairs->count++] =
			(struct publish_pair){attribute, value_of(type, bits)};
}

static void add_known(struct pairs *pairs, uint32_t number, uint64_t bits)
{
	const struct context_attribute *known = attributes_get(number);

	if (known)
		add_pair(pairs, known_attribute(number), known->type, bits);
}

static uint64_t ns_of(uint64_t ticks)
{
	return (uint64_t)((double)ticks * output.ns_per_tick + 0.5);
}

/* Nodes of a thread in the profile; what is no part of the tree there is left out. */
struct nodes {
	struct context_node **items;
	uint32_t *ids; /* + 1 */
	uint32_t count;
};

static bool is_part(const struct context_node *node)
{
	const struct context_attribute *known = attributes_get(node->attribute);

	return !(node->flags & CONTEXT_METRIC) && known &&
	       !(known->properties & (TRM_AS_VALUE | TRM_HIDDEN));
}

static bool is_nested(const struct context_node *node)
{
	const struct context_attribute *known = attributes_get(node->attribute);

	return known && known->properties & TRM_NESTED;
}

static uint32_t id_of(struct nodes *nodes, const struct context_node *node)
{
	if (!node->parent || node->number >= nodes->count)
		return 0;
	if (!nodes->ids[node->number]) {
		uint32_t id = id_of(nodes, node->parent);

		if (is_part(node))
			id = output.sink->node(
				output.sink->context, id,
				known_attribute(node->attribute),
				value_of(attributes_get(node->attribute)->type,
					 node->value));
		nodes->ids[node->number] = id + 1;
	}
	return nodes->ids[node->number] - 1;
}

static bool nodes_init(struct nodes *nodes, const struct context_thread *thread)
{
	nodes->count = __atomic_load_n(&thread->node_count, __ATOMIC_ACQUIRE);
	nodes->items = tree_nodes(thread, nodes->count);
	nodes->ids = runtime_map((nodes->count + 1) * sizeof(*nodes->ids));
	return nodes->items && nodes->ids;
}

static void nodes_deinit(struct nodes *nodes)
{
	runtime_unmap(nodes->items, (nodes->count + 1) * sizeof(struct context_node *));
	runtime_unmap(nodes->ids, (nodes->count + 1) * sizeof(*nodes->ids));
}

/* Values that tell contexts apart, and are no part of the tree. */
static void add_keys(struct pairs *pairs, const struct context_node *node)
{
	for (; node->parent; node = node->parent) {
		const struct context_attribute *known = attributes_get(node->attribute);

		if (known && known->properties & TRM_AS_VALUE &&
		    !(node->flags & CONTEXT_METRIC))
			add_known(pairs, node->attribute, node->value);
	}
}

static void add_sums(struct pairs *pairs, const struct sums *sums, uint32_t type,
		     const uint64_t *cells, uint64_t count)
{
	add_pair(pairs, sums->sum, type, cells[0]);
	add_pair(pairs, sums->least, type, cells[1]);
	add_pair(pairs, sums->most, type, cells[2]);
	add_pair(pairs, sums->count, TRM_TYPE_UINT, count);
}

static void add_metrics(struct pairs *pairs, const uint64_t *row)
{
	const struct channel *channel = output.channel;

	for (uint32_t i = 0; i < channel->metric_count; i++) {
		const struct service_metric *metric = channel->metrics[i].metric;
		const uint64_t *cells = row + ROW_METRICS + 3 * i;
		uint64_t count =
			row[metric->kind == SERVICE_AT_END ? ROW_ENDS : ROW_SNAPSHOTS];
		uint64_t ns[3];

		if (metric->kind == SERVICE_KEY || !count)
			continue;
		for (int j = 0; j < 3; j++)
			ns[j] = metric->ticks ? ns_of(cells[j]) : cells[j];
		add_sums(pairs, &output.metrics[i], metric->type, ns, count);
	}
}

static void write_row(const struct channel_thread *own, struct nodes *nodes,
		      const struct context_node *node, const uint64_t *row)
{
	struct pairs pairs = {.count = 0};

	add_pair(&pairs, output.image, TRM_TYPE_UINT, 1);
	if (own->tid)
		add_pair(&pairs, output.thread, TRM_TYPE_UINT, own->tid);
	add_keys(&pairs, node);
	if (node->flags & CONTEXT_METRIC) {
		uint32_t type = attributes_get(node->attribute)->type;
		struct sums sums = sums_of(name_of(node->attribute), type);

		add_sums(&pairs, &sums, type, row + ROW_METRICS, row[ROW_SNAPSHOTS]);
	} else {
		add_pair(&pairs, output.count, TRM_TYPE_UINT, row[ROW_ENDS]);
		if (is_nested(paths_context(output.channel, node)))
			add_pair(&pairs, output.regions, TRM_TYPE_UINT, row[ROW_ENDS]);
		add_metrics(&pairs, row);
	}
	output.sink->record(output.sink->context, id_of(nodes, node), pairs.items,
			    pairs.count);
}

void output_rows(struct channel_thread *own, const struct publish_sink *sink)
{
	struct nodes nodes;

	(void)sink;
	if (nodes_init(&nodes, own->thread))
		for (uint32_t i = 0; i < nodes.count && i < own->rows.most; i++) {
			const uint64_t *row = rows_find(own, i);

			if (row && nodes.items[i] &&
			    (row[ROW_SNAPSHOTS] || row[ROW_ENDS]))
				write_row(own, &nodes, nodes.items[i], row);
		}
	nodes_deinit(&nodes);
}

/* A thread's trace, read on item by item. */
struct cursor {
	const struct channel_thread *own;
	struct nodes nodes;
	const struct trace_block *block;
	uint64_t at;     /* word */
	uint64_t before; /* ticks of the item before */
	bool follows;    /* there was one */
};

static bool cursor_valid(struct cursor *cursor)
{
	while (cursor->block &&
	       cursor->at >= __atomic_load_n(&cursor->block->used, __ATOMIC_ACQUIRE)) {
		cursor->block = cursor->block->next;
		cursor->at = 0;
	}
	if (cursor->block && cursor->block->words[cursor->at] > output.until)
		cursor->block = NULL;
	return cursor->block != NULL;
}

/* event.begin#region=foo */
static void add_event(struct pairs *pairs, const struct cursor *cursor,
		      enum runtime_event_kind kind, uint32_t number, uint64_t value)
{
	static const char *const prefixes[] = {
		[RUNTIME_BEGIN] = "event.begin#",     [RUNTIME_END] = "event.end#",
		[RUNTIME_CHANGE] = "event.set#",      [RUNTIME_SET] = "event.set#",
		[RUNTIME_START] = "event.begin#",     [RUNTIME_UNSET] = "event.end#",
		[RUNTIME_ITERATION] = "event.begin#",
	};
	uint32_t attribute = number;

	if (kind == RUNTIME_PUSH || kind == RUNTIME_SAMPLE)
		return;
	if (!trace_has_value(kind)) {
		const struct context_node *node =
			number < cursor->nodes.count ? cursor->nodes.items[number] : NULL;

		if (!node || !node->parent)
			return;
		attribute = node->attribute;
		value = node->value;
	}
	const struct context_attribute *known = attributes_get(attribute);

	if (!known)
		return;
	add_pair(pairs,
		 attribute_of(prefixes[kind], name_of(attribute), known->type,
			      TRM_AS_VALUE),
		 known->type, value);
	if (kind == RUNTIME_SET || kind == RUNTIME_START || kind == RUNTIME_ITERATION)
		add_known(pairs, attribute, value);
}

static void write_item(struct cursor *cursor, uint32_t offset, uint32_t duration)
{
	const struct channel *channel = output.channel;
	const uint64_t *word = cursor->block->words + cursor->at;
	enum runtime_event_kind kind = (enum runtime_event_kind)(word[1] >> 56);
	uint32_t context = (uint32_t)(word[1] >> 28) & TRACE_NUMBER;
	uint64_t now = word[0], begin = channel->begin.ticks;
	struct pairs pairs = {.count = 0};
	uint32_t metrics[CHANNEL_METRICS_MAX], count = trace_metrics(channel, metrics);
	const uint64_t *values = word + TRACE_HEAD + trace_has_value(kind);
	const struct context_node *node =
		context < cursor->nodes.count ? cursor->nodes.items[context] : NULL;

	add_pair(&pairs, output.image, TRM_TYPE_UINT, 1);
	add_pair(&pairs, output.thread, TRM_TYPE_UINT, cursor->own->tid);
	add_pair(&pairs, offset, TRM_TYPE_UINT, now > begin ? ns_of(now - begin) : 0);
	if (cursor->follows)
		add_pair(&pairs, duration, TRM_TYPE_UINT, ns_of(now - cursor->before));
	add_event(&pairs, cursor, kind, (uint32_t)word[1] & TRACE_NUMBER, word[2]);
	for (uint32_t i = 0; i < count; i++)
		add_pair(&pairs,
			 attribute_of("", channel->metrics[metrics[i]].metric->name,
				      channel->metrics[metrics[i]].metric->type,
				      TRM_AS_VALUE),
			 channel->metrics[metrics[i]].metric->type, values[i]);
	if (node)
		output.sink->record(output.sink->context, id_of(&cursor->nodes, node),
				    pairs.items, pairs.count);
	cursor->before = now;
	cursor->follows = true;
	cursor->at += TRACE_HEAD + trace_has_value(kind) + count;
}

/* The cursor whose next item is the earliest; threads are few, or their items are. */
static struct cursor *earliest(struct cursor *cursors, size_t count)
{
	struct cursor *first = NULL;

	for (size_t i = 0; i < count; i++)
		if (cursor_valid(&cursors[i]) &&
		    (!first || cursors[i].block->words[cursors[i].at] <
				       first->block->words[first->at]))
			first = &cursors[i];
	return first;
}

void output_traces(struct channel *channel, const struct publish_sink *sink)
{
	uint32_t offset = attribute_of("", "time.offset.ns", TRM_TYPE_UINT, TRM_AS_VALUE);
	uint32_t duration = attribute_of("", "time.duration.ns", TRM_TYPE_UINT,
					 TRM_AS_VALUE | TRM_AGGREGATABLE);
	size_t count = 0, size;
	struct cursor *cursors, *next;

	(void)sink;
	for (struct channel_thread *own = channel->threads; own; own = own->next)
		count++;
	size = (count + 1) * sizeof(*cursors);
	cursors = runtime_map(size);
	if (!cursors)
		return;
	count = 0;
	for (struct channel_thread *own = channel->threads; own; own = own->next) {
		struct cursor *cursor = &cursors[count];

		if (!own->traced || own->clearing != channel->clearing ||
		    !nodes_init(&cursor->nodes, own->thread))
			continue;
		cursor->own = own;
		cursor->block = own->first_block;
		count++;
	}
	while ((next = earliest(cursors, count)))
		write_item(next, offset, duration);
	for (size_t i = 0; i < count; i++)
		nodes_deinit(&cursors[i].nodes);
	runtime_unmap(cursors, size);
}

static void write_global(void *context, uint32_t attribute, uint64_t bits)
{
	const struct context_attribute *known = attributes_get(attribute);

	(void)context;
	if (!known || !(known->properties & TRM_GLOBAL))
		return;
	output.sink->global(output.sink->context,
			    attribute_of("", name_of(attribute), known->type,
					 TRM_AS_VALUE | TRM_GLOBAL),
			    value_of(known->type, bits));
}

/* The length of a tick follows from how far both clocks went. */
static double tick_length(const struct channel *channel)
{
	struct context_moment now = start_moment();
	uint64_t ticks = now.ticks - channel->begin.ticks;

	if (!runtime_state->tsc || !channel->begin.ticks || !ticks)
		return 1;
	return (double)(now.ns - channel->begin.ns) / (double)ticks;
}

void output_fill(void *context, const struct publish_sink *sink)
{
	struct channel *channel = context;

	output.sink = sink;
	output.channel = channel;
	output.ns_per_tick = tick_length(channel);
	output.until = runtime_ticks();
	output.attributes = runtime_map(ATTRIBUTES_MAX * sizeof(*output.attributes));
	output.image = attribute_of("", "image", TRM_TYPE_UINT, TRM_AS_VALUE);
	output.thread = attribute_of("", "thread", TRM_TYPE_UINT, TRM_AS_VALUE);
	output.count =
		attribute_of("", "count", TRM_TYPE_UINT, TRM_AS_VALUE | TRM_AGGREGATABLE);
	output.regions = attribute_of("", "region.count", TRM_TYPE_UINT,
				      TRM_AS_VALUE | TRM_AGGREGATABLE);
	for (uint32_t i = 0; i < channel->metric_count; i++)
		if (channel->metrics[i].metric->kind != SERVICE_KEY)
			output.metrics[i] = sums_of(channel->metrics[i].metric->name,
						    channel->metrics[i].metric->type);
	values_each_process(write_global, NULL);
	for (uint32_t i = 0; i < channel->service_count; i++)
		if (channel->services[i]->write)
			channel->services[i]->write(channel, sink);
	runtime_unmap(output.attributes, ATTRIBUTES_MAX * sizeof(*output.attributes));
	output.attributes = NULL;
}
