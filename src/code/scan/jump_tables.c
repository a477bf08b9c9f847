#include "code/scan/jump_tables.h"

#include "base/array.h"
#include "base/search.h"
#include "code/scan/walk.h"
#include "image/contents.h"
#include "image/find.h"

#include <string.h>

enum {
	TABLE_ENTRIES_MAX = 65536,
	BLOCK_ENTRIES = 16,
	NARROW_LEAST = 3, /* entries of 4 bytes that are a table */
};

/* A table being read, a block at a time. */
struct block {
	const uint8_t *bytes;
	uint64_t first, count; /* entries */
};

/* Whether an entry of a table in this range may lead to `target`, which is not inside. */
static bool is_plausible(const struct walk *walk, uint64_t target)
{
	const struct image *image = walk->image;

	/* An unreachable case leads there. */
	if (target == walk->end)
		return true;
	if (walk->function == WALK_NO_FUNCTION)
		return code_map_find(&walk->scan->map, target, 1) != NULL;
	return ranges_meet(image->cold_parts.items, image->cold_parts.count, target,
			   target + 1);
}

/* Entry `index` of the table at `table`; false if it lies nowhere. */
static bool read_entry(const struct image *image, uint64_t table, uint64_t index,
		       struct block *block, int32_t *ret_entry)
{
	if (index - block->first >= block->count) {
		*block = (struct block){.first = index, .count = BLOCK_ENTRIES};
		block->bytes = image_bytes_at(image, table + 4 * index, 4 * block->count);
		if (!block->bytes) {
			block->count = 1;
			block->bytes = image_bytes_at(image, table + 4 * index, 4);
		}
	}
	if (!block->bytes)
		return false;
	memcpy(ret_entry, block->bytes + 4 * (index - block->first), sizeof(*ret_entry));
	return true;
}

/* Tables of 32-bit offsets from the table's own start. */
static void read_relative(struct walk *walk, uint64_t table)
{
	struct block block = {0};

	for (uint64_t i = 0; i < TABLE_ENTRIES_MAX; i++) {
		uint64_t target;
		int32_t entry;
		bool inside;

		if (!read_entry(walk->image, table, i, &block, &entry))
			return;
		target = table + (uint64_t)(int64_t)entry;
		inside = target - walk->start < walk->end - walk->start;
		if (!inside && !is_plausible(walk, target))
			return;
		if (!walk->table_budget ||
		    (walk->function != WALK_NO_FUNCTION &&
		     (target == walk->start || target == walk->entry_behind)))
			break;
		walk->table_budget--;
		if (inside)
			bit_set(walk->segment->reached, target - walk->segment->address);
		else
			code_map_reach(&walk->scan->map, target);
	}
	/* A loop through the table to the entry, or a table that no compiler makes: leave
	 * the function alone. */
	if (walk->function != WALK_NO_FUNCTION)
		walk->scan->traits[walk->function] |= SCAN_HIDDEN_LOOP;
}

void jump_tables_note(struct walk *walk, uint64_t address, uint8_t entry_size)
{
	vector_push(&walk->scan->tables,
		    ((struct scan_table){address, walk->function, entry_size}));
}

void jump_tables_read(struct walk *walk)
{
	vector_for_each (&walk->tables, table) {
		jump_tables_note(walk, *table, 4);
		read_relative(walk, *table);
	}
}

COMPARE_BY(by_address, struct scan_table, address);

void jump_tables_sort(struct scan *scan)
{
	if (scan->tables.count)
		qsort(scan->tables.items, scan->tables.count, sizeof(*scan->tables.items),
		      by_address);
}

uint64_t jump_tables_end(const struct scan *scan, uint64_t table)
{
	size_t low = search_first(scan->tables.count, middle,
				  scan->tables.items[middle].address <= table);

	return low < scan->tables.count ? scan->tables.items[low].address : UINT64_MAX;
}

