#include "base/sort.h"

#include "base/cleanup.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint32_t group_of(const char *item)
{
	uint32_t group;

	memcpy(&group, item, sizeof(group));
	return group;
}

static void sort_unless_sorted(char *items, size_t count, size_t size,
			       int (*compare)(const void *, const void *))
{
	for (size_t i = 1; i < count; i++) {
		if (compare(items + (i - 1) * size, items + i * size) > 0) {
			qsort(items, count, size, compare);
			return;
		}
	}
}

static bool are_groups_sorted(const char *items, size_t count, size_t size)
{
	for (size_t i = 1; i < count; i++)
		if (group_of(items + (i - 1) * size) > group_of(items + i * size))
			return false;
	return true;
}

/* Puts the items into the order of their groups; `ends` has room for a number each. */
static void distribute_items(char *items, size_t count, size_t size, size_t *ends,
			     size_t group_count)
{
	scoped_free char *from = memory_allocate(count * size);

	memcpy(from, items, count * size);
	for (size_t i = 0; i < count; i++)
		ends[group_of(from + i * size)]++;
	for (size_t i = 1; i < group_count; i++)
		ends[i] += ends[i - 1];
	for (size_t i = count; i > 0; i--) {
		const char *item = from + (i - 1) * size;

		memcpy(items + --ends[group_of(item)] * size, item, size);
	}
}

void sort_groups(void *items, size_t count, size_t size, size_t group_count,
		 int (*compare)(const void *left, const void *right))
{
	char *bytes = items;
	size_t first = 0;

	if (!are_groups_sorted(bytes, count, size)) {
		scoped_free size_t *ends =
			memory_allocate_zeroed(group_count, sizeof(*ends));

		distribute_items(bytes, count, size, ends, group_count);
	}
	for (size_t i = 1; i <= count; i++) {
		if (i < count &&
		    group_of(bytes + i * size) == group_of(bytes + first * size))
			continue;
		sort_unless_sorted(bytes + first * size, i - first, size, compare);
		first = i;
	}
}
