/* The regions of a profile: a tree of paths, with what each took. */
#include "report/regions.h"

#include "base/search.h"
#include "base/text.h"

#include <string.h>

static const char *keep(struct report_profile *profile, const char *text)
{
	uint32_t index = string_table_intern(&profile->strings, text);

	return profile->strings.strings[index];
}

/* "solve" of a region, a loop or a function of MPI, "level=3" of anything else. */
static const char *label_of(struct report_profile *profile,
			    const struct record_model *model, record_node node)
{
	struct record_pair pair = record_node_pair(model, node);
	const char *attribute = record_attribute_name(model, pair.attribute), *kept;
	struct text text = {0};

	if (strcmp(attribute, "region") != 0 && strcmp(attribute, "loop") != 0 &&
	    strcmp(attribute, "mpi.function") != 0)
		text_format(&text, "%s=", attribute);
	record_value_text(&text, pair.value);
	kept = keep(profile, text.data ? text.data : "");
	text_deinit(&text);
	return kept;
}

/* The region of a node, made with those around it if it is new. */
static uint32_t find(struct report_profile *profile, const struct record_model *model,
		     struct table *by_node, record_node node)
{
	uint64_t known;

	if (table_find(by_node, node, &known))
		return (uint32_t)known;
	record_node chain[REPORT_REGION_DEPTH];
	size_t depth = 0;

	for (; node && depth < REPORT_REGION_DEPTH && !table_find(by_node, node, &known);
	     node = record_node_parent(model, node))
		chain[depth++] = node;
	if (!node || depth == REPORT_REGION_DEPTH)
		known = REPORT_NONE;
	while (depth--) {
		struct report_region region = {
			.parent = (uint32_t)known,
			.label = label_of(profile, model, chain[depth]),
			.attribute = keep(
				profile,
				record_attribute_name(
					model,
					record_node_pair(model, chain[depth]).attribute)),
			.depth = known == REPORT_NONE
					 ? 0
					 : profile->regions.items[known].depth + 1,
		};

		known = profile->regions.count;
		vector_push(&profile->regions, region);
		*table_insert(by_node, chain[depth], NULL) = known;
	}
	return (uint32_t)known;
}

void report_regions_add(struct report_profile *profile, const struct record_model *model,
			struct table *by_node, record_node node,
			const struct report_region_count *count)
{
	struct report_region_count row = *count;

	if (!node) /* outside of all of them */
		return;
	row.region = find(profile, model, by_node, node);
	vector_push(&profile->region_counts, row);
}

void report_regions_select(struct report_profile *profile)
{
	profile->region_ns = 0;
	vector_for_each (&profile->regions, region)
		region->count = region->ns = region->inclusive_ns = 0;
	vector_for_each (&profile->region_counts, row) {
		struct report_region *region = &profile->regions.items[row->region];

		if (!profile->images.items[row->image].selected)
			continue;
		region->count += row->count;
		region->ns += row->ns;
	}
	/* Parents stand before their children. */
	for (size_t i = profile->regions.count; i > 0; i--) {
		struct report_region *region = &profile->regions.items[i - 1];

		region->inclusive_ns += region->ns;
		if (region->parent != REPORT_NONE)
			profile->regions.items[region->parent].inclusive_ns +=
				region->inclusive_ns;
		else
			profile->region_ns += region->inclusive_ns;
	}
}

/* Children of one parent, the longest first. */
static int by_place(const void *left, const void *right, void *context)
{
	const struct report_profile *profile = context;
	const struct report_region *a = &profile->regions.items[*(const uint32_t *)left];
	const struct report_region *b = &profile->regions.items[*(const uint32_t *)right];

	if (a->parent != b->parent) /* of REPORT_NONE as well: 0 after + 1 */
		return a->parent + 1 < b->parent + 1 ? -1 : 1;
	if (a->inclusive_ns != b->inclusive_ns)
		return a->inclusive_ns > b->inclusive_ns ? -1 : 1;
	return strcmp(a->label, b->label);
}

/* Where the children of a region begin, in what is sorted by place. */
static size_t first_child(const struct report_profile *profile, const uint32_t *sorted,
			  uint32_t parent)
{
	return search_first(profile->regions.count, middle,
			    profile->regions.items[sorted[middle]].parent + 1 <
				    parent + 1);
}

struct walk {
	const struct report_profile *profile;
	const uint32_t *sorted;
	const struct report_region **rows;
	size_t count;
};

/* A region and what is in it, without recursion: paths can be deep. */
static void add_rows(struct walk *walk)
{
	const struct report_profile *profile = walk->profile;
	size_t count = profile->regions.count;
	size_t next[REPORT_REGION_DEPTH + 1] = {
		first_child(profile, walk->sorted, REPORT_NONE)};
	uint32_t parent[REPORT_REGION_DEPTH + 1] = {REPORT_NONE};
	int depth = 0;

	while (depth >= 0) {
		size_t at = next[depth]++;

		if (at >= count ||
		    profile->regions.items[walk->sorted[at]].parent != parent[depth]) {
			depth--;
			continue;
		}
		const struct report_region *region =
			&profile->regions.items[walk->sorted[at]];

		if (!region->count && !region->inclusive_ns)
			continue;
		walk->rows[walk->count++] = region;
		depth++;
		parent[depth] = walk->sorted[at];
		next[depth] = first_child(profile, walk->sorted, walk->sorted[at]);
	}
}

const struct report_region **report_profile_regions(const struct report_profile *profile,
						    size_t *ret_count)
{
	size_t count = profile->regions.count;
	uint32_t *sorted = memory_allocate_zeroed(count, sizeof(*sorted));
	struct walk walk = {profile, sorted,
			    memory_allocate_zeroed(count, sizeof(*walk.rows)), 0};

	for (uint32_t i = 0; i < count; i++)
		sorted[i] = i;
	qsort_r(sorted, count, sizeof(*sorted), by_place, (void *)(uintptr_t)profile);
	add_rows(&walk);
	free(sorted);
	*ret_count = walk.count;
	return walk.rows;
}
