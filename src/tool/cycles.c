#include "tool/cycles.h"

#include <string.h>

const uint8_t cycles_latencies[TRAMMEL_CLASSES] = {
	[TRAMMEL_CLASS_OTHER] = 1,         [TRAMMEL_CLASS_MOVE] = 1,
	[TRAMMEL_CLASS_STACK] = 1,         [TRAMMEL_CLASS_LEA] = 1,
	[TRAMMEL_CLASS_INTEGER] = 1,       [TRAMMEL_CLASS_MULTIPLY] = 3,
	[TRAMMEL_CLASS_LOGIC] = 1,         [TRAMMEL_CLASS_ATOMIC] = 18,
	[TRAMMEL_CLASS_BRANCH] = 1,        [TRAMMEL_CLASS_JUMP] = 1,
	[TRAMMEL_CLASS_JUMP_INDIRECT] = 1, [TRAMMEL_CLASS_CALL] = 1,
	[TRAMMEL_CLASS_CALL_INDIRECT] = 1, [TRAMMEL_CLASS_RETURN] = 1,
	[TRAMMEL_CLASS_STRING] = 3,        [TRAMMEL_CLASS_VECTOR_MOVE] = 1,
	[TRAMMEL_CLASS_FP_SCALAR] = 4,     [TRAMMEL_CLASS_FP_128] = 4,
	[TRAMMEL_CLASS_FP_256] = 4,        [TRAMMEL_CLASS_FP_512] = 4,
	[TRAMMEL_CLASS_VECTOR_64] = 1,     [TRAMMEL_CLASS_VECTOR_128] = 1,
	[TRAMMEL_CLASS_VECTOR_256] = 1,    [TRAMMEL_CLASS_VECTOR_512] = 1,
	[TRAMMEL_CLASS_X87] = 3,           [TRAMMEL_CLASS_CRYPTO] = 3,
	[TRAMMEL_CLASS_NOP] = 1,           [TRAMMEL_CLASS_SYSTEM] = 50,
};

enum { REGISTERS = 64, DIVIDE = 20 };

/* State of the processor while a block is issued. */
struct processor {
	uint32_t ready[REGISTERS]; /* cycle from which a register can be read */
	uint32_t cycle;            /* that issues */
	uint32_t issued, loads, stores;
};

/* What an instruction takes of a cycle. */
struct needs {
	uint32_t from; /* cycle in which all that it reads is ready */
	uint32_t loads, stores, latency;
};

/* Flags are renamed apart: all of them are one register. */
static uint64_t registers_read(const struct trammel_instruction *row)
{
	return row->reads & ~(1ull << TRAMMEL_RIP);
}

static bool is_division(const struct trammel_instruction *row)
{
	return !strcmp(row->mnemonic, "div") || !strcmp(row->mnemonic, "idiv") ||
	       strstr(row->mnemonic, "sqrt") || !strncmp(row->mnemonic, "vdiv", 4) ||
	       !strncmp(row->mnemonic, "fdiv", 4) || !strncmp(row->mnemonic, "divs", 4) ||
	       !strncmp(row->mnemonic, "divp", 4);
}

static struct needs needs_of(const struct processor *processor,
			     const struct trammel_instruction *row)
{
	struct needs needs = {
		.latency = is_division(row) ? DIVIDE : cycles_latencies[row->op_class]};
	uint64_t reads = registers_read(row);

	for (unsigned int i = 0; i < REGISTERS; i++)
		if (reads >> i & 1 && processor->ready[i] > needs.from)
			needs.from = processor->ready[i];
	for (unsigned int i = 0; i < row->operand_count; i++) {
		bool memory = row->operands[i].kind == TRAMMEL_OPERAND_MEMORY;

		needs.loads += memory && row->operands[i].reads;
		needs.stores += memory && row->operands[i].writes;
	}
	if (needs.loads)
		needs.latency += CYCLES_LOAD;
	return needs;
}

static bool has_room(const struct processor *processor, const struct needs *needs)
{
	return processor->issued < CYCLES_WIDTH &&
	       (!processor->loads || processor->loads + needs->loads <= CYCLES_LOADS) &&
	       (!processor->stores || processor->stores + needs->stores <= CYCLES_STORES);
}

static void issue_next(struct processor *processor, const struct trammel_instruction *row)
{
	struct needs needs = needs_of(processor, row);

	if (needs.from > processor->cycle || !has_room(processor, &needs)) {
		processor->cycle =
			needs.from > processor->cycle ? needs.from : processor->cycle + 1;
		processor->issued = processor->loads = processor->stores = 0;
	}
	processor->issued++;
	processor->loads += needs.loads;
	processor->stores += needs.stores;
	for (unsigned int i = 0; i < REGISTERS; i++)
		if (row->writes >> i & 1)
			processor->ready[i] = processor->cycle + needs.latency;
	/* The stack pointer does not wait for what push and pop move. */
	if (row->op_class == TRAMMEL_CLASS_STACK || row->op_class == TRAMMEL_CLASS_CALL ||
	    row->op_class == TRAMMEL_CLASS_RETURN)
		processor->ready[TRAMMEL_RSP] = processor->cycle;
}

void cycles_schedule(const struct trammel_block *block, uint32_t *ret_cycles)
{
	struct processor processor = {0};

	for (uint32_t i = 0; i < block->instruction_count; i++) {
		issue_next(&processor, &block->instructions[i]);
		ret_cycles[i] = processor.cycle;
	}
}
