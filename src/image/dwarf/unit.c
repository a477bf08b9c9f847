#include "image/dwarf/unit.h"

#include "image/dwarf/abbreviation.h"
#include "image/dwarf/entry.h"
#include "image/dwarf/form.h"

static uint64_t number_of(const struct dwarf_entry *root, enum dwarf_slot slot,
			  uint64_t otherwise)
{
	return dwarf_entry_has(root, slot) ? root->values[slot].number : otherwise;
}

static const char *string_of(const struct dwarf_entry *root, enum dwarf_slot slot)
{
	return dwarf_entry_has(root, slot)
		       ? dwarf_string_of(root->unit, &root->values[slot])
		       : NULL;
}

/* What the first entry says of the unit. Tables begin behind a head of their own, which
 * split units count from and do not name. */
static void read_root(struct dwarf_unit *unit)
{
	bool split = unit->type == DW_UT_split_compile;
	bool wide = unit->offset_size == 8;
	struct dwarf_entry root;

	dwarf_entry_read(unit, unit->first, &root);
	unit->str_offsets_base =
		number_of(&root, DWARF_STR_OFFSETS_BASE, split ? (wide ? 16 : 8) : 0);
	unit->addr_base = number_of(&root, DWARF_ADDR_BASE, 0);
	unit->rnglists_base = number_of(&root, DWARF_RNGLISTS_BASE, wide ? 20 : 12);
	unit->loclists_base = number_of(&root, DWARF_LOCLISTS_BASE, wide ? 20 : 12);
	unit->ranges_base = number_of(&root, DWARF_RANGES_BASE, 0);
	unit->line_offset = number_of(&root, DWARF_STMT_LIST, UINT64_MAX);
	unit->split_id = number_of(&root, DWARF_DWO_ID, unit->split_id);
	unit->folder = string_of(&root, DWARF_COMP_DIR);
	if (dwarf_entry_has(&root, DWARF_LOW_PC))
		dwarf_address_of(unit, &root.values[DWARF_LOW_PC], &unit->low_pc);
	if (unit->version >= 5 ? unit->type == DW_UT_skeleton : true)
		unit->split_name = string_of(&root, DWARF_DWO_NAME);
}

/* Reads the head of a unit behind its length. */
static void read_head(struct dwarf_unit *unit, struct cursor *cursor,
		      uint64_t *ret_abbreviations)
{
	unit->version = (uint16_t)cursor_number(cursor, 2);
	unit->type = DW_UT_compile;
	if (unit->version >= 5) {
		unit->type = cursor_u8(cursor);
		unit->address_size = cursor_u8(cursor);
	}
	*ret_abbreviations = cursor_number(cursor, unit->offset_size);
	if (unit->version < 5)
		unit->address_size = cursor_u8(cursor);
	if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
		unit->split_id = cursor_number(cursor, 8);
	if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
		cursor_skip(cursor, 8 + (uint64_t)unit->offset_size);
	unit->first = cursor->address;
}

static bool is_sound(const struct dwarf_unit *unit)
{
	return unit->version >= 2 && unit->version <= 5 && unit->abbreviations &&
	       (unit->address_size == 8 || unit->address_size == 4);
}

/* Adds the next unit; false at the end, or where nothing can be read any more. */
static bool add_unit(struct dwarf_file *file, struct cursor *cursor)
{
	struct dwarf_unit unit = {
		.file = file, .offset = cursor->address, .offset_size = 4};
	uint64_t length = cursor_number(cursor, 4), abbreviations;
	struct cursor inner;

	if (length == UINT32_MAX) {
		length = cursor_number(cursor, 8);
		unit.offset_size = 8;
	}
	inner = *cursor;
	if (!cursor_skip(cursor, length))
		return false;
	unit.end = cursor->address;
	cursor_limit(&inner, length);
	read_head(&unit, &inner, &abbreviations);
	if (!inner.failed)
		unit.abbreviations = dwarf_abbreviations_at(file, abbreviations);
	if (is_sound(&unit))
		vector_push(&file->units, unit);
	return true;
}

void dwarf_file_read_units(struct dwarf_file *file)
{
	struct cursor cursor = cursor_over(file->sections[DWARF_INFO], 0);

	while (cursor_left(&cursor) && add_unit(file, &cursor))
		;
	vector_for_each (&file->units, unit)
		read_root(unit);
}
