#include "report/json/probes.h"

#include "report/json/parts.h"
#include "report/probes.h"

#include <inttypes.h>

static void add_integer(struct text *out, const char *key, int64_t value)
{
	json_add_key(out, key);
	text_format(out, "%" PRId64, value);
}

static void add_count(struct text *out, const struct report_probe *probe,
		      const struct report_probe_count *count)
{
	json_begin_item(out);
	if (count->key)
		json_add_string(out, "key", count->key);
	if (count->is_row) {
		add_integer(out, "probe.low", count->low);
		add_integer(out, "probe.high", count->high);
	}
	json_add_number(out, "probe.hits", count->hits);
	if (!count->is_row)
		add_integer(out, "probe.sum", count->sum);
	if (count->has_extreme)
		add_integer(out, probe->kind, count->extreme);
	text_add(out, "}");
}

static void add_hits(struct text *out, const struct report_profile *profile,
		     uint32_t index)
{
	json_begin_list(out, "hits");
	vector_for_each (&profile->probe_hits, hit) {
		if (hit->probe != index || !profile->images.items[hit->image].selected)
			continue;
		json_begin_item(out);
		json_add_number(out, "thread", hit->thread);
		json_add_number(out, "time.offset.ns", hit->ns);
		json_add_string(out, "values", hit->values);
		text_add(out, "}");
	}
	text_add(out, "]");
}

static void add_probe(struct text *out, const struct report_profile *profile,
		      uint32_t index)
{
	const struct report_probe *probe = &profile->probes.items[index];
	size_t count;
	struct report_probe_count *counts = report_probe_counts(profile, index, &count);

	json_begin_item(out);
	json_add_string(out, "probe", probe->probe);
	json_add_string(out, "probe.name", probe->name);
	json_add_string(out, "probe.kind", probe->kind);
	json_add_string(out, "probe.keys", probe->keys);
	json_add_number(out, "probe.hits", probe->hits);
	json_add_number(out, "probe.errors", probe->errors);
	json_add_number(out, "probe.lost", probe->lost);
	add_integer(out, "probe.sum", probe->sum);
	if (probe->has_extreme)
		add_integer(out, probe->kind, probe->extreme);
	json_begin_list(out, "counts");
	for (size_t i = 0; i < count; i++)
		add_count(out, probe, &counts[i]);
	text_add(out, "]");
	add_hits(out, profile, index);
	text_add(out, "}");
	free(counts);
}

void json_add_probes(struct text *out, const struct report_profile *profile)
{
	uint32_t *order = report_probes_order(profile);

	for (size_t i = 0; i < profile->probes.count; i++)
		add_probe(out, profile, order[i]);
	free(order);
}
