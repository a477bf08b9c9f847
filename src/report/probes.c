#include "report/probes.h"

#include "base/array.h"
#include "base/text.h"
#include "record/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The values of a record, by the names of their attributes. */
enum value {
	VALUE_NUMBER,
	VALUE_KIND,
	VALUE_KEYS,
	VALUE_LIMIT,
	VALUE_HITS,
	VALUE_ERRORS,
	VALUE_LOST,
	VALUE_SUM,
	VALUE_MIN,
	VALUE_MAX,
	VALUE_LOW,
	VALUE_HIGH,
	VALUE_THREAD,
	VALUE_TIME,
	VALUES
};

static const char *const value_names[VALUES] = {
	[VALUE_NUMBER] = "probe.number", [VALUE_KIND] = "probe.kind",
	[VALUE_KEYS] = "probe.keys",     [VALUE_LIMIT] = "probe.limit",
	[VALUE_HITS] = "probe.hits",     [VALUE_ERRORS] = "probe.errors",
	[VALUE_LOST] = "probe.lost",     [VALUE_SUM] = "probe.sum",
	[VALUE_MIN] = "probe.min",       [VALUE_MAX] = "probe.max",
	[VALUE_LOW] = "probe.low",       [VALUE_HIGH] = "probe.high",
	[VALUE_THREAD] = "thread",       [VALUE_TIME] = "time.offset.ns",
};

static const char key_prefix[] = "probe.key#", traced_prefix[] = "probe.value#";

struct reading {
	struct record_value values[VALUES];
	uint32_t present;
	const char *probe, *name; /* NULL: none */
	struct text keys, traced;
	bool keyed;
};

static bool is_text(struct record_value value)
{
	return value.type == RECORD_STRING;
}

/* Adds a value behind others. */
static void add_value(struct text *text, bool first, struct record_value value)
{
	text_add(text, first ? "" : ", ");
	if (is_text(value))
		text_add(text, value.bytes);
	else if (value.type == RECORD_INT)
		text_format(text, "%" PRId64, value.i);
	else if (value.type == RECORD_ADDRESS)
		text_format(text, "0x%" PRIx64, value.u);
	else
		text_format(text, "%" PRIu64, value.u);
}

