#include "code/relocate/switches.h"

#include "code/scan/jump_tables.h"
#include "image/contents.h"
#include "x86/decode.h"

#include <string.h>

enum {
	ENTRIES_MAX = 16384,
	LOOK_BACK = 12, /* instructions between a jump and what computes its target */
	LABEL_LOOK_BACK = 32, /* between the use of a table of labels and its lea */
};

static const uint8_t *bytes_of(const struct cfg *cfg,
			       const struct cfg_instruction *instruction)
{
	return cfg->bytes + instruction->offset;
}

/* The REX prefix of a one-byte opcode behind REX.W; 0 if it is another instruction. */
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

/* The register that `lea (%base,%other), %target` adds to its base *ret_base; -1 if it is
 * another instruction. */
static int summed_in(const struct cfg *cfg, const struct cfg_instruction *row, int target,
		     int *ret_base)
{
	uint8_t rex = wide_rex(cfg, row, 0x8d);
	const uint8_t *bytes = bytes_of(cfg, row);

	if (!rex || row->length != 4 || (bytes[2] & 0xc7) != 4 || bytes[3] >> 6 ||
	    (bytes[3] & 7) == 5 || register_of(rex, bytes[2]) != target)
		return -1;
	*ret_base = (rex & 1) << 3 | (bytes[3] & 7);
	return (rex & 2) << 2 | (bytes[3] >> 3 & 7);
}

/* The base of `movslq (%base,%index,4), %target`; -1: it is no such instruction. */
static int loads_entry(const struct cfg *cfg, const struct cfg_instruction *row,
		       int target)
{
	uint8_t rex = wide_rex(cfg, row, 0x63);
	const uint8_t *bytes = bytes_of(cfg, row);
	uint8_t mod = bytes[2] >> 6, sib = bytes[3];

	if (!rex || row->length < 4 || (bytes[2] & 7) != 4 || mod > 1 ||
	    (mod == 1 && bytes[4] != 0) || (mod == 0 && (sib & 7) == 5) ||
	    register_of(rex, bytes[2]) != target || sib >> 6 != 2)
		return -1;
	return (rex & 1) << 3 | (sib & 7);
}

/* Whether it is `cltq`: unoptimised code extends the loaded entry separately. */
static bool extends_entry(const struct cfg *cfg, const struct cfg_instruction *row,
			  int target)
{
	const uint8_t *bytes = bytes_of(cfg, row);

	return !target && row->length == 2 && bytes[0] == 0x48 && bytes[1] == 0x98;
}

/* Operands of an indirect jump through a table. */
struct through {
	int table, base; /* registers: of the table, of what its entries count from */
	size_t load;     /* the instruction that reads the entry */
};

/* Finds the registers of the jump `index`; false if it does not go through a table. */
static bool find_registers(const struct cfg *cfg, size_t index,
			   struct through *ret_through)
{
	const struct cfg_instruction *rows = cfg->instructions.items;
	int target = jumped_through(cfg, &rows[index]), base = -1;

	for (size_t i = index; target >= 0 && i-- && index - i < LOOK_BACK;) {
		int table = base < 0 ? -1 : loads_entry(cfg, &rows[i], target);

		if (rows[i].kind != CFG_PLAIN)
			return false;
		if (base >= 0 && extends_entry(cfg, &rows[i], target))
			table = base;
		*ret_through = (struct through){table, base, i};
		if (table >= 0)
			return true;
		if (base >= 0)
			continue;
		base = added_to(cfg, &rows[i], target);
		int entry = base < 0 ? summed_in(cfg, &rows[i], target, &base) : target;

		target = entry < 0 ? target : entry;
	}
	return false;
}

