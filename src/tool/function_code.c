#include "tool/function_code.h"

#include "base/search.h"
#include "code/scan/plt.h"
#include "image/contents.h"
#include "image/find.h"
#include "image/imports.h"
#include "tool/switch_index.h"
#include "x86/all_operands.h"
#include "x86/insn_class.h"
#include "x86/memo.h"

#include <string.h>

/* Code that was read; tools see its first member. */
struct tool_code {
	struct trammel_code seen;
	struct VECTOR(struct trammel_instruction) instructions;
	struct VECTOR(struct trammel_operand) operands;
	struct VECTOR(struct trammel_block) blocks;
	struct VECTOR(struct trammel_edge) edges;
	struct VECTOR(uint64_t) targets;
};

_Static_assert((int)TRAMMEL_CLASSES == (int)INSN_CLASSES, "the public classes are ours");
_Static_assert((int)TRAMMEL_XMM0 == (int)ALL_OPERANDS_VECTOR0 &&
		       (int)TRAMMEL_K0 == (int)ALL_OPERANDS_K0 &&
		       (int)TRAMMEL_MXCSR == (int)ALL_OPERANDS_MXCSR &&
		       (int)TRAMMEL_NO_REGISTER == (int)ALL_OPERANDS_NONE,
	       "the public numbers of registers are ours");
_Static_assert((int)TRAMMEL_OPERAND_IMMEDIATE == (int)ALL_OPERANDS_IMMEDIATE,
	       "the public kinds of operands are ours");

static const uint8_t kinds[] = {
	[CFG_PLAIN] = TRAMMEL_PLAIN,
	[CFG_JUMP] = TRAMMEL_JUMP,
	[CFG_CONDITION] = TRAMMEL_BRANCH,
	[CFG_LOOP] = TRAMMEL_BRANCH,
	[CFG_SWITCH] = TRAMMEL_SWITCH,
	[CFG_TAIL_INDIRECT] = TRAMMEL_JUMP_INDIRECT,
	[CFG_RETURN] = TRAMMEL_RETURN,
	[CFG_CALL] = TRAMMEL_CALL,
	[CFG_CALL_INDIRECT] = TRAMMEL_CALL_INDIRECT,
	[CFG_KERNEL] = TRAMMEL_SYSTEM,
	[CFG_STOP] = TRAMMEL_STOP,
};

static const uint8_t edge_kinds[] = {
	[CFG_EDGE_TAKEN] = TRAMMEL_EDGE_TAKEN,
	[CFG_EDGE_FALL] = TRAMMEL_EDGE_FALL,
	[CFG_EDGE_SWITCH] = TRAMMEL_EDGE_SWITCH,
	[CFG_EDGE_RETURN] = TRAMMEL_EDGE_LEAVE,
};

static const char *const troubles[] = {
	[CFG_FINE] = NULL,
	[CFG_UNDECODABLE] = "not all of it is code",
	[CFG_INDIRECT] = "an indirect jump was not understood",
	[CFG_ODD] = "it has code that cannot run elsewhere, or is entered in its middle",
};

static void take_operands(struct tool_code *code, const struct all_operands *read,
			  struct trammel_instruction *row)
{
	for (size_t i = 0; i < read->count; i++) {
		const struct operand *from = &read->items[i];

		vector_push(&code->operands, ((struct trammel_operand){
						     .kind = from->kind,
						     .reads = from->reads,
						     .writes = from->writes,
						     .implicit = from->implicit,
						     .bits = from->bits,
						     .reg = from->number,
						     .base = from->base,
						     .index = from->index,
						     .scale = from->scale,
						     .segment = from->segment,
						     .gathered = from->gathered,
						     .memory = from->memory,
						     .value = from->value,
					     }));
	}
	row->operand_count = read->count;
}

static uint32_t take_targets(struct tool_code *code, const struct cfg *cfg,
			     const struct cfg_instruction *from)
{
	struct switch_targets targets = {0};
	uint32_t count;

	switch_index_targets(cfg, from, &targets);
	vector_for_each (&targets, target)
		vector_push(&code->targets, *target);
	count = (uint32_t)targets.count;
	vector_deinit(&targets);
	return count;
}

static bool is_direct(const struct cfg_instruction *from)
{
	return from->kind == CFG_JUMP || from->kind == CFG_CONDITION ||
	       from->kind == CFG_LOOP || from->kind == CFG_CALL;
}

/* What instructions are, by their bytes. */
enum { DECODED_BITS = 11 };
struct tool_decoded {
	struct memo_key key;
	struct all_operands read;
};

/* Reads an instruction that is as long as that; `ret_read` is all-zero if it does not
 * decode. */
