/* Records of perf events: any bytes are taken in, in the order of time, and added up. The
 * first byte says whether they have stacks. No file is opened: names become generated
 * code, or the vDSO. */
#include "sample/sampler.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>

enum { EVENT = 77 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void see_record(void *context, const struct sample_record *record)
{
	struct sample_record safe = *record;

	safe.name = *record->name & 1 ? "//anon" : "[vdso]";
	safe.id = EVENT;
	sampler_see(context, &safe);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct sampler_options options = {.events = "cpu-clock",
					  .rate = {.frequency = 1000}};
	struct sampler *sampler;

	if (!size)
		return 0;
	options.rate.callpath = bytes[0] & 1;
	options.rate.kernel = bytes[0] & 2;
	if (sampler_create(&options, &sampler))
		abort();
	sample_source_add(&sampler->source,
			  &(struct sample_opened){.fd = -1, .id = EVENT});
	if (bytes[0] & 4)
		*table_insert(&sampler->source.types, EVENT, NULL) =
			sampler->source.order.layout.type | SAMPLE_EXTRAS;
	sample_order_take(&sampler->source.order, bytes + 1, size - 1);
	sample_order_visit(&sampler->source.order, UINT64_MAX, see_record, sampler);
	vector_for_each (&sampler->sums.sums, sum)
		if (sum->node >= sampler->sums.nodes.count ||
		    sum->image >= sampler->processes.images.count || !sum->samples)
			abort();
	sampler_destroy(sampler);
	return 0;
}
