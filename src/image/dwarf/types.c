/* Types, as far as values of them can be read: sizes, members, what pointers lead to.
 * Which types refer to which may go round in circles, so each is read once. */
#include "image/dwarf/types.h"

#include "base/array.h"
#include "image/bytes.h"
#include "image/dwarf/entry.h"

enum {
	WRAPPERS_MAX = 64,   /* typedefs, const and the like around one type */
	TYPES_MAX = 1 << 18, /* of one reading */
	BITS_MAX = 1 << 15,  /* offsets of bit-fields */
};

/* The numbers of a type's own entry; 0: absent. */
static uint64_t number_of(const struct dwarf_entry *entry, enum dwarf_slot slot)
{
	return dwarf_entry_has(entry, slot) && !entry->values[slot].size
		       ? entry->values[slot].number
		       : 0;
}

static bool is_wrapper(uint32_t tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type ||
	       tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
	       tag == DW_TAG_atomic_type;
}

static const struct {
	uint16_t tag;
	uint8_t kind;
} tag_kinds[] = {
	{DW_TAG_base_type, IMAGE_DATA_INTEGER},
	{DW_TAG_enumeration_type, IMAGE_DATA_INTEGER},
	{DW_TAG_pointer_type, IMAGE_DATA_POINTER},
	{DW_TAG_reference_type, IMAGE_DATA_POINTER},
	{DW_TAG_rvalue_reference_type, IMAGE_DATA_POINTER},
	{DW_TAG_structure_type, IMAGE_DATA_STRUCT},
	{DW_TAG_union_type, IMAGE_DATA_STRUCT},
	{DW_TAG_class_type, IMAGE_DATA_STRUCT},
	{DW_TAG_array_type, IMAGE_DATA_ARRAY},
	{DW_TAG_subroutine_type, IMAGE_DATA_FUNCTION},
};

static uint8_t kind_of(const struct dwarf_entry *entry)
{
	uint64_t encoding = number_of(entry, DWARF_ENCODING);

	if (entry->tag == DW_TAG_base_type &&
	    (encoding == DW_ATE_float || encoding == DW_ATE_complex_float))
		return IMAGE_DATA_FLOAT;
	for (size_t i = 0; i < array_count(tag_kinds); i++)
		if (tag_kinds[i].tag == entry->tag)
			return tag_kinds[i].kind;
	return IMAGE_DATA_UNKNOWN;
}

/* An enumeration is signed if its type is, or if a value of it is below 0. */
static bool is_signed_type(struct dwarf_types *reading, const struct dwarf_entry *entry)
{
	uint64_t encoding = number_of(entry, DWARF_ENCODING);
	uint32_t under;

	if (entry->tag == DW_TAG_base_type)
		return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	if (entry->tag != DW_TAG_enumeration_type)
		return false;
	under = dwarf_type_of(reading, entry);
	return under != IMAGE_TYPE_NONE && reading->types->items.items[under].is_signed;
}

static uint32_t name_of(struct dwarf_types *reading, const struct dwarf_entry *entry)
{
	const char *name = dwarf_entry_string(entry, DWARF_NAME);

	return string_table_intern(&reading->types->names, name ? name : "");
}

/* Makes the type of an entry, of which the rest is read later. */
static uint32_t add_type(struct dwarf_types *reading, const struct dwarf_entry *entry)
{
	const uint64_t key[] = {(uintptr_t)entry->unit->file, entry->offset};
	uint64_t *known =
		table_insert(&reading->known, hash_bytes(key, sizeof(key)), NULL);
	struct image_data_type type = {.kind = kind_of(entry), .target = IMAGE_TYPE_NONE};
	uint32_t number = (uint32_t)reading->types->items.count;

	if (*known)
		return (uint32_t)(*known - 1);
	if (number >= TYPES_MAX)
		return IMAGE_TYPE_NONE;
	*known = (uint64_t)number + 1;
	type.name = name_of(reading, entry);
	type.size = number_of(entry, DWARF_BYTE_SIZE);
	if (type.kind == IMAGE_DATA_POINTER && !type.size)
		type.size = entry->unit->address_size;
	type.declared = number_of(entry, DWARF_DECLARATION) != 0;
	vector_push(&reading->types->items, type);
	/* This may add others. */
	bool with_sign = is_signed_type(reading, entry);

	reading->types->items.items[number].is_signed = with_sign;
	vector_push(&reading->left,
		    ((struct dwarf_type_entry){entry->unit, entry->offset, number}));
	return number;
}

uint32_t dwarf_type_at(struct dwarf_types *reading, const struct dwarf_entry *entry)
{
	struct dwarf_entry inner = *entry, next;

	for (size_t i = 0; is_wrapper(inner.tag); i++) {
		if (i == WRAPPERS_MAX || !dwarf_entry_has(&inner, DWARF_TYPE) ||
		    !dwarf_entry_follow(inner.unit, &inner.values[DWARF_TYPE], &next))
			return IMAGE_TYPE_NONE;
		inner = next;
	}
	return add_type(reading, &inner);
}

