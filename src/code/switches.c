#include "code/switches.h"

#include <string.h>

enum {
	ENTRIES_MAX = 16384,
	LOOK_BACK = 12, /* instructions between a jump and what computes its target */
};

static const uint8_t *bytes_of(const struct graph *graph,
			       const struct graph_instruction *instruction)
{
	return graph->bytes + instruction->offset;
}

/* A one-byte opcode behind REX.W: its REX prefix, 0 if it is none. */
static uint8_t wide_rex(const struct graph *graph,
			const struct graph_instruction *instruction, uint8_t opcode)
{
	const uint8_t *bytes = bytes_of(graph, instruction);

	return instruction->length > 2 && (bytes[0] & 0xf8) == 0x48 && bytes[1] == opcode
		       ? bytes[0]
		       : 0;
}

static uint8_t register_of(uint8_t rex, uint8_t modrm)
{
	return (uint8_t)((rex & 4) << 1 | (modrm >> 3 & 7));
}

/* The register of `jmp *%reg`; -1: no such jump. */
static int jumped_through(const struct graph *graph,
			  const struct graph_instruction *instruction)
{
	const uint8_t *bytes = bytes_of(graph, instruction);
	unsigned at = *bytes == 0x3e; /* notrack */
	uint8_t rex = 0;

	if ((bytes[at] & 0xf0) == 0x40)
		rex = bytes[at++];
	if (bytes[at] != 0xff || (bytes[at + 1] & 0xf8) != 0xe0)
		return -1;
	return (rex & 1) << 3 | (bytes[at + 1] & 7);
}

/* The other operand of `add %other, %target`; -1: it is no such instruction. */
static int added_to(const struct graph *graph, const struct graph_instruction *row,
		    int target)
{
	uint8_t rex = wide_rex(graph, row, 0x01), modrm = bytes_of(graph, row)[2];
	int other;

	if (!rex)
		rex = wide_rex(graph, row, 0x03);
	if (!rex || row->length != 3 || modrm < 0xc0)
		return -1;
	int field = register_of(rex, modrm), rm = (rex & 1) << 3 | (modrm & 7);

	if (bytes_of(graph, row)[1] == 0x01)
		other = rm == target ? field : -1;
	else
		other = field == target ? rm : -1;
	return other == target ? -1 : other;
}

/* Whether it is `movslq (%base,%index,4), %target`. */
static bool loads_entry(const struct graph *graph, const struct graph_instruction *row,
			int target, int base)
{
	uint8_t rex = wide_rex(graph, row, 0x63);
	const uint8_t *bytes = bytes_of(graph, row);
	uint8_t mod = bytes[2] >> 6, sib = bytes[3];

	if (!rex || row->length < 4 || (bytes[2] & 7) != 4 || mod > 1 ||
	    (mod == 1 && bytes[4] != 0) || (mod == 0 && (sib & 7) == 5))
		return false;
	return register_of(rex, bytes[2]) == target && sib >> 6 == 2 &&
	       ((rex & 1) << 3 | (sib & 7)) == base;
}

/* The register of the table of a switch that ends in instruction `index`; -1: none. */
static int table_register(const struct graph *graph, size_t index)
{
	const struct graph_instruction *rows = graph->instructions.items;
	int target = jumped_through(graph, &rows[index]), base = -1;

	for (size_t i = index; target >= 0 && i-- && index - i < LOOK_BACK;) {
		if (rows[i].kind != GRAPH_PLAIN)
			return -1;
		if (base < 0)
			base = added_to(graph, &rows[i], target);
		else if (loads_entry(graph, &rows[i], target, base))
			return base;
	}
	return -1;
}

static bool is_lea(const struct graph *graph, const struct graph_instruction *row,
		   int *ret_register)
{
	uint8_t rex = wide_rex(graph, row, 0x8d);

	if (!rex || !row->relative)
		return false;
	*ret_register = register_of(rex, bytes_of(graph, row)[2]);
	return true;
}

uint64_t switches_entry(const struct graph *graph, const struct graph_table *table,
			uint32_t index)
{
	const uint8_t *bytes = table->bytes + (size_t)index * table->entry_size;
	uint64_t address;
	int32_t distance;

	(void)graph;
	if (table->entry_size == 8) {
		memcpy(&address, bytes, sizeof(address));
		return address;
	}
	memcpy(&distance, bytes, sizeof(distance));
	return table->address + (uint64_t)(int64_t)distance;
}