bool switches_base(const struct cfg *cfg, size_t index, int *ret_register,
		   size_t *ret_load)
{
	struct through through;

	if (!find_registers(cfg, index, &through) || through.table != through.base)
		return false;
	*ret_register = through.base;
	*ret_load = through.load;
	return true;
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
		return code_map_find(&scan->map, target, 1) != NULL;
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
		(jump_tables_end(scan, table.address) - table.address) / table.entry_size;
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

/* Exposes the targets of a table of distances from a label; false if fewer than two are
 * instructions of the function. */
static bool expose_targets(const struct cfg *cfg, const struct scan *scan,
			   const struct image *image, uint64_t label, uint64_t table)
{
	const struct code_segment *segment = code_map_find(&scan->map, cfg->address, 1);
	uint64_t room = (jump_tables_end(scan, table) - table) / sizeof(int32_t),
		 count = 0;

	for (; count < ENTRIES_MAX && count < room; count++) {
		const uint8_t *bytes = image_bytes_at(
			image, table + count * sizeof(int32_t), sizeof(int32_t));
		int32_t distance = 0;
		uint64_t offset;

		if (bytes)
			memcpy(&distance, bytes, sizeof(distance));
		offset = label + (uint64_t)(int64_t)distance - cfg->address;
		if (!bytes || offset >= cfg->size || !cfg->block_of.items[offset])
			break;
		bit_set(segment->guessed, cfg->address + offset - segment->address);
	}
	return count > 1;
}

/* Whether an instruction names a place in the function by a lea, and into which register.
 */
static bool names_label(const struct cfg *cfg, const struct cfg_instruction *row,
			int *ret_register)
{
	return switches_is_lea(cfg, row, ret_register) &&
	       row->target - cfg->address < cfg->size;
}

/* The lea that the table in a register is from, in straight code; NULL: it is not seen.
 */
static const struct cfg_instruction *straight_lea(const struct cfg *cfg,
						  const struct through *through)
{
	const struct cfg_instruction *rows = cfg->instructions.items;
	int wanted = through->table, where;

	for (size_t i = through->load;
	     i-- && through->load - i < LABEL_LOOK_BACK && rows[i].kind == CFG_PLAIN;) {
		if (switches_is_lea(cfg, &rows[i], &where) && where == wanted)
			return &rows[i];
		if (decode_source(bytes_of(cfg, &rows[i]), rows[i].length, &wanted) !=
		    DECODE_KEPT)
			break;
	}
	return NULL;
}

/* Whether a jump leads to labels of the function: its table has distances from one of the
 * labels whose addresses are taken, which are all exposed. The base may have been stored
 * before. */
static bool leads_to_labels(const struct cfg *cfg, const struct scan *scan,
			    const struct image *image, const struct through *through)
{
	const struct cfg_instruction *lea = straight_lea(cfg, through);
	bool named = false, found = false;
	int where;

	vector_for_each (&cfg->instructions, row) {
		if (!lea || !names_label(cfg, row, &where))
			continue;
		named |= where == through->base;
		found |= expose_targets(cfg, scan, image, row->target, lea->target);
	}
	return named && found;
}

/* Whether an indirect jump leads where a label, a word or code before it says, as far as
 * straight code tells: not where a sum does. */
static bool is_goto(const struct cfg *cfg, size_t index)
{
	const struct cfg_instruction *rows = cfg->instructions.items;
	int wanted = DECODE_TARGET, where;

	for (size_t i = index + 1; i-- && index - i < LABEL_LOOK_BACK;) {
		if (i != index && rows[i].kind != CFG_PLAIN)
			return true;
		if (names_label(cfg, &rows[i], &where) && where == wanted)
			return true;
		switch (decode_source(bytes_of(cfg, &rows[i]), rows[i].length, &wanted)) {
		case DECODE_KEPT:
		case DECODE_MOVED:
			break;
		case DECODE_LOADED:
			return true;
		default:
			return false;
		}
	}
	return true;
}

/* Exposes the labels of all possible tables: other paths may lead to such a jump with
 * other tables, and compilers may duplicate the jump. */
static void expose_labels(struct cfg *cfg, const struct scan *scan,
			  const struct image *image)
{
	const struct code_segment *segment = code_map_find(&scan->map, cfg->address, 1);
	uint64_t last = 0;
	int ignored;

	for (size_t i = 0; i < cfg->instructions.count; i++) {
		struct cfg_instruction *row = &cfg->instructions.items[i];

		row->labelled |= row->kind == CFG_TAIL_INDIRECT && is_goto(cfg, i);
		if (!names_label(cfg, row, &ignored) || row->target == last)
			continue;
		last = row->target;
		if (cfg->block_of.items[last - cfg->address])
			bit_set(segment->guessed, last - segment->address);
		vector_for_each (&cfg->instructions, other)
			if (switches_is_lea(cfg, other, &ignored) &&
			    !names_label(cfg, other, &ignored))
				expose_targets(cfg, scan, image, last, other->target);
	}
}

/* The operand of `jmp *table(,%index,8)`; 0 if it is another instruction. */
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

/* Whether an indirect jump that matches no pattern may still go through a table. */
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

/* A switch far behind the lea of its table uses the only one, if there is but one. */
static void name_only_table(struct cfg *cfg)
{
	if (cfg->tables.count != 1)
		return;
	vector_for_each (&cfg->instructions, row)
		if (row->kind == CFG_SWITCH)
			row->target = cfg->tables.items[0].address;
}

bool switches_find(struct cfg *cfg, const struct scan *scan, const struct image *image)
{
	bool labelled = false;

	cfg->tables.count = 0;
	for (size_t i = 0; i < cfg->instructions.count; i++) {
		struct cfg_instruction *row = &cfg->instructions.items[i];

		if (row->kind != CFG_TAIL_INDIRECT)
			continue;
		uint64_t absolute = absolute_operand(cfg, row);
		struct through through;

		if (!absolute && !find_registers(cfg, i, &through))
			continue;
		if (!absolute && through.table != through.base) {
			row->labelled = leads_to_labels(cfg, scan, image, &through);
			labelled |= row->labelled;
			continue;
		}
		if (absolute ? !add_absolute(cfg, scan, image, absolute)
			     : !add_relative(cfg, scan, image, i, through.base))
			return false;
		row->kind = CFG_SWITCH;
		if (absolute)
			row->target = absolute;
	}
	if (labelled)
		expose_labels(cfg, scan, image);
	name_only_table(cfg);
	return !switches_has_tail(cfg) || !has_unknown_table(cfg, scan, image);
}

bool switches_has_tail(const struct cfg *cfg)
{
	vector_for_each (&cfg->instructions, row)
		if (row->kind == CFG_TAIL_INDIRECT && !row->labelled)
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
