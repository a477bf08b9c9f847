#include "image/dwarf/form.h"

#include "base/array.h"
#include "image/bytes.h"

/* How the bytes of a form lie. */
enum layout {
	LAYOUT_UNKNOWN,
	LAYOUT_FIXED,   /* `size` bytes; of more than 8 the value is not kept */
	LAYOUT_ADDRESS, /* as large as the unit's addresses */
	LAYOUT_OFFSET,  /* as the unit's offsets */
	LAYOUT_UNIT,    /* DW_FORM_ref_addr: as addresses in version 2, then as offsets */
	LAYOUT_ULEB,
	LAYOUT_SLEB,
	LAYOUT_STRING,
	LAYOUT_BLOCK,      /* a length of `size` bytes, and so many bytes */
	LAYOUT_BLOCK_ULEB, /* the same with a length in ULEB128 */
	LAYOUT_CONSTANT,   /* in the abbreviation */
	LAYOUT_TRUE,
	LAYOUT_INDIRECT, /* the form is in front of the value */
};

static const struct form {
	uint8_t layout, size;
} forms[] = {
	[0x01] = {LAYOUT_ADDRESS, 0},    [0x03] = {LAYOUT_BLOCK, 2},
	[0x04] = {LAYOUT_BLOCK, 4},      [0x05] = {LAYOUT_FIXED, 2},
	[0x06] = {LAYOUT_FIXED, 4},      [0x07] = {LAYOUT_FIXED, 8},
	[0x08] = {LAYOUT_STRING, 0},     [0x09] = {LAYOUT_BLOCK_ULEB, 0},
	[0x0a] = {LAYOUT_BLOCK, 1},      [0x0b] = {LAYOUT_FIXED, 1},
	[0x0c] = {LAYOUT_FIXED, 1},      [0x0d] = {LAYOUT_SLEB, 0},
	[0x0e] = {LAYOUT_OFFSET, 0},     [0x0f] = {LAYOUT_ULEB, 0},
	[0x10] = {LAYOUT_UNIT, 0},       [0x11] = {LAYOUT_FIXED, 1},
	[0x12] = {LAYOUT_FIXED, 2},      [0x13] = {LAYOUT_FIXED, 4},
	[0x14] = {LAYOUT_FIXED, 8},      [0x15] = {LAYOUT_ULEB, 0},
	[0x16] = {LAYOUT_INDIRECT, 0},   [0x17] = {LAYOUT_OFFSET, 0},
	[0x18] = {LAYOUT_BLOCK_ULEB, 0}, [0x19] = {LAYOUT_TRUE, 0},
	[0x1a] = {LAYOUT_ULEB, 0},       [0x1b] = {LAYOUT_ULEB, 0},
	[0x1c] = {LAYOUT_FIXED, 4},      [0x1d] = {LAYOUT_OFFSET, 0},
	[0x1e] = {LAYOUT_FIXED, 16},     [0x1f] = {LAYOUT_OFFSET, 0},
	[0x20] = {LAYOUT_FIXED, 8},      [0x21] = {LAYOUT_CONSTANT, 0},
	[0x22] = {LAYOUT_ULEB, 0},       [0x23] = {LAYOUT_ULEB, 0},
	[0x24] = {LAYOUT_FIXED, 8},      [0x25] = {LAYOUT_FIXED, 1},
	[0x26] = {LAYOUT_FIXED, 2},      [0x27] = {LAYOUT_FIXED, 3},
	[0x28] = {LAYOUT_FIXED, 4},      [0x29] = {LAYOUT_FIXED, 1},
	[0x2a] = {LAYOUT_FIXED, 2},      [0x2b] = {LAYOUT_FIXED, 3},
	[0x2c] = {LAYOUT_FIXED, 4},
};

static struct form form_of(uint32_t number)
{
	if (number < array_count(forms))
		return forms[number];
	if (number == DW_FORM_GNU_addr_index || number == DW_FORM_GNU_str_index)
		return (struct form){LAYOUT_ULEB, 0};
	if (number == DW_FORM_GNU_ref_alt || number == DW_FORM_GNU_strp_alt)
		return (struct form){LAYOUT_OFFSET, 0};
	return (struct form){LAYOUT_UNKNOWN, 0};
}

/* Returns the offset of the block's bytes. */
static uint64_t read_block(struct cursor *cursor, uint64_t size, uint32_t *ret_size)
{
	uint64_t offset = cursor->address;

	cursor_skip(cursor, size);
	*ret_size = size > UINT32_MAX ? 0 : (uint32_t)size;
	return offset;
}

static uint64_t read_string(struct cursor *cursor)
{
	uint64_t offset = cursor->address;

	image_cursor_string(cursor);
	return offset;
}

