#include "report/parts.h"

#include "report/fields.h"

static uint32_t find_interval(struct report_profile *profile, struct report_parts *parts,
			      uint64_t number)
{
	bool new;
	uint64_t *index = table_insert(&parts->interval_by_number, number, &new);

	if (new) {
		*index = profile->intervals.count;
		vector_push(&profile->intervals,
			    ((struct report_interval){.number = number}));
	}
	return (uint32_t)*index;
}

void report_interval_add(struct report_profile *profile, struct report_parts *parts,
			 const struct row *row)
{
	uint32_t index = find_interval(profile, parts, number_of(row, FIELD_INTERVAL));
	struct report_interval *interval = &profile->intervals.items[index];

	if (interval->end_ns)
		return;
	interval->start_ns = number_of(row, FIELD_INTERVAL_START);
	interval->end_ns = number_of(row, FIELD_INTERVAL_END);
}

uint32_t report_thread_find(struct report_profile *profile, struct report_parts *parts,
			    uint32_t image, uint64_t number)
{
	bool new;
	uint64_t *index = table_insert(&parts->thread_by_key,
				       (uint64_t)image << 32 | (uint32_t)number, &new);

	if (new) {
		*index = profile->threads.count;
		vector_push(&profile->threads,
			    ((struct report_thread){.image = image, .number = number}));
	}
	return (uint32_t)*index;
}

struct report_part *report_part_find(struct report_profile *profile,
				     struct report_parts *parts, const struct row *row,
				     uint32_t image, uint32_t function)
{
	struct report_part part = {
		.interval = REPORT_NONE, .thread = REPORT_NONE, .image = image};
	bool new;

	if (!(row->present & (BIT(FIELD_INTERVAL) | BIT(FIELD_THREAD))))
		return NULL;
	part.module = profile->functions.items[function].module;
	if (row->present & BIT(FIELD_INTERVAL))
		part.interval =
			find_interval(profile, parts, number_of(row, FIELD_INTERVAL));
	if (row->present & BIT(FIELD_THREAD))
		part.thread = report_thread_find(profile, parts, image,
						 number_of(row, FIELD_THREAD));
	const uint32_t key[] = {part.interval, part.thread, image, part.module};
	uint64_t hash = hash_bytes(key, sizeof(key));
	uint64_t *index = table_insert(&parts->part_by_key, hash, &new);

	while (!new) {
		struct report_part *old = &profile->parts.items[*index];

		if (old->interval == part.interval && old->thread == part.thread &&
		    old->image == image && old->module == part.module)
			return old;
		index = table_insert(&parts->part_by_key, ++hash, &new);
	}
	*index = profile->parts.count;
	vector_push(&profile->parts, part);
	return &profile->parts.items[*index];
}

void report_parts_deinit(struct report_parts *parts)
{
	table_deinit(&parts->interval_by_number);
	table_deinit(&parts->thread_by_key);
	table_deinit(&parts->part_by_key);
}