uint32_t dwarf_type_of(struct dwarf_types *reading, const struct dwarf_entry *entry)
{
	struct dwarf_unit *unit;
	struct dwarf_value value;
	struct dwarf_entry type;

	if (!dwarf_entry_find(entry, DWARF_TYPE, &unit, &value) ||
	    !dwarf_entry_follow(unit, &value, &type))
		return IMAGE_TYPE_NONE;
	return dwarf_type_at(reading, &type);
}

/* The offset of a member: a number, or before version 4 "plus a number". */
static uint64_t member_offset(const struct dwarf_entry *entry)
{
	const struct dwarf_value *value = &entry->values[DWARF_MEMBER_LOCATION];
	struct bytes bytes;
	struct cursor cursor;

	if (!dwarf_entry_has(entry, DWARF_MEMBER_LOCATION))
		return 0;
	if (!value->size)
		return value->number;
	if (!image_slice(entry->unit->file->sections[DWARF_INFO], value->number,
			 value->size, &bytes))
		return 0;
	cursor = cursor_over(bytes, 0);
	return cursor_u8(&cursor) == DW_OP_plus_uconst ? image_cursor_uleb(&cursor) : 0;
}

static void place_bits(const struct dwarf_entry *entry, uint64_t type_size,
		       struct image_member *member)
{
	uint64_t size = number_of(entry, DWARF_BIT_SIZE), bits = 0;
	uint64_t storage = number_of(entry, DWARF_BYTE_SIZE) ?: type_size;

	if (!size || size > 64)
		return;
	if (dwarf_entry_has(entry, DWARF_DATA_BIT_OFFSET))
		bits = number_of(entry, DWARF_DATA_BIT_OFFSET);
	else
		bits = member->offset * 8 + storage * 8 -
		       number_of(entry, DWARF_BIT_OFFSET) - size;
	member->offset = bits / 8;
	member->bit_offset = (uint16_t)(bits % 8);
	member->bit_size = (uint16_t)size;
}

static void add_member(struct dwarf_types *reading, const struct dwarf_entry *entry)
{
	struct image_member member = {
		.type = dwarf_type_of(reading, entry),
		.offset = member_offset(entry),
	};

	if (member.type == IMAGE_TYPE_NONE)
		return;
	if (entry->tag == DW_TAG_member)
		member.name = name_of(reading, entry);
	place_bits(entry, reading->types->items.items[member.type].size, &member);
	vector_push(&reading->types->members, member);
}

/* The number of elements of one dimension. */
static uint64_t dimension_of(const struct dwarf_entry *entry)
{
	if (dwarf_entry_has(entry, DWARF_COUNT))
		return number_of(entry, DWARF_COUNT);
	return dwarf_entry_has(entry, DWARF_UPPER_BOUND)
		       ? number_of(entry, DWARF_UPPER_BOUND) + 1
		       : 0;
}

/* Reads the children of a type's entry. Those of one struct are together in `members`,
 * since types that they need are read later. */
static void read_children(struct dwarf_types *reading, const struct dwarf_entry *entry,
			  uint64_t *ret_count)
{
	uint64_t offset = entry->next;
	struct dwarf_entry child;

	*ret_count = 1;
	while (entry->children && offset < entry->unit->end) {
		dwarf_entry_read(entry->unit, offset, &child);
		if (!child.tag)
			return;
		offset = dwarf_entry_end(&child);
		if (child.tag == DW_TAG_subrange_type)
			*ret_count *= dimension_of(&child);
		/* A static member of a class has no place in it. */
		if ((child.tag == DW_TAG_member || child.tag == DW_TAG_inheritance) &&
		    !dwarf_entry_has(&child, DWARF_DECLARATION))
			add_member(reading, &child);
	}
}

static void finish_type(struct dwarf_types *reading, struct dwarf_type_entry left)
{
	struct image_types *types = reading->types;
	uint32_t first = (uint32_t)types->members.count, target;
	struct dwarf_entry entry;
	uint64_t count;

	dwarf_entry_read(left.unit, left.offset, &entry);
	read_children(reading, &entry, &count);
	target = dwarf_type_of(reading, &entry);
	struct image_data_type *type = &types->items.items[left.type];

	type->target = target;
	type->first_member = first;
	type->member_count = (uint32_t)types->members.count - first;
	if (type->kind == IMAGE_DATA_ARRAY && !type->size && target != IMAGE_TYPE_NONE)
		type->size = types->items.items[target].size * count;
	if (type->kind == IMAGE_DATA_INTEGER && !type->size && target != IMAGE_TYPE_NONE)
		type->size = types->items.items[target].size;
}

void dwarf_types_finish(struct dwarf_types *reading)
{
	while (reading->left.count)
		finish_type(reading, reading->left.items[--reading->left.count]);
	vector_deinit(&reading->left);
}
