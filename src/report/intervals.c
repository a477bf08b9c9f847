/* The intervals of a profile, in order. */
#include "report/intervals.h"

#include "base/array.h"

COMPARE_BY(by_interval, struct report_interval, number);

void report_intervals_finish(struct report_profile *profile)
{
	struct table place = {0};
	uint64_t to;

	vector_for_each (&profile->parts, part)
		if (part->interval != REPORT_NONE)
			part->interval =
				(uint32_t)profile->intervals.items[part->interval].number;
	if (profile->intervals.count)
		qsort(profile->intervals.items, profile->intervals.count,
		      sizeof(*profile->intervals.items), by_interval);
	for (size_t i = 0; i < profile->intervals.count; i++)
		*table_insert(&place, profile->intervals.items[i].number, NULL) = i;
	vector_for_each (&profile->parts, part)
		if (part->interval != REPORT_NONE &&
		    table_find(&place, part->interval, &to))
			part->interval = (uint32_t)to;
	table_deinit(&place);
}

bool report_has_interval(const struct report_profile *profile, uint64_t number)
{
	vector_for_each (&profile->intervals, interval)
		if (interval->number == number)
			return true;
	return !number;
}
