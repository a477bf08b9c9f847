#include "code/switches.h"

#include <string.h>

enum {
	ENTRIES_MAX = 16384,
	LOOK_BACK = 12, /* instructions between a jump and what computes its target */
};

static const uint8_t *bytes_of(const struct cfg *cfg,
			       const struct cfg_instruction *instruction)
{
	return cfg->bytes + instruction->offset;
}

/* A one-byte opcode behind REX.W: its REX prefix, 0 if it is none. */
static uint8_t wide_rex(const struct cfg *cfg, const struct cfg_instruction *instruction,
			uint8_t opcode)
{
	const uint8_t *bytes = bytes_of(cfg, instruction);

	return instruction->length > 2 && (bytes[0] & 0xf8) == 0x48 && bytes[1] == opcode
		       ? bytes[0]
		       : 0;
}

static uint8_t register_of(uint8_t rex, uint8_t modrm)
{
	return (uint8_t)((rex & 4) << 1 | (modrm >> 3 & 7));
}

/* The register of `jmp *%reg`; -1: no such jump. */
static int jumped_through(const struct cfg *cfg,
			  const struct cfg_instruction *instruction)
{
	const uint8_t *bytes = bytes_of(cfg, instruction);
	unsigned at = *bytes == 0x3e; /* notrack */
	uint8_t rex = 0;

	if ((bytes[at] & 0xf0) == 0x40)
		rex = bytes[at++];
	if (bytes[at] != 0xff || (bytes[at + 1] & 0xf8) != 0xe0)
		return -1;
	return (rex & 1) << 3 | (bytes[at + 1] & 7);
}

/* The other operand of `add %other, %target`; -1: it is no such instruction. */
static int added_to(const struct cfg *cfg, const struct cfg_instruction *row, int target)
{
	uint8_t rex = wide_rex(cfg, row, 0x01), modrm = bytes_of(cfg, row)[2];
	int other;

	if (!rex)
		rex = wide_rex(cfg, row, 0x03);
	if (!rex || row->length != 3 || modrm < 0xc0)
		return -1;
	int field = register_of(rex, modrm), rm = (rex & 1) << 3 | (modrm & 7);

	if (bytes_of(cfg, row)[1] == 0x01)
		other = rm == target ? field : -1;
	else
		other = field == target ? rm : -1;
	return other == target ? -1 : other;
}

/* Whether it is `movslq (%base,%index,4), %target`. */
static bool loads_entry(const struct cfg *cfg, const struct cfg_instruction *row,
			int target, int base)
{
	uint8_t rex = wide_rex(cfg, row, 0x63);
	const uint8_t *bytes = bytes_of(cfg, row);
	uint8_t mod = bytes[2] >> 6, sib = bytes[3];

	if (!rex || row->length < 4 || (bytes[2] & 7) != 4 || mod > 1 ||
	    (mod == 1 && bytes[4] != 0) || (mod == 0 && (sib & 7) == 5))
		return false;
	return register_of(rex, bytes[2]) == target && sib >> 6 == 2 &&
	       ((rex & 1) << 3 | (sib & 7)) == base;
}

/* Whether it is `cltq`: what is loaded without optimisation is extended by itself. */
static bool extends_entry(const struct cfg *cfg, const struct cfg_instruction *row,
			  int target)
{
	const uint8_t *bytes = bytes_of(cfg, row);

	return !target && row->length == 2 && bytes[0] == 0x48 && bytes[1] == 0x98;
}

/* The register of the table of a switch that ends in instruction `index`; -1: none. */
static int table_register(const struct cfg *cfg, size_t index)
{
	const struct cfg_instruction *rows = cfg->instructions.items;
	int target = jumped_through(cfg, &rows[index]), base = -1;

	for (size_t i = index; target >= 0 && i-- && index - i < LOOK_BACK;) {
		if (rows[i].kind != CFG_PLAIN)
			return -1;
		if (base < 0)
			base = added_to(cfg, &rows[i], target);
		else if (loads_entry(cfg, &rows[i], target, base) ||
			 extends_entry(cfg, &rows[i], target))
			return base;
	}
	return -1;
}

bool switches_is_lea(const struct cfg *cfg, const struct cfg_instruction *row,
		     int *ret_register)
{
	uint8_t rex = wide_rex(cfg, row, 0x8d);

	if (!rex || !row->relative)
		return false;
	*ret_register = register_of(rex, bytes_of(cfg, row)[2]);
	return true;
}

uint64_t switches_entry(const struct cfg *cfg, const struct cfg_table *table,
			uint32_t index)
{
	const uint8_t *bytes = table->bytes + (size_t)index * table->entry_size;
	uint64_t address;
	int32_t distance;

	if (!table->bytes)
		return cfg->words.items[table->first_word + index].value;
	if (table->entry_size == 8) {
		memcpy(&address, bytes, sizeof(address));
		return address;
	}
	memcpy(&distance, bytes, sizeof(distance));
	return table->address + (uint64_t)(int64_t)distance;
}

/* Whether an entry may be one: it leads to an instruction of the function, or to any code
 * of the module, such as a cold part. */
static bool is_plausible(const struct cfg *cfg, const struct scan *scan, uint64_t target,
			 uint32_t *inside)
{
	uint64_t offset = target - cfg->address;

	if (offset >= cfg->size)
		return map_find(&scan->map, target, 1) != NULL;
	if (!cfg->block_of.items[offset])
		return false;
	++*inside;
	return true;
}

const struct cfg_table *switches_find_table(const struct cfg *cfg, uint64_t address)
{
	vector_for_each (&cfg->tables, table)
		if (table->address == address)
			return table;
	return NULL;
}

