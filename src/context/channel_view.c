#include "context/channel_view.h"

#include "context/save.h"
#include "record/model.h"
#include "record/value.h"
#include "wire/context_channel.h"

record_attribute view_make(const struct channel_view *view, const char *prefix,
			   const char *name, enum record_type type, uint32_t properties)
{
	struct text text = {0};
	record_attribute id;

	text_format(&text, "%s%s", prefix, name);
	id = record_attribute_make(view->saving->model, text.data, type, properties);
	text_deinit(&text);
	return id;
}

record_attribute view_make_ns(const struct channel_view *view, const char *name,
			      uint32_t properties)
{
	record_attribute id = view_make(view, "", name, RECORD_UINT, properties);

	if (!view->saving->image)
		record_attribute_describe(
			view->saving->model, id,
			view_make(view, "", "time.unit", RECORD_STRING,
				  RECORD_SCOPE_THREAD | RECORD_SKIP_EVENTS),
			record_string("nsec"));
	return id;
}

struct channel_sums view_make_sums(const struct channel_view *view, const char *name,
				   enum record_type type)
{
	return (struct channel_sums){
		view_make(view, "sum#", name, context_sum_type(type), VIEW_SUM),
		view_make(view, "min#", name, type, VIEW_VALUE),
		view_make(view, "max#", name, type, VIEW_VALUE),
		view_make(view, "avg#", name, RECORD_DOUBLE, VIEW_VALUE),
		view_make(view, "count#", name, RECORD_UINT, VIEW_SUM),
	};
}

static void make_metrics(struct channel_view *view)
{
	const struct context_channel *channel = view->channel;

	view->metric_count = channel->metric_count < CONTEXT_METRICS_MAX
				     ? channel->metric_count
				     : CONTEXT_METRICS_MAX;
	for (uint32_t i = 0; i < view->metric_count; i++) {
		const struct context_channel_metric *metric = &channel->metrics[i];
		char name[CONTEXT_CHANNEL_NAME + 1] = "";

		memcpy(name, metric->name, CONTEXT_CHANNEL_NAME);
		if (!(metric->flags & CONTEXT_METRIC_KEY))
			view->metrics[i] =
				view_make_sums(view, name, view_metric_type(metric));
		if (metric->flags & (CONTEXT_METRIC_TRACED | CONTEXT_METRIC_AT_END))
			view->values[i] = view_make(view, "", name,
						    view_metric_type(metric), VIEW_VALUE);
	}
}

/* As the profile has them, or what others read. */
static uint32_t record_properties(const struct channel_view *view, uint32_t properties)
{
	const uint32_t kept = RECORD_GLOBAL | RECORD_AGGREGATABLE;
	uint32_t none = RECORD_GLOBAL | CONTEXT_OF_LIBRARY;

	if ((properties & kept) == RECORD_GLOBAL && !view->saving->image)
		return VIEW_RUN;
	if (properties & CONTEXT_DETAIL)
		none |= RECORD_NESTED;
	return properties & ~none;
}

static void find_rank(struct channel_view *view)
{
	const struct context_process *process = view->process;

	vector_for_each (&process->globals, global) {
		const struct context_known_attribute *known =
			&process->attributes.items[global->attribute];

		if (!strcmp(known->name, "mpi.rank") && known->type == RECORD_INT)
			view->rank = (struct record_pair){
				view_make(view, "", known->name, known->type,
					  RECORD_AS_VALUE),
				context_value(process, global->attribute, global->bits)};
	}
}

/* Values that are strings of the process are those of its attributes. */
static void find_strings(struct channel_view *view)
{
	for (uint32_t i = 0; i < view->metric_count; i++)
		for (size_t j = 1; j < view->process->attributes.count; j++) {
			const struct context_known_attribute *known =
				&view->process->attributes.items[j];

			if (view_metric_type(&view->channel->metrics[i]) ==
				    RECORD_STRING &&
			    known->type == RECORD_STRING &&
			    view->attributes[j] == view->values[i])
				view->strings[i] = (uint32_t)j;
		}
}

static size_t count_threads(const struct context_process *process)
{
	size_t count = 0;

	vector_for_each (&process->threads, thread)
		count += thread->tid != 0;
	return count;
}

void view_init(struct channel_view *view, const struct context_channel_saving *saving,
	       const struct context_process *process,
	       const struct context_channel *channel)
{
	*view = (struct channel_view){
		.saving = saving,
		.process = process,
		.channel = channel,
		.attributes = memory_allocate_zeroed(process->attributes.count,
						     sizeof(*view->attributes)),
		.nodes = memory_allocate_zeroed(process->threads.count + 1,
						sizeof(*view->nodes)),
		.rooted = memory_allocate_zeroed(process->threads.count + 1,
						 sizeof(*view->rooted)),
		.events = memory_allocate_zeroed(CONTEXT_SNAPSHOT_KINDS *
							 process->attributes.count,
						 sizeof(*view->events)),
	};
	make_metrics(view);
	if (saving->image)
		view->image = view_make(view, "", "image", RECORD_UINT, VIEW_VALUE);
	/* Programs may have an attribute of the short name. */
	view->thread = view_make(view, "", saving->image ? "thread" : "trm.thread",
				 RECORD_UINT, VIEW_VALUE);
	view->tells_threads = saving->image || count_threads(process) > 1;
	if (channel->says & CONTEXT_SAYS_MAIN)
		view->is_main =
			view_make(view, "", "pthread.is_master", RECORD_BOOL, VIEW_VALUE);
	if (channel->says & CONTEXT_SAYS_PTHREAD)
		view->pthread =
			view_make(view, "", "pthread.id", RECORD_UINT, VIEW_VALUE);
	if (channel->says & CONTEXT_SAYS_SLOTS)
		view->slot =
			view_make(view, "", "aggregate.slot", RECORD_UINT, VIEW_VALUE);
	view->count = view_make(view, "", "count", RECORD_UINT, VIEW_SUM);
	view->regions = view_make(view, "", "region.count", RECORD_UINT, VIEW_SUM);
	for (size_t i = 1; i < process->attributes.count; i++) {
		const struct context_known_attribute *known =
			&process->attributes.items[i];

		view->attributes[i] =
			view_make(view, "", known->name, known->type,
				  record_properties(view, known->properties));
	}
	find_rank(view);
	find_strings(view);
}

