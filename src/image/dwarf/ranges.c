#include "image/dwarf/ranges.h"

#include "image/bytes.h"
#include "image/dwarf/form.h"

enum { RANGES_MAX = 1 << 20 }; /* of one entry */

/* Where a list is read, and what its numbers are relative to. */
struct list {
	const struct dwarf_unit *unit;
	struct cursor cursor;
	uint64_t base;
	struct image_ranges *ranges;
};

static void add_range(struct list *list, uint64_t start, uint64_t end)
{
	if (end > start && list->ranges->count < RANGES_MAX)
		vector_push(list->ranges, ((struct image_range){start, end}));
}

/* Positions the cursor; false if the offset is not in the section. */
static bool go_to(struct list *list, const struct dwarf_file *file,
		  enum dwarf_section section, uint64_t offset)
{
	struct bytes bytes = file->sections[section];

	if (offset >= bytes.size)
		return false;
	list->cursor = cursor_over(
		(struct bytes){bytes.data + offset, bytes.size - (size_t)offset}, offset);
	return true;
}

/* Pairs of addresses, up to one of zeros (.debug_ranges). */
static void read_pairs(struct list *list)
{
	uint8_t size = list->unit->address_size;
	uint64_t largest = size == 8 ? UINT64_MAX : UINT32_MAX;

	while (!list->cursor.failed) {
		uint64_t start = cursor_number(&list->cursor, size);
		uint64_t end = cursor_number(&list->cursor, size);

		if (list->cursor.failed || (!start && !end))
			return;
		if (start == largest)
			list->base = end;
		else
			add_range(list, list->base + start, list->base + end);
	}
}

/* The address at an index that is next in the list. */
static uint64_t indexed_list(struct list *list)
{
	uint64_t address = 0;

	if (!dwarf_address_by_index(list->unit, image_cursor_uleb(&list->cursor),
				    &address))
		list->cursor.failed = true;
	return address;
}

/* One entry of .debug_rnglists; false at the end. */
static bool read_entry(struct list *list)
{
	struct cursor *cursor = &list->cursor;
	uint8_t size = list->unit->address_size;
	uint64_t start = 0, end = 0;

	switch ((enum dwarf_range_entry)cursor_u8(cursor)) {
	case DW_RLE_base_addressx:
		list->base = indexed_list(list);
		break;
	case DW_RLE_startx_endx:
		start = indexed_list(list);
		end = indexed_list(list);
		break;
	case DW_RLE_startx_length:
		start = indexed_list(list);
		end = start + image_cursor_uleb(cursor);
		break;
	case DW_RLE_offset_pair:
		start = list->base + image_cursor_uleb(cursor);
		end = list->base + image_cursor_uleb(cursor);
		break;
	case DW_RLE_base_address:
		list->base = cursor_number(cursor, size);
		break;
	case DW_RLE_start_end:
		start = cursor_number(cursor, size);
		end = cursor_number(cursor, size);
		break;
	case DW_RLE_start_length:
		start = cursor_number(cursor, size);
		end = start + image_cursor_uleb(cursor);
		break;
	case DW_RLE_end_of_list:
	default:
		return false;
	}
	if (!cursor->failed)
		add_range(list, start, end);
	return !cursor->failed;
}

static void read_list(struct list *list, const struct dwarf_value *value)
{
	const struct dwarf_unit *unit = list->unit;
	const struct dwarf_unit *skeleton = unit->skeleton;
	uint64_t offset = value->number;

	if (unit->version >= 5) {
		if (value->form == DW_FORM_rnglistx &&
		    !dwarf_list_offset(unit, DWARF_RNGLISTS, unit->rnglists_base,
				       value->number, &offset))
			return;
		if (go_to(list, unit->file, DWARF_RNGLISTS, offset))
			while (read_entry(list))
				;
		return;
	}
	/* Those of split units are in the skeleton's file. */
	if (skeleton && __builtin_add_overflow(offset, skeleton->ranges_base, &offset))
		return;
	if (go_to(list, (skeleton ? skeleton : unit)->file, DWARF_RANGES, offset))
		read_pairs(list);
}

void dwarf_entry_ranges(const struct dwarf_entry *entry, struct image_ranges *ranges)
{
	const struct dwarf_unit *unit = entry->unit;
	struct list list = {
		.unit = unit,
		.base = unit->skeleton ? unit->skeleton->low_pc : unit->low_pc,
		.ranges = ranges,
	};
	const struct dwarf_value *high = &entry->values[DWARF_HIGH_PC];
	uint64_t start, end;

	ranges->count = 0;
	if (dwarf_entry_has(entry, DWARF_RANGES_OF)) {
		read_list(&list, &entry->values[DWARF_RANGES_OF]);
		return;
	}
	if (!dwarf_entry_has(entry, DWARF_LOW_PC) ||
	    !dwarf_entry_has(entry, DWARF_HIGH_PC) ||
	    !dwarf_address_of(unit, &entry->values[DWARF_LOW_PC], &start))
		return;
	/* Either an address, or the size. */
	if (!dwarf_address_of(unit, high, &end))
		end = start + high->number;
	add_range(&list, start, end);
}