/* Whether an entry may be one: it leads to an instruction of the function, or to any code
 * of the module, such as a cold part. */
static bool is_plausible(const struct graph *graph, const struct scan *scan,
			 uint64_t target, uint32_t *inside)
{
	uint64_t offset = target - graph->address;

	if (offset >= graph->size)
		return map_find(&scan->map, target, 1) != NULL;
	if (!graph->block_of.items[offset])
		return false;
	++*inside;
	return true;
}

static const struct graph_table *find_table(const struct graph *graph, uint64_t address)
{
	vector_for_each (&graph->tables, table)
		if (table->address == address)
			return table;
	return NULL;
}

/*
 * Reads a table as far as its entries make sense, which may be further than the switch
 * goes: an entry too many does no harm. False if fewer than `least` lead into the
 * function.
 */
static bool add_table(struct graph *graph, const struct scan *scan,
		      const struct image *image, struct graph_table table, uint32_t least)
{
	uint64_t room =
		(tables_end(scan, table.address) - table.address) / table.entry_size;
	uint32_t inside = 0;

	if (find_table(graph, table.address))
		return true;
	table.bytes = image_bytes_at(image, table.address, table.entry_size);
	while (table.bytes && table.count < ENTRIES_MAX && table.count < room &&
	       image_bytes_at(image, table.address,
			      (table.count + 1ull) * table.entry_size) &&
	       is_plausible(graph, scan, switches_entry(graph, &table, table.count),
			    &inside))
		table.count++;
	if (inside < least)
		return false;
	vector_push(&graph->tables, table);
	return true;
}

/* The tables that the register may hold. */
static bool add_relative(struct graph *graph, const struct scan *scan,
			 const struct image *image, size_t index, int base)
{
	const struct graph_instruction *rows = graph->instructions.items;
	bool found = false;
	int where;

	/* Right before: there is no doubt then that it is a table. */
	for (size_t i = index; i-- && index - i < LOOK_BACK;) {
		if (rows[i].kind != GRAPH_PLAIN)
			break;
		if (is_lea(graph, &rows[i], &where) && where == base)
			return add_table(graph, scan, image,
					 (struct graph_table){.address = rows[i].target,
							      .entry_size = 4},
					 1);
	}
	for (size_t i = 0; i < graph->instructions.count; i++)
		if (is_lea(graph, &rows[i], &where) && where == base)
			found |= add_table(graph, scan, image,
					   (struct graph_table){.address = rows[i].target,
								.entry_size = 4},
					   2);
	return found;
}

/* The operand of `jmp *table(,%index,8)`, 0 if it is none. */
static uint64_t absolute_operand(const struct graph *graph,
				 const struct graph_instruction *row)
{
	const uint8_t *bytes = bytes_of(graph, row);
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

static bool add_absolute(struct graph *graph, const struct scan *scan,
			 const struct image *image, uint64_t address)
{
	const struct graph_table table = {.address = address, .entry_size = 8};

	return image->type == IMAGE_EXECUTABLE && add_table(graph, scan, image, table, 1);
}

bool switches_find(struct graph *graph, const struct scan *scan,
		   const struct image *image)
{
	graph->tables.count = 0;
	for (size_t i = 0; i < graph->instructions.count; i++) {
		struct graph_instruction *row = &graph->instructions.items[i];

		if (row->kind != GRAPH_TAIL_INDIRECT)
			continue;
		uint64_t absolute = absolute_operand(graph, row);
		int base = table_register(graph, i);

		if (!absolute && base < 0)
			continue;
		if (absolute ? !add_absolute(graph, scan, image, absolute)
			     : !add_relative(graph, scan, image, i, base))
			return false;
		row->kind = GRAPH_SWITCH;
	}
	return true;
}

bool switches_has_tail(const struct graph *graph)
{
	vector_for_each (&graph->instructions, row)
		if (row->kind == GRAPH_TAIL_INDIRECT)
			return true;
	return false;
}

const struct graph_table *switches_named(const struct graph *graph,
					 const struct graph_instruction *instruction)
{
	int ignored;

	if (!graph->tables.count)
		return NULL;
	if (instruction->kind == GRAPH_SWITCH)
		return find_table(graph, absolute_operand(graph, instruction));
	return is_lea(graph, instruction, &ignored)
		       ? find_table(graph, instruction->target)
		       : NULL;
}