static void read_operands(struct tool_module *module, const uint8_t *bytes, size_t length,
			  uint64_t address, struct all_operands *ret_read)
{
	const struct memo_key key = memo_key_of(bytes, length);
	struct tool_decoded *row;

	if (!module->decoded)
		module->decoded = memory_allocate_zeroed(1 << DECODED_BITS, sizeof(*row));
	row = &module->decoded[memo_row(&key, DECODED_BITS)];
	if (memo_key_is(&row->key, &key)) {
		*ret_read = row->read;
		return;
	}
	*ret_read = (struct all_operands){0};
	if (all_operands_read(bytes, length, address, ret_read) && !ret_read->relative)
		*row = (struct tool_decoded){key, *ret_read};
}

static void take_instruction(struct tool_code *code, struct tool_module *module,
			     const struct cfg_instruction *from)
{
	const struct cfg *cfg = &module->cfg;
	struct trammel_instruction *row = vector_add(&code->instructions);
	bool pair = cfg_is_pair(cfg, from);
	uint32_t skipped = pair ? LENGTH_PAIR_BRANCH : 0;
	const uint8_t *bytes = cfg->bytes + from->offset;
	struct all_operands read;

	read_operands(module, bytes + skipped, from->length - skipped,
		      cfg->address + from->offset + skipped, &read);
	*row = (struct trammel_instruction){
		.address = cfg->address + from->offset,
		.bytes = bytes,
		.mnemonic = read.length ? insn_mnemonic_name(read.mnemonic) : "",
		.length = from->length,
		.kind = kinds[from->kind],
		.op_class = read.class,
		.condition = from->kind == CFG_CONDITION ? from->opcode & 15 : 0,
		.opcode_map = from->map,
		.opcode = from->opcode,
		.repeated = read.repeated,
		.locked = read.locked,
		.pair = pair,
		.reads = read.reads,
		.writes = read.writes,
		.flags_read = read.flags_read,
		.flags_written = read.flags_written,
		.memory_count = read.memory_count,
		.target = is_direct(from) ? from->target : 0,
	};
	take_operands(code, &read, row);
	if (from->kind == CFG_SWITCH)
		row->target_count = take_targets(code, cfg, from);
}

static void take_blocks(struct tool_code *code, const struct cfg *cfg,
			const struct trammel_function *function)
{
	for (uint32_t i = 0; i < cfg->blocks.count; i++) {
		const struct cfg_block *from = &cfg->blocks.items[i];
		const struct trammel_instruction *first =
			&code->instructions.items[from->first];
		const struct trammel_instruction *last = first + from->count - 1;

		vector_push(&code->blocks,
			    ((struct trammel_block){
				    .function = function,
				    .number = i,
				    .size = (uint32_t)(last->address + last->length -
						       first->address),
				    .address = first->address,
				    .instructions = first,
				    .instruction_count = from->count,
				    .edge_count = from->edge_count,
				    .exposed = from->exposed,
			    }));
	}
}

static void take_edges(struct tool_code *code, const struct cfg *cfg)
{
	struct trammel_block *blocks = code->blocks.items;

	for (uint32_t i = 0; i < cfg->edges.count; i++) {
		const struct cfg_edge *from = &cfg->edges.items[i];

		vector_push(&code->edges,
			    ((struct trammel_edge){
				    .number = i,
				    .kind = edge_kinds[from->kind],
				    .from = &blocks[from->from],
				    .to = from->to == CFG_OUT ? NULL : &blocks[from->to],
			    }));
	}
	for (size_t i = 0; i < code->blocks.count; i++)
		blocks[i].edges = &code->edges.items[cfg->blocks.items[i].first_edge];
}

/* The vectors do not grow any more: rows can name each other. */
static void join_rows(struct tool_code *code)
{
	const struct trammel_operand *operands = code->operands.items;
	const uint64_t *targets = code->targets.items;

	vector_for_each (&code->instructions, row) {
		row->operands = operands;
		operands += row->operand_count;
		row->targets = row->target_count ? targets : NULL;
		targets += row->target_count;
	}
	vector_for_each (&code->blocks, block)
		for (uint32_t i = 0; i < block->instruction_count; i++)
			code->instructions
				.items[block->instructions - code->instructions.items + i]
				.block = block;
	code->seen = (struct trammel_code){
		.blocks = code->blocks.items,
		.block_count = (uint32_t)code->blocks.count,
		.edges = code->edges.items,
		.edge_count = (uint32_t)code->edges.count,
		.instructions = code->instructions.items,
		.instruction_count = (uint32_t)code->instructions.count,
	};
}

