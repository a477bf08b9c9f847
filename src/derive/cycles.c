#include "derive/cycles.h"

#include "x86/all_operands.h"
#include "x86/insn_class.h"

enum { WIDTH = 4, LINE = 64 };

#define LOADS 2.0 /* in a cycle */

const char cycles_letters[CYCLES_CAUSES + 1] = "dwipmfas";

/* Cycles for which an instruction keeps a unit busy that there is once, if not one of a
 * WIDTH-th: of classes that are not pipelined. */
static const uint8_t busy[INSN_CLASSES] = {
	[INSN_ATOMIC] = 18,  [INSN_STRING] = 10, [INSN_SYSTEM] = 50, [INSN_CALL] = 1,
	[INSN_MULTIPLY] = 1, [INSN_RETURN] = 1,  [INSN_X87] = 1,
};

/* What an operand that such an instruction makes has its reader wait for. */
static const uint8_t classes_causes[INSN_CLASSES] = {
	[INSN_MULTIPLY] = CYCLES_MULTIPLY,    [INSN_FP_SCALAR] = CYCLES_FLOAT,
	[INSN_FP_128] = CYCLES_FLOAT,         [INSN_FP_256] = CYCLES_FLOAT,
	[INSN_FP_512] = CYCLES_FLOAT,         [INSN_X87] = CYCLES_FLOAT,
	[INSN_CRYPTO] = CYCLES_FLOAT,         [INSN_ATOMIC] = CYCLES_ATOMIC,
	[INSN_SYSTEM] = CYCLES_SYSTEM,        [INSN_CALL] = CYCLES_SYSTEM,
	[INSN_CALL_INDIRECT] = CYCLES_SYSTEM,
};

/* What registers are waited for, and what the block's units have to do. */
struct units {
	uint8_t causes[ALL_OPERANDS_REGISTERS];
	double loads, stores, others; /* accesses; cycles */
};

static void read_memory(const struct all_operands *operands, bool *ret_loads,
			bool *ret_stores)
{
	*ret_loads = *ret_stores = false;
	for (size_t i = 0; i < operands->count; i++) {
		if (operands->items[i].kind != ALL_OPERANDS_MEMORY)
			continue;
		*ret_loads |= operands->items[i].reads;
		*ret_stores |= operands->items[i].writes;
	}
}

/* Leaves in `row->least` the instruction's own part of the units' work. */
static void use_units(struct units *units, const struct all_operands *operands,
		      struct cycles_row *row)
{
	const uint64_t pointers = 1ull << ALL_OPERANDS_RSP | 1ull << ALL_OPERANDS_RIP;
	const uint8_t class = operands->class;
	uint8_t made = classes_causes[class];
	bool stores;

	read_memory(operands, &row->loads, &stores);
	for (int i = 0; i < ALL_OPERANDS_REGISTERS; i++)
		if ((operands->reads & ~pointers) >> i & 1)
			row->causes |= units->causes[i];
	row->causes |=
		(stores ? CYCLES_STORE : 0) | (operands->locked ? CYCLES_ATOMIC : 0);
	/* What works on memory waits for it itself. */
	if (row->loads && (stores || class == INSN_CONDITION || class == INSN_RETURN ||
			   operands->flags_written))
		row->causes |= CYCLES_DATA;
	if (class == INSN_SYSTEM || class == INSN_CALL || class == INSN_CALL_INDIRECT ||
	    class == INSN_RETURN || class == INSN_STRING)
		row->causes |= CYCLES_SYSTEM;
	units->loads += row->loads;
	units->stores += stores;
	units->others += busy[class];
	row->least = 1.0 / WIDTH + row->loads / LOADS + stores + busy[class];
	made |= row->loads ? CYCLES_DATA : 0;
	for (int i = 0; i < ALL_OPERANDS_REGISTERS; i++)
		if (operands->writes >> i & 1)
			units->causes[i] = made;
}

/* A block takes what the busiest unit needs, of which each instruction has its part. */
static void share_out(const struct units *units, struct cycles_row *rows, uint32_t count)
{
	const double parts[] = {(double)count / WIDTH, units->loads / LOADS,
				units->stores, units->others};
	double whole = 0, sum = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		whole = parts[i] > whole ? parts[i] : whole;
	for (uint32_t i = 0; i < count; i++)
		sum += rows[i].least;
	for (uint32_t i = 0; i < count; i++)
		rows[i].least *= whole / sum;
}

void cycles_of_block(const struct annotation *annotation, uint32_t number, bool entered,
		     struct cycles_row *ret_rows)
{
	const struct cfg *cfg = &annotation->cfg;
	const struct cfg_block *block = &cfg->blocks.items[number];
	struct units units = {0};
	uint64_t line = UINT64_MAX;

	/* Of what comes from before the block nothing is known. */
	for (int i = 0; i < ALL_OPERANDS_REGISTERS; i++)
		units.causes[i] = CYCLES_DATA;
	for (uint32_t i = 0; i < block->count; i++) {
		const struct cfg_instruction *at =
			&cfg->instructions.items[block->first + i];
		const uint64_t address = annotation->address + at->offset;
		struct all_operands operands;

		ret_rows[i] = (struct cycles_row){.least = 1.0 / WIDTH};
		if (address / LINE != line)
			ret_rows[i].causes |= CYCLES_FETCH;
		line = address / LINE;
		if (!i && entered)
			ret_rows[i].causes |= CYCLES_BRANCH;
		if (all_operands_read(annotation->bytes + at->offset,
				      annotation->size - at->offset, address, &operands))
			use_units(&units, &operands, &ret_rows[i]);
	}
	share_out(&units, ret_rows, block->count);
}
