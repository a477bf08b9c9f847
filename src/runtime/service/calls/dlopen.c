/*
 * dlopen: how often libraries were opened and closed, and which modules there are at a
 * flush, with their addresses.
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/service.h"
#include "runtime/events/hooks.h"
#include "runtime/libraries/loads.h"

#include <link.h>
#include <string.h>

static const struct service_metric metrics[] = {
	{"dlopen.opens", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"dlopen.closes", SERVICE_DELTA, TRM_TYPE_UINT, false},
};

static const char *dlopen_start(struct channel *channel)
{
	(void)channel;
	loads_watch();
	return NULL;
}

/* Of the process: the thread whose event comes next has it. */
static void dlopen_sample(struct channel_thread *own, const struct runtime_event *event,
			  uint64_t *ret_values)
{
	(void)own;
	(void)event;
	ret_values[0] = __atomic_load_n(&loads_opens, __ATOMIC_RELAXED);
	ret_values[1] = __atomic_load_n(&loads_closes, __ATOMIC_RELAXED);
}

static int write_module(struct dl_phdr_info *info, size_t size, void *context)
{
	const struct publish_sink *sink = context;
	struct publish_pair pairs[3];
	uint64_t bytes = 0;

	(void)size;
	if (!*info->dlpi_name)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			bytes = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
	pairs[0] = (struct publish_pair){sink->attribute(sink->context, "dlopen.module",
							 TRM_TYPE_STRING, TRM_AS_VALUE),
					 {.type = TRM_TYPE_STRING,
					  .size = (uint32_t)strlen(info->dlpi_name),
					  .bytes = info->dlpi_name}};
	pairs[1] =
		(struct publish_pair){sink->attribute(sink->context, "dlopen.address",
						      TRM_TYPE_ADDRESS, TRM_AS_VALUE),
				      {.type = TRM_TYPE_ADDRESS, .u = info->dlpi_addr}};
	pairs[2] = (struct publish_pair){sink->attribute(sink->context, "dlopen.bytes",
							 TRM_TYPE_UINT, TRM_AS_VALUE),
					 {.type = TRM_TYPE_UINT, .u = bytes}};
	sink->record(sink->context, 0, pairs, 3);
	return 0;
}

static void write_modules(struct channel *channel, const struct publish_sink *sink)
{
	struct publish_sink copy = *sink;

	(void)channel;
	dl_iterate_phdr(write_module, &copy);
}

const struct service service_dlopen = {
	.name = "dlopen",
	.about = "libraries that are opened and closed, and modules at a flush",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.start = dlopen_start,
	.sample = dlopen_sample,
	.write = write_modules,
};
