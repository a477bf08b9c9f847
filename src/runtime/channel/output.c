/*
 * What a flush says besides what the spool has: globals, and what services know.
 */
#include "runtime/channel/internal.h"

#include <string.h>

static void write_global(void *context, uint32_t attribute, uint64_t bits)
{
	const struct publish_sink *sink = context;
	const struct context_attribute *known = attributes_get(attribute);
	struct publish_value value;

	if (!known || !(known->properties & TRM_GLOBAL))
		return;
	value = (struct publish_value){.type = known->type, .u = bits};
	if (known->type == TRM_TYPE_STRING || known->type == TRM_TYPE_BLOB) {
		const struct context_string *string = strings_at(bits);

		value.size = string->size;
		value.bytes = string->bytes;
	}
	sink->global(sink->context,
		     sink->attribute(sink->context, strings_at(known->name)->bytes,
				     known->type, TRM_AS_VALUE | TRM_GLOBAL),
		     value);
}

double output_tick_ns(const struct channel *channel)
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
	struct publish_sink copy = *sink;

	values_each_process(write_global, &copy);
	for (uint32_t i = 0; i < channel->service_count; i++)
		if (channel->services[i]->write)
			channel->services[i]->write(channel, sink);
}