static bool begins_with(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

static void read_pair(struct reading *reading, const struct record_model *model,
		      struct record_pair pair)
{
	const char *name = record_attribute_name(model, pair.attribute);

	for (size_t i = 0; i < VALUES; i++) {
		bool text = i == VALUE_KIND || i == VALUE_KEYS;

		if (strcmp(name, value_names[i]) != 0 || is_text(pair.value) != text)
			continue;
		reading->values[i] = pair.value;
		reading->present |= 1u << i;
		return;
	}
	if (begins_with(name, traced_prefix))
		add_value(&reading->traced, !reading->traced.length, pair.value);
	else if (is_text(pair.value) && !strcmp(name, "probe"))
		reading->probe = pair.value.bytes;
	else if (is_text(pair.value) && !strcmp(name, "probe.name"))
		reading->name = pair.value.bytes;
}

/* A key may be the empty text. */
static void add_key(struct reading *reading, struct record_value value)
{
	add_value(&reading->keys, !reading->keyed, value);
	reading->keyed = true;
}

/* The outermost key is the first. */
static void read_path(struct reading *reading, const struct record_model *model,
		      record_node node)
{
	struct record_pair pair;

	if (!node)
		return;
	read_path(reading, model, record_node_parent(model, node));
	pair = record_node_pair(model, node);
	if (begins_with(record_attribute_name(model, pair.attribute), key_prefix))
		add_key(reading, pair.value);
	else
		read_pair(reading, model, pair);
}

static const char *keep_string(struct report_profile *profile, const char *text)
{
	uint32_t index = string_table_intern(&profile->strings, text);

	return profile->strings.strings[index];
}

static uint64_t unsigned_of(const struct reading *reading, enum value value)
{
	return reading->present >> value & 1 ? reading->values[value].u : 0;
}

static int64_t signed_of(const struct reading *reading, enum value value)
{
	return (int64_t)unsigned_of(reading, value);
}

/* The action of a record, made if it is new. */
static uint32_t find_probe(struct report_profile *profile, const struct reading *reading)
{
	uint64_t number = unsigned_of(reading, VALUE_NUMBER);
	const char *probe = keep_string(profile, reading->probe ? reading->probe : "");
	const char *name = keep_string(profile, reading->name ? reading->name : "");
	uint32_t index = 0;

	vector_for_each (&profile->probes, known) {
		if (known->number == number && known->probe == probe &&
		    known->name == name)
			return index;
		index++;
	}
	struct report_probe *made = vector_add(&profile->probes);

	*made = (struct report_probe){
		.number = number, .probe = probe, .name = name, .kind = "", .keys = ""};
	return index;
}

static void describe_probe(struct report_profile *profile, struct report_probe *probe,
			   const struct reading *reading)
{
	if (!(reading->present >> VALUE_KIND & 1))
		return;
	probe->kind = keep_string(profile, reading->values[VALUE_KIND].bytes);
	if (reading->present >> VALUE_KEYS & 1)
		probe->keys = keep_string(profile, reading->values[VALUE_KEYS].bytes);
	probe->limit = unsigned_of(reading, VALUE_LIMIT);
}

static void add_count(struct report_profile *profile, const struct reading *reading,
		      uint32_t probe, uint32_t image)
{
	bool least = reading->present >> VALUE_MIN & 1;
	struct report_probe_count count = {
		.probe = probe,
		.image = image,
		.key = reading->keyed ? keep_string(profile, reading->keys.data) : NULL,
		.is_row = reading->present >> VALUE_LOW & 1,
		.low = signed_of(reading, VALUE_LOW),
		.high = signed_of(reading, VALUE_HIGH),
		.hits = unsigned_of(reading, VALUE_HITS),
		.errors = unsigned_of(reading, VALUE_ERRORS),
		.lost = unsigned_of(reading, VALUE_LOST),
		.sum = signed_of(reading, VALUE_SUM),
		.has_extreme = least || reading->present >> VALUE_MAX & 1,
		.extreme = signed_of(reading, least ? VALUE_MIN : VALUE_MAX),
	};

	vector_push(&profile->probe_counts, count);
}

void report_probes_add(struct report_profile *profile, const struct record_model *model,
		       record_node node, const struct record_pair *pairs, size_t count,
		       uint32_t image)
{
	struct reading reading = {0};
	uint32_t probe;

	read_path(&reading, model, node);
	for (size_t i = 0; i < count; i++)
		read_pair(&reading, model, pairs[i]);
	probe = find_probe(profile, &reading);
	describe_probe(profile, &profile->probes.items[probe], &reading);
	if (reading.present >> VALUE_TIME & 1) {
		const char *values = reading.traced.length ? reading.traced.data : "";

		vector_push(&profile->probe_hits,
			    ((struct report_probe_hit){
				    .probe = probe,
				    .image = image,
				    .thread = unsigned_of(&reading, VALUE_THREAD),
				    .ns = unsigned_of(&reading, VALUE_TIME),
				    .values = keep_string(profile, values),
			    }));
	} else {
		add_count(profile, &reading, probe, image);
	}
	text_deinit(&reading.keys);
	text_deinit(&reading.traced);
}

bool report_probe_is_extreme(const struct report_probe *probe)
{
	return !strcmp(probe->kind, "min") || !strcmp(probe->kind, "max");
}

static bool is_less_wanted(const struct report_probe *probe)
{
	return !strcmp(probe->kind, "min");
}

/* The better one of two: the least, or the largest. */
static void take_extreme(bool least, bool *has, int64_t *extreme,
			 const struct report_probe_count *count)
{
	if (!count->has_extreme)
		return;
	if (!*has || (least ? count->extreme < *extreme : count->extreme > *extreme))
		*extreme = count->extreme;
	*has = true;
}

void report_probes_select(struct report_profile *profile)
{
	vector_for_each (&profile->probes, probe) {
		probe->hits = probe->errors = probe->lost = 0;
		probe->sum = 0;
		probe->has_extreme = false;
	}
	vector_for_each (&profile->probe_counts, count) {
		struct report_probe *probe = &profile->probes.items[count->probe];

		if (count->is_row || !profile->images.items[count->image].selected)
			continue;
		/* Those of all keys are counted without any, too. */
		if (!count->key) {
			probe->hits += count->hits;
			probe->errors += count->errors;
			probe->lost += count->lost;
		}
		probe->sum += count->sum;
		take_extreme(is_less_wanted(probe), &probe->has_extreme, &probe->extreme,
			     count);
	}
}

static int by_number(const void *left, const void *right, void *context)
{
	const struct report_profile *profile = context;
	const uint32_t *a = left, *b = right;

	return compare_numbers(profile->probes.items[*a].number,
			       profile->probes.items[*b].number)
		       ?: compare_numbers(*a, *b);
}

uint32_t *report_probes_order(const struct report_profile *profile)
{
	size_t count = profile->probes.count;
	uint32_t *order = memory_allocate((count + 1) * sizeof(*order));

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), by_number, (void *)(uintptr_t)profile);
	return order;
}

