#include "image/dwarf/abbreviation.h"

#include "base/array.h"

struct abbreviation {
	uint64_t code;
	uint32_t tag;
	bool children;
	size_t first, count; /* in fields */
};

struct dwarf_abbreviations {
	struct VECTOR(struct abbreviation) items;
	struct VECTOR(struct dwarf_field) fields;
	struct table
		by_code; /* index in items, of those that are not at their code - 1 */
};

static const struct {
	uint16_t attribute, slot;
} slots[] = {
	{DW_AT_sibling, DWARF_SIBLING},
	{DW_AT_name, DWARF_NAME},
	{DW_AT_linkage_name, DWARF_LINKAGE_NAME},
	{DW_AT_MIPS_linkage_name, DWARF_LINKAGE_NAME},
	{DW_AT_stmt_list, DWARF_STMT_LIST},
	{DW_AT_low_pc, DWARF_LOW_PC},
	{DW_AT_high_pc, DWARF_HIGH_PC},
	{DW_AT_comp_dir, DWARF_COMP_DIR},
	{DW_AT_producer, DWARF_PRODUCER},
	{DW_AT_abstract_origin, DWARF_ORIGIN},
	{DW_AT_specification, DWARF_SPECIFICATION},
	{DW_AT_decl_file, DWARF_DECL_FILE},
	{DW_AT_decl_line, DWARF_DECL_LINE},
	{DW_AT_entry_pc, DWARF_ENTRY_PC},
	{DW_AT_ranges, DWARF_RANGES_OF},
	{DW_AT_call_line, DWARF_CALL_LINE},
	{DW_AT_GNU_discriminator, DWARF_DISCRIMINATOR},
	{DW_AT_str_offsets_base, DWARF_STR_OFFSETS_BASE},
	{DW_AT_addr_base, DWARF_ADDR_BASE},
	{DW_AT_GNU_addr_base, DWARF_ADDR_BASE},
	{DW_AT_rnglists_base, DWARF_RNGLISTS_BASE},
	{DW_AT_GNU_ranges_base, DWARF_RANGES_BASE},
	{DW_AT_dwo_name, DWARF_DWO_NAME},
	{DW_AT_GNU_dwo_name, DWARF_DWO_NAME},
	{DW_AT_GNU_dwo_id, DWARF_DWO_ID},
	{DW_AT_type, DWARF_TYPE},
	{DW_AT_byte_size, DWARF_BYTE_SIZE},
	{DW_AT_encoding, DWARF_ENCODING},
	{DW_AT_data_member_location, DWARF_MEMBER_LOCATION},
	{DW_AT_bit_size, DWARF_BIT_SIZE},
	{DW_AT_bit_offset, DWARF_BIT_OFFSET},
	{DW_AT_data_bit_offset, DWARF_DATA_BIT_OFFSET},
	{DW_AT_upper_bound, DWARF_UPPER_BOUND},
	{DW_AT_count, DWARF_COUNT},
	{DW_AT_const_value, DWARF_CONST_VALUE},
	{DW_AT_declaration, DWARF_DECLARATION},
	{DW_AT_location, DWARF_LOCATION},
	{DW_AT_frame_base, DWARF_FRAME_BASE},
	{DW_AT_loclists_base, DWARF_LOCLISTS_BASE},
};

static uint8_t slot_of(uint64_t attribute)
{
	for (size_t i = 0; i < array_count(slots); i++)
		if (slots[i].attribute == attribute)
			return (uint8_t)slots[i].slot;
	return DWARF_SLOTS;
}

static void read_fields(struct dwarf_abbreviations *to, struct cursor *cursor)
{
	for (;;) {
		uint64_t attribute = image_cursor_uleb(cursor);
		uint64_t form = image_cursor_uleb(cursor);
		struct dwarf_field field = {.slot = slot_of(attribute)};

		if (cursor->failed || (!attribute && !form))
			return;
		/* Too large a number is no form, as 0 is none. */
		field.form = form > UINT16_MAX ? 0 : (uint16_t)form;
		if (form == DW_FORM_implicit_const)
			field.constant = image_cursor_sleb(cursor);
		vector_push(&to->fields, field);
	}
}

static void read_table(struct dwarf_abbreviations *to, struct cursor *cursor)
{
	while (!cursor->failed && cursor_left(cursor)) {
		struct abbreviation item = {.code = image_cursor_uleb(cursor),
					    .first = to->fields.count};
		bool new;

		if (!item.code)
			return;
		item.tag = (uint32_t)image_cursor_uleb(cursor);
		item.children = cursor_u8(cursor) != 0;
		read_fields(to, cursor);
		if (cursor->failed)
			return;
		item.count = to->fields.count - item.first;
		if (item.code != to->items.count + 1) {
			uint64_t *index = table_insert(&to->by_code, item.code, &new);

			if (new)
				*index = to->items.count;
		}
		vector_push(&to->items, item);
	}
}

const struct dwarf_abbreviations *dwarf_abbreviations_at(struct dwarf_file *file,
							 uint64_t offset)
{
	struct bytes section = file->sections[DWARF_ABBREV];
	uint64_t index;

	if (table_find(&file->abbreviations_at, offset, &index))
		return file->abbreviations.items[index];
	if (offset >= section.size)
		return NULL;
	struct dwarf_abbreviations *table = memory_allocate_zeroed(1, sizeof(*table));
	struct cursor cursor = cursor_over(
		(struct bytes){section.data + offset, section.size - offset}, 0);

	read_table(table, &cursor);
	*table_insert(&file->abbreviations_at, offset, NULL) = file->abbreviations.count;
	vector_push(&file->abbreviations, table);
	return table;
}

void dwarf_abbreviations_destroy(struct dwarf_abbreviations *abbreviations)
{
	vector_deinit(&abbreviations->items);
	vector_deinit(&abbreviations->fields);
	table_deinit(&abbreviations->by_code);
	free(abbreviations);
}

bool dwarf_abbreviation_find(const struct dwarf_abbreviations *abbreviations,
			     uint64_t code, struct dwarf_layout *ret_layout)
{
	uint64_t index = code - 1;

	if (index >= abbreviations->items.count ||
	    abbreviations->items.items[index].code != code)
		if (!table_find(&abbreviations->by_code, code, &index))
			return false;
	const struct abbreviation *item = &abbreviations->items.items[index];

	*ret_layout = (struct dwarf_layout){
		item->tag,
		item->children,
		abbreviations->fields.items + item->first,
		item->count,
	};
	return true;
}
