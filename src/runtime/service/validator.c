/*
 * validator: whether ends fit begins. What does not is mended as always, and told at the
 * end; here it is said, too, what was never ended, and that all was right.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/log.h"
#include "runtime/channel/service.h"
#include "runtime/events/spans.h"
#include "runtime/service/print_path.h"
#include "runtime/store/attributes.h"
#include "runtime/store/spool.h"
#include "runtime/store/state.h"
#include "runtime/store/strings.h"

static bool found[CHANNELS_MAX]; /* of each channel */

static const char *validator_start(struct channel *channel)
{
	found[channel->number] = false;
	return NULL;
}

/* Calls of functions are no annotations. */
static bool is_said(const struct context_node *node, const struct context_node *innermost)
{
	if (spans_hold(node))
		return false;
	for (; innermost != node; innermost = innermost->parent)
		if (innermost->attribute == node->attribute && !spans_hold(innermost))
			return false;
	return true;
}

static void validator_leave(struct channel *channel, const struct context_thread *thread)
{
	char path[900];

	for (const struct context_node *node = thread->node; node->parent;
	     node = node->parent) {
		const struct context_attribute *known = attributes_get(node->attribute);

		if (!is_said(node, thread->node))
			continue;
		size_t at = print_path(path, sizeof(path), node, node->attribute);

		log_warn("'%s': validator: Regions not closed: %s=%.*s", channel->name,
			 strings_at(known->name)->bytes, (int)(sizeof(path) - at),
			 path + at);
		__atomic_store_n(&found[channel->number], true, __ATOMIC_RELAXED);
	}
}

static void validator_finish(struct channel *channel)
{
	if (runtime_self)
		validator_leave(channel, runtime_self);
	if (__atomic_load_n(&found[channel->number], __ATOMIC_RELAXED) ||
	    runtime_spool->fault_count)
		log_warn("'%s': validator: Annotation nesting errors found",
			 channel->name);
	else
		log_inform("'%s': validator: No annotation nesting errors found",
			   channel->name);
}

const struct service service_validator = {
	.name = "validator",
	.about = "says at the end whether regions were ended as they were begun",
	.start = validator_start,
	.leave = validator_leave,
	.finish = validator_finish,
};