static struct tool_code *read_code(struct tool_module *module,
				   const struct trammel_function *function)
{
	const struct cfg *cfg = &module->cfg;
	struct tool_code *code = memory_allocate_zeroed(1, sizeof(*code));

	vector_reserve(&code->instructions, cfg->instructions.count);
	vector_for_each (&cfg->instructions, row)
		take_instruction(code, module, row);
	take_blocks(code, cfg, function);
	take_edges(code, cfg);
	join_rows(code);
	return code;
}

static struct tool_function *function_of(const struct trammel_function *seen)
{
	return (struct tool_function *)(uintptr_t)seen;
}

const struct trammel_code *tool_code_of(const struct trammel_function *function)
{
	struct tool_module *module = tool_module_of(function->module);
	struct tool_function *own = function_of(function);

	if (!own->code && own->trouble == CFG_FINE) {
		own->trouble = (uint8_t)cfg_build(&module->cfg, &module->scan,
						  module->image, function->number);
		if (own->trouble != CFG_FINE)
			return NULL;
		own->code = read_code(module, function);
		vector_push(&module->read, own);
	}
	return own->code ? &own->code->seen : NULL;
}

const char *tool_code_trouble(const struct trammel_function *function)
{
	tool_code_of(function);
	return troubles[function_of(function)->trouble];
}

void tool_code_release(struct tool_module *module)
{
	vector_for_each (&module->read, item) {
		struct tool_code *code = (*item)->code;

		vector_deinit(&code->instructions);
		vector_deinit(&code->operands);
		vector_deinit(&code->blocks);
		vector_deinit(&code->edges);
		vector_deinit(&code->targets);
		free(code);
		(*item)->code = NULL;
	}
	module->read.count = 0;
}

/* Whether control goes to another function, by a call or a jump. */
static bool leads_out(const struct trammel_instruction *instruction)
{
	const struct trammel_function *own = instruction->block->function;

	return instruction->kind == TRAMMEL_CALL ||
	       ((instruction->kind == TRAMMEL_JUMP ||
		 instruction->kind == TRAMMEL_BRANCH) &&
		instruction->target - own->address >= own->size);
}

/* The word through which an indirect call or jump, or the stub that is called, goes; 0:
 * none. */
static uint64_t word_of(const struct image *image,
			const struct trammel_instruction *instruction)
{
	if (leads_out(instruction))
		return plt_word(image, instruction->target);
	if (instruction->kind != TRAMMEL_CALL_INDIRECT &&
	    instruction->kind != TRAMMEL_JUMP_INDIRECT)
		return 0;
	for (size_t i = 0; i < instruction->operand_count; i++)
		if (instruction->operands[i].kind == TRAMMEL_OPERAND_MEMORY &&
		    !instruction->operands[i].implicit &&
		    instruction->operands[i].base == TRAMMEL_RIP &&
		    instruction->operands[i].segment == TRAMMEL_NO_REGISTER)
			return (uint64_t)instruction->operands[i].value;
	return 0;
}

const struct trammel_function *
tool_code_callee(const struct trammel_instruction *instruction)
{
	const struct trammel_module *module = instruction->block->function->module;
	const struct image *image = tool_module_of(module)->image;
	uint64_t word = word_of(image, instruction);
	const struct image_link *link = word ? image_link_at(image, word) : NULL;
	uint64_t address = link                              ? link->function
			   : leads_out(instruction) && !word ? instruction->target
							     : 0;
	const struct trammel_function *callee =
		address ? tool_module_at(module, address) : NULL;

	return callee && callee->address == address ? callee : NULL;
}

const char *tool_code_callee_name(const struct trammel_instruction *instruction)
{
	const struct trammel_function *callee = tool_code_callee(instruction);
	const struct image *image =
		tool_module_of(instruction->block->function->module)->image;
	uint64_t word = word_of(image, instruction);

	if (callee)
		return callee->name;
	return word ? image_import_at(image, word) : NULL;
}

/* The function that a function or cold part belongs to. */
static const struct trammel_function *whole_of(const struct trammel_function *function)
{
	return function && function->part_of ? function->part_of : function;
}

bool tool_code_is_exit(const struct trammel_instruction *instruction)
{
	const struct trammel_function *own = instruction->block->function;

	if (instruction->kind == TRAMMEL_RETURN ||
	    instruction->kind == TRAMMEL_JUMP_INDIRECT)
		return true;
	return instruction->kind == TRAMMEL_JUMP && leads_out(instruction) &&
	       whole_of(tool_module_at(own->module, instruction->target)) !=
		       whole_of(own);
}

const struct trammel_instruction *tool_code_at(const struct trammel_code *code,
					       uint64_t address)
{
	size_t at = search_first(code->instruction_count, i,
				 code->instructions[i].address < address);

	return at < code->instruction_count && code->instructions[at].address == address
		       ? &code->instructions[at]
		       : NULL;
}