static bool read_target(const struct image *image, const struct scan_table *table,
			uint64_t index, uint64_t *ret_target)
{
	const uint8_t *bytes = image_bytes_at(
		image, table->address + index * table->entry_size, table->entry_size);
	int32_t distance;

	if (!bytes)
		return false;
	if (table->entry_size == 8) {
		memcpy(ret_target, bytes, sizeof(*ret_target));
		return true;
	}
	memcpy(&distance, bytes, sizeof(distance));
	*ret_target = table->address + (uint64_t)(int64_t)distance;
	return true;
}

void jump_tables_expose(const struct scan *scan, const struct image *image)
{
	vector_for_each (&scan->tables, table) {
		uint64_t end = jump_tables_end(scan, table->address), target;
		struct image_function none = {0};
		const struct image_function *own =
			table->function < 0 ? &none
					    : &image->functions.items[table->function];

		for (uint64_t i = 0; i < TABLE_ENTRIES_MAX &&
				     table->address + i * table->entry_size < end &&
				     read_target(image, table, i, &target);
		     i++) {
			const struct code_segment *segment =
				code_map_find(&scan->map, target, 1);

			if (!segment)
				break;
			if (target - own->address >= own->size)
				bit_set(segment->guessed, target - segment->address);
		}
	}
}

/* Whether an instruction of a function begins there, and of which. */
static const struct image_function *
function_of(const struct scan *scan, const struct image *image, uint64_t address)
{
	const struct code_segment *segment = code_map_find(&scan->map, address, 1);
	const struct image_function *function;

	if (!segment || !bit_test(segment->starts, address - segment->address))
		return NULL;
	function = image_function_around(image, address);
	return function && address - function->address < function->size ? function : NULL;
}

/* An address of 4 bytes may be any number: some in a row that lead to instructions of one
 * function are a table. */
static void read_narrow(const struct scan *scan, const struct image *image,
			const uint8_t *bytes)
{
	const struct image_function *function;
	uint32_t numbers[NARROW_LEAST];

	memcpy(numbers, bytes, sizeof(numbers));
	for (size_t i = 0; i < NARROW_LEAST; i++)
		if (!code_map_find(&scan->map, numbers[i], 1))
			return;
	function = function_of(scan, image, numbers[0]);
	for (size_t i = 1; i < NARROW_LEAST; i++)
		if (!function || function_of(scan, image, numbers[i]) != function)
			return;
	for (size_t i = 0; i < NARROW_LEAST; i++)
		code_map_guess(&scan->map, numbers[i]);
}

/* Reads what may be addresses in [start, end) of a segment. */
static void read_words(const struct scan *scan, const struct image *image, uint64_t start,
		       uint64_t end)
{
	enum { ALIGNMENT = 4 };
	const uint8_t *bytes;
	uint64_t word;

	start = (start + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
	bytes = start < end ? image_bytes_at(image, start, end - start) : NULL;
	for (uint64_t i = 0; bytes && start + i + 8 <= end; i += ALIGNMENT) {
		memcpy(&word, bytes + i, sizeof(word));
		code_map_guess(&scan->map, word);
		if (start + i + NARROW_LEAST * sizeof(uint32_t) <= end)
			read_narrow(scan, image, bytes + i);
	}
}

void jump_tables_read_pointers(const struct scan *scan, const struct image *image)
{
	vector_for_each (&image->segments, segment) {
		uint64_t at = segment->address, end = at + segment->file_size;

		/* Constants may lie in the segment of the code, and between functions. */
		for (size_t i = 0; segment->executable && i < image->functions.count;
		     i++) {
			const struct image_function *function =
				&image->functions.items[i];
			uint64_t behind = function->address + function->size;

			if (!(scan->traits[i] & SCAN_WHOLE) || behind <= at ||
			    behind > end || function->address < segment->address)
				continue;
			read_words(scan, image, at, function->address);
			at = behind;
		}
		read_words(scan, image, at, end);
	}
}