static uint64_t read_number(struct cursor *cursor, const struct dwarf_unit *unit,
			    struct form form, int64_t constant, uint32_t *ret_size)
{
	switch ((enum layout)form.layout) {
	case LAYOUT_FIXED:
		return form.size > 8 ? read_block(cursor, form.size, ret_size)
				     : cursor_number(cursor, form.size);
	case LAYOUT_ADDRESS:
		return cursor_number(cursor, unit->address_size);
	case LAYOUT_OFFSET:
		return cursor_number(cursor, unit->offset_size);
	case LAYOUT_UNIT:
		return cursor_number(cursor, unit->version == 2 ? unit->address_size
								: unit->offset_size);
	case LAYOUT_ULEB:
		return image_cursor_uleb(cursor);
	case LAYOUT_SLEB:
		return (uint64_t)image_cursor_sleb(cursor);
	case LAYOUT_STRING:
		return read_string(cursor);
	case LAYOUT_BLOCK:
		return read_block(cursor, cursor_number(cursor, form.size), ret_size);
	case LAYOUT_BLOCK_ULEB:
		return read_block(cursor, image_cursor_uleb(cursor), ret_size);
	case LAYOUT_CONSTANT:
		return (uint64_t)constant;
	case LAYOUT_TRUE:
		return 1;
	case LAYOUT_INDIRECT:
	case LAYOUT_UNKNOWN:
		break;
	}
	cursor->failed = true;
	return 0;
}

void dwarf_form_read(struct cursor *cursor, const struct dwarf_unit *unit, uint32_t form,
		     int64_t constant, struct dwarf_value *ret_value)
{
	if (form == DW_FORM_indirect) {
		uint64_t inner = image_cursor_uleb(cursor);

		form = inner > UINT16_MAX ? 0 : (uint32_t)inner;
	}
	ret_value->form = (uint16_t)form;
	ret_value->size = 0;
	ret_value->number =
		read_number(cursor, unit, form_of(form), constant, &ret_value->size);
}

/* The string at an offset of a section that was cut behind its last 0. */
static const char *string_at(const struct dwarf_file *file, enum dwarf_section section,
			     uint64_t offset)
{
	if (!file || offset >= file->sections[section].size)
		return NULL;
	return (const char *)file->sections[section].data + offset;
}

/* A number of `size` bytes at an offset of a section. */
static bool number_at(const struct dwarf_file *file, enum dwarf_section section,
		      uint64_t offset, size_t size, uint64_t *ret_number)
{
	struct bytes slice;

	if (!image_slice(file->sections[section], offset, size, &slice))
		return false;
	*ret_number = 0;
	memcpy(ret_number, slice.data, size);
	return true;
}

/* Entry `index` of a table of numbers; false past its end. */
static bool number_in(const struct dwarf_file *file, enum dwarf_section section,
		      uint64_t base, uint64_t index, size_t size, uint64_t *ret_number)
{
	uint64_t offset;

	return !__builtin_mul_overflow(index, size, &offset) &&
	       !__builtin_add_overflow(offset, base, &offset) &&
	       number_at(file, section, offset, size, ret_number);
}

const char *dwarf_string_of(const struct dwarf_unit *unit,
			    const struct dwarf_value *value)
{
	const struct dwarf_file *file = unit->file;
	uint32_t form = value->form;
	uint64_t offset;

	/* dwarf_form_read has seen where it ends. */
	if (form == DW_FORM_string)
		return value->number < file->sections[DWARF_INFO].size
			       ? (const char *)file->sections[DWARF_INFO].data +
					 value->number
			       : NULL;
	if (form == DW_FORM_strp)
		return string_at(file, DWARF_STR, value->number);
	if (form == DW_FORM_line_strp)
		return string_at(file, DWARF_LINE_STR, value->number);
	if (form == DW_FORM_strp_sup || form == DW_FORM_GNU_strp_alt)
		return string_at(file->supplementary, DWARF_STR, value->number);
	if (form == DW_FORM_strx || form == DW_FORM_GNU_str_index ||
	    (form >= DW_FORM_strx1 && form <= DW_FORM_strx4))
		return number_in(file, DWARF_STR_OFFSETS, unit->str_offsets_base,
				 value->number, unit->offset_size, &offset)
			       ? string_at(file, DWARF_STR, offset)
			       : NULL;
	return NULL;
}

bool dwarf_address_by_index(const struct dwarf_unit *unit, uint64_t index,
			    uint64_t *ret_address)
{
	const struct dwarf_unit *owner = unit->skeleton ? unit->skeleton : unit;

	return number_in(owner->file, DWARF_ADDR, owner->addr_base, index,
			 owner->address_size, ret_address);
}

bool dwarf_address_of(const struct dwarf_unit *unit, const struct dwarf_value *value,
		      uint64_t *ret_address)
{
	uint32_t form = value->form;

	if (form == DW_FORM_addr) {
		*ret_address = value->number;
		return true;
	}
	return (form == DW_FORM_addrx || form == DW_FORM_GNU_addr_index ||
		(form >= DW_FORM_addrx1 && form <= DW_FORM_addrx4)) &&
	       dwarf_address_by_index(unit, value->number, ret_address);
}

bool dwarf_list_offset(const struct dwarf_unit *unit, enum dwarf_section section,
		       uint64_t base, uint64_t index, uint64_t *ret_offset)
{
	struct bytes slice;
	uint64_t at, offset = 0;

	if (__builtin_mul_overflow(index, (uint64_t)unit->offset_size, &at) ||
	    __builtin_add_overflow(at, base, &at) ||
	    !image_slice(unit->file->sections[section], at, unit->offset_size, &slice))
		return false;
	memcpy(&offset, slice.data, slice.size);
	*ret_offset = base + offset;
	return true;
}