static int by_key(const void *left, const void *right)
{
	const struct report_probe_count *a = left, *b = right;
	int keys = strcmp(a->key ? a->key : "", b->key ? b->key : "");

	return keys                     ? keys
	       : a->is_row != b->is_row ? a->is_row - b->is_row
					: compare_numbers(a->low, b->low);
}

static void merge_count(bool least, struct report_probe_count *to,
			const struct report_probe_count *from)
{
	to->hits += from->hits;
	to->sum += from->sum;
	take_extreme(least, &to->has_extreme, &to->extreme, from);
}

/* A key with its rows. */
struct group {
	size_t first, count;
	int64_t weight;
};

static int by_weight(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	return compare_numbers(b->weight, a->weight)
		       ?: compare_numbers(a->first, b->first);
}

/* What decides which key comes first. */
static int64_t weight_of(const struct report_probe *probe,
			 const struct report_probe_count *count)
{
	if (!strcmp(probe->kind, "sum") || (!strcmp(probe->kind, "top") && count->sum))
		return count->sum;
	if (!strcmp(probe->kind, "min"))
		return -count->extreme;
	return !strcmp(probe->kind, "max") ? count->extreme : (int64_t)count->hits;
}

/* Puts the groups of equal keys in the order of their weights. */
static void sort_groups(const struct report_probe *probe,
			struct report_probe_count *counts, size_t count)
{
	struct VECTOR(struct group) groups = {0};
	struct report_probe_count *copy = memory_allocate((count + 1) * sizeof(*copy));
	size_t to = 0;

	for (size_t i = 0; i < count; i++) {
		if (!i || strcmp(counts[i].key ? counts[i].key : "",
				 counts[i - 1].key ? counts[i - 1].key : "") != 0)
			vector_push(&groups,
				    ((struct group){i, 0, weight_of(probe, &counts[i])}));
		groups.items[groups.count - 1].count++;
	}
	if (groups.count)
		qsort(groups.items, groups.count, sizeof(*groups.items), by_weight);
	vector_for_each (&groups, group)
		for (size_t i = 0; i < group->count; i++)
			copy[to++] = counts[group->first + i];
	memcpy(counts, copy, count * sizeof(*counts));
	free(copy);
	vector_deinit(&groups);
}

struct report_probe_count *report_probe_counts(const struct report_profile *profile,
					       uint32_t probe, size_t *ret_count)
{
	const struct report_probe *of = &profile->probes.items[probe];
	struct VECTOR(struct report_probe_count) found = {0};
	size_t kept = 0;

	vector_reserve(&found, 1);
	vector_for_each (&profile->probe_counts, count)
		if (count->probe == probe && (count->key || count->is_row) &&
		    profile->images.items[count->image].selected)
			vector_push(&found, *count);
	qsort(found.items, found.count, sizeof(*found.items), by_key);
	for (size_t i = 0; i < found.count; i++) {
		if (kept && !by_key(&found.items[kept - 1], &found.items[i]))
			merge_count(is_less_wanted(of), &found.items[kept - 1],
				    &found.items[i]);
		else
			found.items[kept++] = found.items[i];
	}
	sort_groups(of, found.items, kept);
	*ret_count = kept;
	return found.items;
}