void view_deinit(struct channel_view *view)
{
	for (size_t i = 0; i < view->process->threads.count; i++) {
		free(view->nodes[i]);
		free(view->rooted[i]);
	}
	free(view->nodes);
	free(view->rooted);
	vector_deinit(&view->run);
	free(view->attributes);
	free(view->events);
	vector_deinit(&view->shared);
}

static record_node make_node(const struct channel_view *view, record_node parent,
			     const struct context_path *path)
{
	const struct context_channel_saving *saving = view->saving;
	record_attribute attribute = view->attributes[path->attribute];

	if (saving->look_up && path->value.type == RECORD_ADDRESS)
		parent = saving->look_up(saving->context, parent, attribute,
					 path->value.u);
	return record_node_child(saving->model, parent, attribute, path->value);
}

/* The nodes of a thread's contexts in the profile; what is no part of the tree there has
 * its parent's. */
const record_node *view_nodes(struct channel_view *view, uint32_t number)
{
	const struct context_known_thread *thread = view_thread(view, number);
	record_node *nodes = view->nodes[number];

	if (nodes)
		return nodes;
	nodes = memory_allocate_zeroed(thread->paths.count + 1, sizeof(*nodes));
	for (size_t i = 1; i < thread->paths.count; i++) {
		const struct context_path *path = &thread->paths.items[i];
		bool part = !path->metric && !(view_properties(view, path->attribute) &
					       (RECORD_AS_VALUE | RECORD_HIDDEN));

		nodes[i] = part ? make_node(view, nodes[path->parent], path)
				: nodes[path->parent];
	}
	view->nodes[number] = nodes;
	return nodes;
}

/* Of a node whose parent is known. */
static record_node root_node(struct channel_view *view,
			     const struct context_known_thread *thread, uint32_t number,
			     record_node parent)
{
	const struct context_path *path = &thread->paths.items[number];
	const uint32_t none = RECORD_AS_VALUE | RECORD_HIDDEN;

	return path->metric || view_properties(view, path->attribute) & none
		       ? parent
		       : make_node(view, parent, path);
}

record_node view_node(struct channel_view *view, uint32_t owner, uint32_t number)
{
	const struct context_known_thread *thread = view_thread(view, owner);
	struct VECTOR(uint32_t) chain = {0};
	struct rooted_node *rooted = view->rooted[owner];
	record_node node = view->run_node;

	if (!view->run_node)
		return view_nodes(view, owner)[number];
	if (!rooted)
		rooted = view->rooted[owner] =
			memory_allocate_zeroed(thread->paths.count + 1, sizeof(*rooted));
	if (rooted[number].change == view->run_changes)
		return rooted[number].node;
	for (; number; number = thread->paths.items[number].parent) {
		if (rooted[number].change == view->run_changes) {
			node = rooted[number].node;
			break;
		}
		vector_push(&chain, number);
	}
	while (chain.count) {
		number = chain.items[--chain.count];
		node = root_node(view, thread, number, node);
		rooted[number] = (struct rooted_node){node, view->run_changes};
	}
	vector_deinit(&chain);
	return node;
}

void view_say_run(struct channel_view *view, record_attribute attribute,
		  const struct record_value *value)
{
	size_t at = 0;

	while (at < view->run.count && view->run.items[at].attribute != attribute)
		at++;
	if (at < view->run.count && value)
		view->run.items[at].value = *value;
	else if (at < view->run.count)
		vector_remove_swap(&view->run, at);
	else if (value)
		vector_push(&view->run, ((struct record_pair){attribute, *value}));
	view->run_node = 0;
	vector_for_each (&view->run, said)
		view->run_node = record_node_child(view->saving->model, view->run_node,
						   said->attribute, said->value);
	view->run_changes++;
}

/* Whose record it is. */
void view_begin(const struct channel_view *view,
		const struct context_known_thread *thread, struct channel_pairs *pairs)
{
	pairs->count = 0;
	if (view->saving->image)
		pairs_add(pairs, view->image, record_uint(view->saving->image));
	if (thread->tid && view->tells_threads)
		pairs_add(pairs, view->thread, record_uint(thread->tid));
	if (view->channel->says & CONTEXT_SAYS_MAIN)
		pairs_add_bits(pairs, view->is_main, RECORD_BOOL,
			       thread->tid == view->process->head->pid);
	if (view->channel->says & CONTEXT_SAYS_PTHREAD && thread->tid)
		pairs_add(pairs, view->pthread, record_uint(thread->tid));
	if (view->rank.attribute)
		pairs_add(pairs, view->rank.attribute, view->rank.value);
}

bool view_has(const struct context_channel *channel, const struct context_block *block)
{
	return block->channel == channel->head.channel &&
	       block->clearing == channel->head.clearing;
}
