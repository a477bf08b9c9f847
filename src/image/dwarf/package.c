/*
 * Packages of split units. Their index (DWARF 5, section 7.3.5.3, and the same in GNU's
 * version 2 but for the numbers of columns): a head of four 32-bit words (version;
 * columns L; units N; slots S), S numbers of units, S rows (from 1; 0: a free slot), L
 * column numbers, then N rows of L offsets and N rows of L sizes.
 */
#include "image/dwarf/package.h"

#include "base/array.h"
#include "image/bytes.h"

struct index {
	struct bytes bytes;
	uint32_t version, columns, units, slots;
	uint64_t rows, names, offsets, sizes; /* where they begin */
};

static const struct {
	uint32_t column;
	enum dwarf_section section;
} columns[] = {
	{DW_SECT_INFO, DWARF_INFO},         {DW_SECT_ABBREV, DWARF_ABBREV},
	{DW_SECT_LINE, DWARF_LINE},         {DW_SECT_STR_OFFSETS, DWARF_STR_OFFSETS},
	{DW_SECT_RNGLISTS, DWARF_RNGLISTS},
};

static uint32_t word_at(const struct index *index, uint64_t offset)
{
	uint32_t word;

	memcpy(&word, index->bytes.data + offset, sizeof(word));
	return word;
}

/* False if it is not all there. */
static bool read_index(const struct dwarf_file *package, struct index *index)
{
	uint64_t cells;

	*index = (struct index){.bytes = package->sections[DWARF_CU_INDEX]};
	if (index->bytes.size < 16)
		return false;
	/* In version 5 it is of 16 bits, with two of padding. */
	index->version = word_at(index, 0) & 0xffff;
	index->columns = word_at(index, 4);
	index->units = word_at(index, 8);
	index->slots = word_at(index, 12);
	if ((index->version != 2 && index->version != 5) || index->columns > 64 ||
	    (index->slots & (index->slots - 1)))
		return false;
	cells = (uint64_t)index->columns * index->units * 4;
	index->rows = 16 + 8 * (uint64_t)index->slots;
	index->names = index->rows + 4 * (uint64_t)index->slots;
	index->offsets = index->names + 4 * (uint64_t)index->columns;
	index->sizes = index->offsets + cells;
	return index->sizes + cells <= index->bytes.size;
}

/* The row of a unit, from 0 on; false: there is none. Slots are a hash table. */
static bool find_row(const struct index *index, uint64_t split_id, uint64_t *ret_row)
{
	uint64_t mask = (uint64_t)index->slots - 1, slot = split_id & mask;

	for (uint64_t i = 0; i < index->slots; i++) {
		uint32_t row = word_at(index, index->rows + 4 * slot);
		uint64_t id;

		if (!row)
			return false;
		memcpy(&id, index->bytes.data + 16 + 8 * slot, sizeof(id));
		if (id == split_id && row <= index->units) {
			*ret_row = row - 1;
			return true;
		}
		slot = (slot + (((split_id >> 32) & mask) | 1)) & mask;
	}
	return false;
}

/* Cuts a section down to the unit's part of it; false if that is not inside. */
static bool cut_section(const struct index *index, uint64_t row, uint32_t column,
			struct bytes *section)
{
	uint64_t cell = 4 * (row * index->columns + column);

	return image_slice(*section, word_at(index, index->offsets + cell),
			   word_at(index, index->sizes + cell), section);
}

struct dwarf_file *dwarf_package_unit(const struct dwarf_file *package, uint64_t split_id)
{
	struct index index;
	uint64_t row;

	if (!read_index(package, &index) || !find_row(&index, split_id, &row))
		return NULL;
	struct dwarf_file *part = memory_allocate_zeroed(1, sizeof(*part));

	memcpy(part->sections, package->sections, sizeof(part->sections));
	for (uint32_t i = 0; i < index.columns; i++) {
		uint32_t name = word_at(&index, index.names + 4 * (uint64_t)i);

		for (size_t k = 0; k < array_count(columns); k++) {
			if (columns[k].column != name ||
			    (name == DW_SECT_RNGLISTS && index.version < 5))
				continue;
			if (!cut_section(&index, row, i,
					 &part->sections[columns[k].section]))
				part->sections[columns[k].section] = (struct bytes){0};
		}
	}
	return part;
}
