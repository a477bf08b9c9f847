#include "code/walk.h"

#include <string.h>

enum { TABLE_ENTRIES_MAX = 65536 };

/* Whether an entry of a table in this range may lead to `target`. */
static bool is_plausible(const struct walk *walk, uint64_t target)
{
	const struct image *image = walk->image;

	/* The end too: an unreachable case leads there. */
	if (target >= walk->start && target <= walk->end)
		return true;
	if (walk->function == WALK_NO_FUNCTION)
		return map_find(&walk->scan->map, target, 1) != NULL;
	return ranges_meet(image->cold_parts.items, image->cold_parts.count, target,
			   target + 1);
}

/* Tables of 32-bit offsets from the table's own start. */
static void read_relative(struct walk *walk, uint64_t table)
{
	for (uint64_t i = 0; i < TABLE_ENTRIES_MAX; i++) {
		const uint8_t *bytes = image_bytes_at(walk->image, table + 4 * i, 4);
		int32_t entry;
		uint64_t target;

		if (!bytes)
			return;
		memcpy(&entry, bytes, sizeof(entry));
		target = table + (uint64_t)(int64_t)entry;
		if (!is_plausible(walk, target))
			return;
		if (!walk->table_budget ||
		    (walk->function != WALK_NO_FUNCTION &&
		     (target == walk->start || target == walk->entry_behind)))
			break;
		walk->table_budget--;
		if (target - walk->start < walk->end - walk->start)
			map_reach_inside(&walk->scan->map, target);
		else
			map_reach(&walk->scan->map, target);
	}
	/* A loop through the table to the entry, or a table that nobody wrote for a
	 * program: leave the function alone. */
	if (walk->function != WALK_NO_FUNCTION)
		walk->scan->traits[walk->function] |= SCAN_HIDDEN_LOOP;
}

void tables_read(struct walk *walk)
{
	vector_for_each (&walk->tables, table) {
		vector_push(&walk->scan->tables, *table);
		read_relative(walk, *table);
	}
}

static int by_value(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

void tables_sort(struct scan *scan)
{
	if (scan->tables.count)
		qsort(scan->tables.items, scan->tables.count, sizeof(uint64_t), by_value);
}

uint64_t tables_end(const struct scan *scan, uint64_t table)
{
	size_t low = 0, high = scan->tables.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scan->tables.items[middle] <= table)
			low = middle + 1;
		else
			high = middle;
	}
	return low < scan->tables.count ? scan->tables.items[low] : UINT64_MAX;
}

void tables_read_pointers(const struct scan *scan, const struct image *image)
{
	vector_for_each (&image->segments, segment) {
		const uint8_t *bytes =
			image_bytes_at(image, segment->address, segment->file_size);
		size_t skip = -segment->address & 7;
		uint64_t word;

		if (segment->executable || !bytes)
			continue;
		for (size_t i = skip; i + 8 <= segment->file_size; i += 8) {
			memcpy(&word, bytes + i, sizeof(word));
			map_reach(&scan->map, word);
		}
	}
}