/*
 * Reads a table as far as its entries make sense, which may be further than the switch
 * goes: an entry too many does no harm. False if fewer than `least` lead into the
 * function.
 */
static bool add_table(struct cfg *cfg, const struct scan *scan, const struct image *image,
		      struct cfg_table table, uint32_t least)
{
	uint64_t room =
		(tables_end(scan, table.address) - table.address) / table.entry_size;
	uint32_t inside = 0;

	if (switches_find_table(cfg, table.address))
		return true;
	table.bytes = image_bytes_at(image, table.address, table.entry_size);
	while (table.bytes && table.count < ENTRIES_MAX && table.count < room &&
	       image_bytes_at(image, table.address,
			      (table.count + 1ull) * table.entry_size) &&
	       is_plausible(cfg, scan, switches_entry(cfg, &table, table.count), &inside))
		table.count++;
	if (inside < least)
		return false;
	vector_push(&cfg->tables, table);
	return true;
}

/* The table that is certainly in the register: a lea right before says so. */
static const struct cfg_instruction *near_lea(const struct cfg *cfg, size_t index,
					      int base)
{
	const struct cfg_instruction *rows = cfg->instructions.items;
	int where;

	for (size_t i = index; i-- && index - i < LOOK_BACK;) {
		if (rows[i].kind != CFG_PLAIN)
			break;
		if (switches_is_lea(cfg, &rows[i], &where) && where == base)
			return &rows[i];
	}
	return NULL;
}

/* All tables that the register may hold: found once for a function and register. */
static bool add_far_tables(struct cfg *cfg, const struct scan *scan,
			   const struct image *image, int base)
{
	bool found = false;
	int where;

	for (size_t i = 0; i < cfg->instructions.count; i++) {
		const struct cfg_instruction *row = &cfg->instructions.items[i];

		if (switches_is_lea(cfg, row, &where) && where == base)
			found |= add_table(cfg, scan, image,
					   (struct cfg_table){.address = row->target,
							      .entry_size = 4},
					   2);
	}
	return found;
}

static bool add_relative(struct cfg *cfg, const struct scan *scan,
			 const struct image *image, size_t index, int base)
{
	const struct cfg_instruction *lea = near_lea(cfg, index, base);

	if (!lea)
		return add_far_tables(cfg, scan, image, base);
	cfg->instructions.items[index].target = lea->target;
	return add_table(cfg, scan, image,
			 (struct cfg_table){.address = lea->target, .entry_size = 4}, 1);
}

/* The operand of `jmp *table(,%index,8)`, 0 if it is none. */
static uint64_t absolute_operand(const struct cfg *cfg, const struct cfg_instruction *row)
{
	const uint8_t *bytes = bytes_of(cfg, row);
	unsigned at = *bytes == 0x3e;
	int32_t address;

	if ((bytes[at] & 0xf0) == 0x40)
		at++;
	if (row->length != at + 7 || bytes[at] != 0xff || bytes[at + 1] != 0x24 ||
	    (bytes[at + 2] & 0xc7) != 0xc5)
		return 0;
	memcpy(&address, bytes + at + 3, sizeof(address));
	return (uint64_t)(int64_t)address;
}

/* Whether an indirect jump that no pattern fits may be through a table all the same. */
static bool has_unknown_table(struct cfg *cfg, const struct scan *scan,
			      const struct image *image)
{
	size_t known = cfg->tables.count;
	int ignored;

	for (size_t i = 0; i < cfg->instructions.count; i++) {
		const struct cfg_instruction *row = &cfg->instructions.items[i];

		if (switches_is_lea(cfg, row, &ignored) &&
		    !switches_find_table(cfg, row->target) &&
		    add_table(cfg, scan, image,
			      (struct cfg_table){.address = row->target, .entry_size = 4},
			      1))
			break;
	}
	return cfg->tables.count > known;
}

static bool add_absolute(struct cfg *cfg, const struct scan *scan,
			 const struct image *image, uint64_t address)
{
	const struct cfg_table table = {.address = address, .entry_size = 8};

	return image->type == IMAGE_EXECUTABLE && add_table(cfg, scan, image, table, 1);
}

bool switches_find(struct cfg *cfg, const struct scan *scan, const struct image *image)
{
	cfg->tables.count = 0;
	for (size_t i = 0; i < cfg->instructions.count; i++) {
		struct cfg_instruction *row = &cfg->instructions.items[i];

		if (row->kind != CFG_TAIL_INDIRECT)
			continue;
		uint64_t absolute = absolute_operand(cfg, row);
		int base = table_register(cfg, i);

		if (!absolute && base < 0)
			continue;
		if (absolute ? !add_absolute(cfg, scan, image, absolute)
			     : !add_relative(cfg, scan, image, i, base))
			return false;
		row->kind = CFG_SWITCH;
		if (absolute)
			row->target = absolute;
	}
	return !switches_has_tail(cfg) || !has_unknown_table(cfg, scan, image);
}

bool switches_has_tail(const struct cfg *cfg)
{
	vector_for_each (&cfg->instructions, row)
		if (row->kind == CFG_TAIL_INDIRECT)
			return true;
	return false;
}

const struct cfg_table *switches_named(const struct cfg *cfg,
				       const struct cfg_instruction *instruction)
{
	int ignored;

	if (!cfg->tables.count)
		return NULL;
	if (instruction->kind == CFG_SWITCH)
		return switches_find_table(cfg, absolute_operand(cfg, instruction));
	return switches_is_lea(cfg, instruction, &ignored)
		       ? switches_find_table(cfg, instruction->target)
		       : NULL;
}
