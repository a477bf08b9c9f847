/*
 * What a flush says besides what the spool has: globals, and what services know.
 */
#include "runtime/channel/output.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/channel_values.h"
#include "runtime/store/attributes.h"
#include "runtime/store/spool.h"
#include "runtime/store/strings.h"
#include "runtime/store/values.h"

#include "caliper/caliper-config.h"

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

/* The profile's attribute. */
static uint32_t attribute_of(const struct publish_sink *sink,
			     const struct context_attribute *known, uint32_t properties)
{
	return sink->attribute(sink->context, strings_at(known->name)->bytes, known->type,
			       properties);
}

static void write_global(void *context, uint32_t attribute, uint64_t bits)
{
	const struct publish_sink *sink = context;
	const struct context_attribute *known = attributes_get(attribute);

	/* What can be summed up is of each record: context/channels.c. */
	if (known && known->properties & TRM_GLOBAL &&
	    !(known->properties & TRM_AGGREGATABLE))
		sink->global(sink->context,
			     attribute_of(sink, known, TRM_AS_VALUE | TRM_GLOBAL),
			     value_of(known->type, bits));
}

static void write_said(void *context, uint32_t attribute, uint32_t key, uint64_t bits)
{
	const struct publish_sink *sink = context;
	const struct context_attribute *known = attributes_get(attribute);
	const struct context_attribute *about = attributes_get(key);

	if (known && about)
		sink->describe(sink->context,
			       attribute_of(sink, known,
					    known->properties & ~(uint32_t)TRM_GLOBAL),
			       attribute_of(sink, about, about->properties),
			       value_of(about->type, bits));
}

/* What readers of the peer's profiles look for. */
static void write_start(const struct publish_sink *sink)
{
	static const char version[] = CALIPER_VERSION;
	uint64_t ns = runtime_spool->realtime_ns;
	const struct {
		const char *name;
		struct publish_value value;
	} rows[] = {
		{"cali.caliper.version",
		 {.type = TRM_TYPE_STRING,
		  .size = sizeof(version) - 1,
		  .bytes = version}},
		{"starttime.sec", {.type = TRM_TYPE_UINT, .u = ns / 1000000000u}},
		{"starttime.nsec", {.type = TRM_TYPE_UINT, .u = ns % 1000000000u}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		sink->global(sink->context,
			     sink->attribute(sink->context, rows[i].name,
					     rows[i].value.type,
					     TRM_AS_VALUE | TRM_GLOBAL),
			     rows[i].value);
}

void output_fill(void *context, const struct publish_sink *sink)
{
	struct channel *channel = context;
	struct publish_sink copy = *sink;

	write_start(&copy);
	values_each_process(write_global, &copy);
	channel_each_held(channel, write_global, &copy);
	attributes_each_said(write_said, &copy);
	for (uint32_t i = 0; i < channel->service_count; i++)
		if (channel->services[i]->write)
			channel->services[i]->write(channel, sink);
}
