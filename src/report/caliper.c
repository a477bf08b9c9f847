#include "report/caliper.h"

#include "base/array.h"
#include "record/model.h"
#include "report/regions.h"

#include <string.h>

enum use { USE_NONE, USE_TIME, USE_INCLUSIVE, USE_COUNT, USE_RANK, USE_END };

/* A profile that was summed up has a "sum#" before the name, maybe several, and
 * "inclusive#" where the time has that of the regions inside. */
static const char *plain_name(const char *name, bool *ret_inclusive)
{
	*ret_inclusive = false;
	for (;;) {
		if (!strncmp(name, "sum#", 4)) {
			name += 4;
		} else if (!strncmp(name, "inclusive#", 10)) {
			name += 10;
			*ret_inclusive = true;
		} else {
			return name;
		}
	}
}

static const struct {
	const char *name;
	double ns;
} units[] = {{"nsec", 1},   {"ns", 1},   {"usec", 1e3}, {"us", 1e3},
	     {"msec", 1e6}, {"ms", 1e6}, {"sec", 1e9},  {"s", 1e9}};

/* The unit that is said of an attribute; microseconds where none is, as versions had it
 * that did not say. */
static double unit_of(const struct record_model *model, record_attribute id)
{
	for (size_t i = 0; i < record_attribute_descriptions(model, id); i++) {
		struct record_pair said = record_attribute_description(model, id, i);
		const char *key = record_attribute_name(model, said.attribute);

		if (said.value.type != RECORD_STRING ||
		    (strcmp(key, "attribute.unit") != 0 && strcmp(key, "time.unit") != 0))
			continue;
		for (size_t u = 0; u < array_count(units); u++)
			if (!strcmp(units[u].name, said.value.bytes))
				return units[u].ns;
	}
	return 1e3;
}

static struct report_caliper_use use_of(const struct record_model *model,
					record_attribute id)
{
	bool inclusive;
	const char *name = plain_name(record_attribute_name(model, id), &inclusive);
	enum use time = inclusive ? USE_INCLUSIVE : USE_TIME;

	if (!strcmp(name, "time.duration.ns"))
		return (struct report_caliper_use){time, 1};
	if (!strcmp(name, "time.duration"))
		return (struct report_caliper_use){time, unit_of(model, id)};
	if (!strcmp(name, "region.count"))
		return (struct report_caliper_use){USE_COUNT, 1};
	if (!strcmp(name, "mpi.rank"))
		return (struct report_caliper_use){USE_RANK, 1};
	if (!strncmp(name, "event.end#", strlen("event.end#")))
		return (struct report_caliper_use){USE_END, 1};
	return (struct report_caliper_use){USE_NONE, 0};
}

static struct report_caliper_use use_at(struct report_caliper *caliper,
					const struct record_model *model,
					record_attribute id)
{
	while (caliper->uses.count <= id) {
		struct report_caliper_use use =
			use_of(model, (record_attribute)caliper->uses.count);

		vector_push(&caliper->uses, use);
	}
	return caliper->uses.items[id];
}

static bool is_number(enum record_type type)
{
	return type == RECORD_INT || type == RECORD_UINT || type == RECORD_DOUBLE;
}

static double number_of(struct record_value value)
{
	if (value.type == RECORD_DOUBLE)
		return value.d;
	return value.type == RECORD_INT ? (double)value.i : (double)value.u;
}

/* What was taken of a record. */
struct taken {
	double ns, inclusive_ns, rank;
	uint64_t count, ends;
	bool any, timed, counted;
};

static void take_pair(struct report_caliper *caliper, const struct record_model *model,
		      const struct record_pair *pair, struct taken *taken)
{
	struct report_caliper_use use = use_at(caliper, model, pair->attribute);

	if (use.kind == USE_NONE || (use.kind != USE_END && !is_number(pair->value.type)))
		return;
	double number = use.kind == USE_END ? 1 : number_of(pair->value);

	if (!(number >= 0 && number * use.ns < 0x1p63))
		return;
	if (use.kind == USE_TIME)
		taken->ns += number * use.ns;
	else if (use.kind == USE_INCLUSIVE)
		taken->inclusive_ns += number * use.ns;
	else if (use.kind == USE_RANK)
		taken->rank = number;
	else if (use.kind == USE_END)
		taken->ends++;
	else
		taken->count += (uint64_t)number;
	taken->counted |= use.kind == USE_COUNT;
	taken->timed |= use.kind == USE_TIME;
	taken->any |= use.kind != USE_RANK;
}

/* The path of the node's nested attributes alone. */
static record_node nested_of(struct report_caliper *caliper, struct record_model *model,
			     record_node node)
{
	struct VECTOR(record_node) chain = {0};
	uint64_t known = 1;

	for (; node && !table_find(&caliper->nested, node, &known);
	     node = record_node_parent(model, node))
		vector_push(&chain, node);
	record_node nested = node ? (record_node)known - 1 : 0;

	while (chain.count) {
		record_node at = chain.items[--chain.count];
		struct record_pair pair = record_node_pair(model, at);

		if (record_attribute_properties(model, pair.attribute) & RECORD_NESTED)
			nested = record_node_child(model, nested, pair.attribute,
						   pair.value);
		*table_insert(&caliper->nested, at, NULL) = (uint64_t)nested + 1;
	}
	vector_deinit(&chain);
	return nested;
}

bool report_caliper_take(struct report_caliper *caliper, struct record_model *model,
			 record_node node, const struct record_pair *pairs, size_t count,
			 struct report_caliper_taken *ret_taken)
{
	struct taken taken = {0};

	for (size_t i = 0; i < count; i++)
		take_pair(caliper, model, &pairs[i], &taken);
	for (record_node at = node; at; at = record_node_parent(model, at)) {
		struct record_pair pair = record_node_pair(model, at);

		take_pair(caliper, model, &pair, &taken);
	}
	if (!taken.any || !node)
		return false;
	double ns = taken.timed ? taken.ns : taken.inclusive_ns;

	ret_taken->node = nested_of(caliper, model, node);
	ret_taken->inclusive = !taken.timed && taken.inclusive_ns > 0;
	ret_taken->row = (struct report_region_count){
		.count = taken.counted ? taken.count : taken.ends,
		.ns = ns < 0x1p62 ? (uint64_t)(ns + 0.5) : 0,
		.image = taken.rank < UINT32_MAX ? (uint32_t)taken.rank : 0,
	};
	return true;
}

void report_caliper_add(struct report_profile *profile, const struct record_model *model,
			const struct report_caliper_taken *taken)
{
	struct report_region_count row = taken->row;

	report_tree_add(profile, &profile->regions, model, taken->node, &row);
	if (!taken->inclusive || !taken->node)
		return;
	/* What the region took is not time of the one around it. */
	row.count = 0;
	row.ns = -row.ns;
	report_tree_add(profile, &profile->regions, model,
			record_node_parent(model, taken->node), &row);
}

void report_caliper_deinit(struct report_caliper *caliper)
{
	vector_deinit(&caliper->uses);
	table_deinit(&caliper->nested);
}
