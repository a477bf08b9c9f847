/* Where variables are: expressions of one operation, and lists of them by code. What is
 * more than that (values that are computed, or in pieces) counts as nowhere. */
#include "image/dwarf/location.h"

#include "image/bytes.h"
#include "image/dwarf/form.h"

enum { LOCATIONS_MAX = 1 << 16 }; /* of one variable */

/* The processor's number of a register of DWARF (System V ABI, figure 3.36). */
static bool register_of(uint64_t number, uint8_t *ret_number)
{
	static const uint8_t first[] = {0, 2, 1, 3, 6, 7, 5, 4};

	if (number > 15)
		return false;
	*ret_number = number < 8 ? first[number] : (uint8_t)number;
	return true;
}

static bool read_operation(const struct dwarf_unit *unit, struct cursor *cursor,
			   struct image_location *location)
{
	uint8_t op = cursor_u8(cursor);
	uint64_t address;

	if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
		location->kind = IMAGE_IN_REGISTER;
		return register_of(op - DW_OP_reg0, &location->number);
	}
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		location->kind = IMAGE_IN_MEMORY;
		location->offset = image_cursor_sleb(cursor);
		return register_of(op - DW_OP_breg0, &location->number);
	}
	switch (op) {
	case DW_OP_fbreg:
		location->kind = IMAGE_AT_BASE;
		location->offset = image_cursor_sleb(cursor);
		return true;
	case DW_OP_call_frame_cfa:
		location->kind = IMAGE_IN_FRAME;
		return true;
	case DW_OP_addr:
		location->kind = IMAGE_AT_ADDRESS;
		location->offset = (int64_t)cursor_number(cursor, unit->address_size);
		return true;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		location->kind = IMAGE_AT_ADDRESS;
		if (!dwarf_address_by_index(unit, image_cursor_uleb(cursor), &address))
			return false;
		location->offset = (int64_t)address;
		return true;
	default:
		return false;
	}
}

static struct image_location read_expression(const struct dwarf_unit *unit,
					     struct bytes bytes)
{
	struct cursor cursor = cursor_over(bytes, 0);
	struct image_location location = {0};

	if (read_operation(unit, &cursor, &location) && !cursor.failed &&
	    !cursor_left(&cursor))
		return location;
	return (struct image_location){.kind = IMAGE_NOWHERE};
}

struct image_location dwarf_value_location(const struct dwarf_unit *unit,
					   const struct dwarf_value *value)
{
	struct bytes bytes;

	if (!value->size || !image_slice(unit->file->sections[DWARF_INFO], value->number,
					 value->size, &bytes))
		return (struct image_location){.kind = IMAGE_NOWHERE};
	return read_expression(unit, bytes);
}

struct reading {
	const struct dwarf_unit *unit;
	struct cursor cursor;
	uint64_t base;
	struct image_locations *locations;
	size_t room; /* for so many more */
};

static void add_location(struct reading *reading, uint64_t start, uint64_t end,
			 uint64_t size)
{
	const uint8_t *bytes = cursor_skip(&reading->cursor, size);
	struct image_location location;

	if (!bytes || end <= start || !reading->room)
		return;
	reading->room--;
	location = read_expression(reading->unit, (struct bytes){bytes, (size_t)size});
	location.code = (struct image_range){start, end};
	vector_push(reading->locations, location);
}

/* .debug_loc: pairs of addresses, each with an expression, up to one of zeros. */
static void read_pairs(struct reading *reading)
{
	struct cursor *cursor = &reading->cursor;
	uint8_t size = reading->unit->address_size;
	uint64_t largest = size == 8 ? UINT64_MAX : UINT32_MAX;

	while (!cursor->failed) {
		uint64_t start = cursor_number(cursor, size);
		uint64_t end = cursor_number(cursor, size);

		if (cursor->failed || (!start && !end))
			return;
		if (start == largest)
			reading->base = end;
		else
			add_location(reading, reading->base + start, reading->base + end,
				     cursor_number(cursor, 2));
	}
}

static uint64_t indexed_address(struct reading *reading)
{
	uint64_t address = 0;

	if (!dwarf_address_by_index(reading->unit, image_cursor_uleb(&reading->cursor),
				    &address))
		reading->cursor.failed = true;
	return address;
}

/* One entry of .debug_loclists; false at the end. */
static bool read_entry(struct reading *reading)
{
	struct cursor *cursor = &reading->cursor;
	uint8_t size = reading->unit->address_size;
	uint64_t start = 0, end = UINT64_MAX;

	switch ((enum dwarf_location_entry)cursor_u8(cursor)) {
	case DW_LLE_base_addressx:
		reading->base = indexed_address(reading);
		return !cursor->failed;
	case DW_LLE_base_address:
		reading->base = cursor_number(cursor, size);
		return !cursor->failed;
	case DW_LLE_startx_endx:
		start = indexed_address(reading);
		end = indexed_address(reading);
		break;
	case DW_LLE_startx_length:
		start = indexed_address(reading);
		end = start + image_cursor_uleb(cursor);
		break;
	case DW_LLE_offset_pair:
		start = reading->base + image_cursor_uleb(cursor);
		end = reading->base + image_cursor_uleb(cursor);
		break;
	case DW_LLE_default_location:
		break;
	case DW_LLE_start_end:
		start = cursor_number(cursor, size);
		end = cursor_number(cursor, size);
		break;
	case DW_LLE_start_length:
		start = cursor_number(cursor, size);
		end = start + image_cursor_uleb(cursor);
		break;
	case DW_LLE_end_of_list:
	default:
		return false;
	}
	add_location(reading, start, end, image_cursor_uleb(cursor));
	return !cursor->failed;
}

static void read_list(struct reading *reading, const struct dwarf_value *value)
{
	const struct dwarf_unit *unit = reading->unit;
	bool lists = unit->version >= 5;
	struct bytes section = unit->file->sections[lists ? DWARF_LOCLISTS : DWARF_LOC];
	uint64_t offset = value->number;

	/* Those of split units before version 5 have a form of their own. */
	if (!lists && unit->skeleton)
		return;
	if (value->form == DW_FORM_loclistx &&
	    !dwarf_list_offset(unit, DWARF_LOCLISTS, unit->loclists_base, value->number,
			       &offset))
		return;
	if (offset >= section.size)
		return;
	reading->cursor = cursor_over(
		(struct bytes){section.data + offset, section.size - (size_t)offset}, 0);
	if (!lists)
		read_pairs(reading);
	else
		while (read_entry(reading))
			;
}

static bool is_list(const struct dwarf_value *value)
{
	return value->form == DW_FORM_sec_offset || value->form == DW_FORM_loclistx ||
	       value->form == DW_FORM_data4 || value->form == DW_FORM_data8;
}

void dwarf_entry_locations(const struct dwarf_entry *entry, struct image_range whole,
			   struct image_locations *ret_locations)
{
	const struct dwarf_unit *unit = entry->unit;
	const struct dwarf_value *value = &entry->values[DWARF_LOCATION];
	struct reading reading = {
		.unit = unit,
		.base = unit->skeleton ? unit->skeleton->low_pc : unit->low_pc,
		.locations = ret_locations,
		.room = LOCATIONS_MAX,
	};

	if (!dwarf_entry_has(entry, DWARF_LOCATION))
		return;
	if (is_list(value)) {
		read_list(&reading, value);
		return;
	}
	struct image_location location = dwarf_value_location(unit, value);

	location.code = whole;
	vector_push(ret_locations, location);
}
