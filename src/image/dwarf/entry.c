#include "image/dwarf/entry.h"

#include "image/dwarf/abbreviation.h"
#include "image/dwarf/file.h"
#include "image/dwarf/form.h"
#include "image/dwarf/ranges.h"

enum { ORIGINS_MAX = 16 }; /* one behind the other; more is damage */

void dwarf_entry_read(struct dwarf_unit *unit, uint64_t offset,
		      struct dwarf_entry *ret_entry)
{
	struct bytes info = unit->file->sections[DWARF_INFO];
	struct dwarf_layout layout = {0};
	struct cursor cursor;
	uint64_t code;

	ret_entry->unit = unit;
	ret_entry->offset = offset;
	ret_entry->tag = 0;
	ret_entry->children = false;
	ret_entry->present = 0;
	ret_entry->next = unit->end;
	if (offset < unit->first || offset >= unit->end || unit->end > info.size)
		return;
	cursor = cursor_over(
		(struct bytes){info.data + offset, (size_t)(unit->end - offset)}, offset);
	code = image_cursor_uleb(&cursor);
	if (code && !dwarf_abbreviation_find(unit->abbreviations, code, &layout))
		return;
	for (size_t i = 0; i < layout.field_count; i++) {
		const struct dwarf_field *field = &layout.fields[i];
		struct dwarf_value value;

		dwarf_form_read(&cursor, unit, field->form, field->constant, &value);
		if (field->slot == DWARF_SLOTS)
			continue;
		ret_entry->values[field->slot] = value;
		ret_entry->present |= 1ull << field->slot;
	}
	if (cursor.failed) {
		ret_entry->present = 0;
		return;
	}
	ret_entry->tag = layout.tag;
	ret_entry->children = layout.children;
	ret_entry->next = cursor.address;
}

bool dwarf_entry_follow(struct dwarf_unit *unit, const struct dwarf_value *value,
			struct dwarf_entry *ret_entry)
{
	uint64_t offset = value->number;
	uint32_t form = value->form;

	if (form >= DW_FORM_ref1 && form <= DW_FORM_ref_udata) {
		if (__builtin_add_overflow(offset, unit->offset, &offset))
			return false;
	} else if (form == DW_FORM_ref_addr) {
		/* A split unit's file has no other units of its kind. */
		if (offset < unit->offset || offset >= unit->end)
			unit = dwarf_unit_at(unit->file, offset);
	} else if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_ref_sup4 ||
		   form == DW_FORM_ref_sup8) {
		unit = unit->file->supplementary
			       ? dwarf_unit_at(unit->file->supplementary, offset)
			       : NULL;
	} else {
		return false;
	}
	if (!unit)
		return false;
	dwarf_entry_read(unit, offset, ret_entry);
	return ret_entry->tag != 0;
}

bool dwarf_entry_find(const struct dwarf_entry *entry, enum dwarf_slot slot,
		      struct dwarf_unit **ret_unit, struct dwarf_value *ret_value)
{
	struct dwarf_entry next;

	for (size_t i = 0; i < ORIGINS_MAX; i++) {
		enum dwarf_slot link = dwarf_entry_has(entry, DWARF_ORIGIN)
					       ? DWARF_ORIGIN
					       : DWARF_SPECIFICATION;

		if (dwarf_entry_has(entry, slot)) {
			*ret_unit = entry->unit;
			*ret_value = entry->values[slot];
			return true;
		}
		struct dwarf_value to = entry->values[link];

		if (!dwarf_entry_has(entry, link) ||
		    !dwarf_entry_follow(entry->unit, &to, &next))
			return false;
		entry = &next;
	}
	return false;
}

const char *dwarf_entry_string(const struct dwarf_entry *entry, enum dwarf_slot slot)
{
	struct dwarf_unit *unit;
	struct dwarf_value value;

	return dwarf_entry_find(entry, slot, &unit, &value)
		       ? dwarf_string_of(unit, &value)
		       : NULL;
}

const char *dwarf_entry_linked_name(const struct dwarf_entry *entry)
{
	const char *linked = dwarf_entry_string(entry, DWARF_LINKAGE_NAME);

	return linked ? linked : dwarf_entry_string(entry, DWARF_NAME);
}

uint32_t dwarf_entry_number(const struct dwarf_entry *entry, enum dwarf_slot slot)
{
	struct dwarf_unit *unit;
	struct dwarf_value value;

	return dwarf_entry_find(entry, slot, &unit, &value) && value.number <= UINT32_MAX
		       ? (uint32_t)value.number
		       : 0;
}

bool dwarf_entry_start(const struct dwarf_entry *entry, uint64_t *ret_address)
{
	struct image_ranges ranges = {0};
	bool found = false;

	if (dwarf_entry_has(entry, DWARF_ENTRY_PC) &&
	    dwarf_entry_has(entry, DWARF_LOW_PC) &&
	    dwarf_address_of(entry->unit, &entry->values[DWARF_ENTRY_PC], ret_address))
		return true;
	if (dwarf_entry_has(entry, DWARF_LOW_PC))
		return dwarf_address_of(entry->unit, &entry->values[DWARF_LOW_PC],
					ret_address);
	/* Compilers that split a function give its parts as ranges, with the entry's
	 * first. */
	dwarf_entry_ranges(entry, &ranges);
	if (ranges.count) {
		*ret_address = ranges.items[0].start;
		found = true;
	}
	vector_deinit(&ranges);
	return found;
}

uint64_t dwarf_entry_end(const struct dwarf_entry *entry)
{
	struct dwarf_unit *unit = entry->unit;
	uint64_t offset = entry->next;
	struct dwarf_entry inner;
	size_t depth = 1;

	if (!entry->children)
		return offset;
	if (dwarf_entry_has(entry, DWARF_SIBLING)) {
		uint64_t sibling = entry->values[DWARF_SIBLING].number;

		if (entry->values[DWARF_SIBLING].form != DW_FORM_ref_addr)
			sibling += unit->offset;
		if (sibling > offset && sibling <= unit->end)
			return sibling;
	}
	while (depth && offset < unit->end) {
		dwarf_entry_read(unit, offset, &inner);
		offset = inner.next;
		if (!inner.tag)
			depth--;
		else if (inner.children)
			depth++;
	}
	return offset;
}
