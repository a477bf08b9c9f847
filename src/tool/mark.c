#include "tool/mark.h"

#include "base/array.h"
#include "tool/cycles.h"
#include "tool/function_code.h"

#include <string.h>

/* A module while it is labelled. */
struct marking {
	struct labels *labels;
	const struct mark_wishes *wishes;
	struct label_module *module;
	struct label_function *function; /* NULL: it has no label yet */
	const struct trammel_function *seen;
	struct mark_sums *sums;
	uint64_t entry_id; /* of the function, or of that it is a part of; 0: none */
	struct VECTOR(uint64_t) entry_ids; /* by function */
	struct VECTOR(uint32_t) cycles;    /* scratch */
};

struct label mark_label(enum trammel_kind kind,
			const struct trammel_instruction *instruction)
{
	return (struct label){
		.kind = kind, .where = LABEL_BEFORE, .address = instruction->address};
}

static void add_label(struct marking *marking, struct label label, uint64_t id)
{
	if (!marking->function) {
		marking->function = vector_add(&marking->module->functions);
		marking->function->address = marking->seen->address;
		marking->function->name = memory_copy_string(marking->seen->name);
	}
	label.id = id;
	vector_push(&marking->function->items, label);
	marking->sums->points++;
}

/* With an id of its own. */
static void add_new(struct marking *marking, struct label label)
{
	add_label(marking, label, marking->labels->next++);
}

static void mark_entry(struct marking *marking)
{
	struct label label = {.kind = TRAMMEL_KIND_ENTRY, .where = LABEL_ENTRY};

	if (marking->seen->part_of ||
	    (!marking->wishes->entries && !marking->wishes->procedures))
		return;
	marking->entry_id = marking->labels->next;
	marking->entry_ids.items[marking->seen->number] = marking->entry_id;
	add_new(marking, label);
}

static void mark_exit(struct marking *marking, const struct trammel_instruction *row)
{
	struct label label = mark_label(TRAMMEL_KIND_EXIT, row);

	if (!tool_code_is_exit(row))
		return;
	if (marking->wishes->exits)
		add_new(marking, label);
	else if (marking->wishes->procedures && marking->entry_id)
		add_label(marking, label, marking->entry_id);
}

static void mark_jump_call(struct marking *marking, const struct trammel_instruction *row)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} names[] = {
		{"setjmp", TRAMMEL_KIND_SETJMP},
		{"_setjmp", TRAMMEL_KIND_SETJMP},
		{"__setjmp", TRAMMEL_KIND_SETJMP},
		{"sigsetjmp", TRAMMEL_KIND_SETJMP},
		{"__sigsetjmp", TRAMMEL_KIND_SETJMP},
		{"longjmp", TRAMMEL_KIND_LONGJMP},
		{"_longjmp", TRAMMEL_KIND_LONGJMP},
		{"siglongjmp", TRAMMEL_KIND_LONGJMP},
		{"__libc_siglongjmp", TRAMMEL_KIND_LONGJMP},
		{"__longjmp_chk", TRAMMEL_KIND_LONGJMP},
	};
	const char *name;

	if (row->kind == TRAMMEL_PLAIN || row->kind == TRAMMEL_RETURN)
		return;
	name = tool_code_callee_name(row);
	for (size_t i = 0; name && i < array_count(names); i++)
		if (!strcmp(names[i].name, name))
			add_new(marking,
				mark_label((enum trammel_kind)names[i].kind, row));
}

/* Accesses behind which control does not go on to the next instruction, or after which
 * that is too late, are marked in front of it. */
static bool is_behind(const struct trammel_instruction *row)
{
	return row->kind == TRAMMEL_PLAIN;
}

static void mark_memory(struct marking *marking, const struct trammel_instruction *row,
			bool stores)
{
	for (unsigned int i = 0; i < row->operand_count; i++) {
		const struct trammel_operand *operand = &row->operands[i];
		struct label label =
			mark_label(stores ? TRAMMEL_KIND_STORE : TRAMMEL_KIND_LOAD, row);

		if (operand->kind != TRAMMEL_OPERAND_MEMORY ||
		    !(stores ? operand->writes : operand->reads))
			continue;
		label.operand = operand->memory;
		label.has_operand = true;
		if (stores && is_behind(row))
			label.where = LABEL_AFTER;
		add_new(marking, label);
	}
}

static void mark_switch(struct marking *marking, const struct trammel_instruction *row)
{
	struct label label = mark_label(TRAMMEL_KIND_MBR, row);

	for (uint32_t i = 0; i < row->target_count; i++)
		vector_push(&label.targets, row->targets[i]);
	add_new(marking, label);
}

static void mark_instruction(struct marking *marking,
			     const struct trammel_instruction *row)
{
	const struct mark_wishes *wishes = marking->wishes;

	if (wishes->loads)
		mark_memory(marking, row, false);
	if (wishes->stores)
		mark_memory(marking, row, true);
	if (wishes->branches && row->kind == TRAMMEL_BRANCH)
		add_new(marking, mark_label(TRAMMEL_KIND_CBR, row));
	if (wishes->switches && row->kind == TRAMMEL_SWITCH)
		mark_switch(marking, row);
	if (wishes->jumps)
		mark_jump_call(marking, row);
	if (wishes->exits || wishes->procedures)
		mark_exit(marking, row);
}

/* The static argument is how many cycles passed since the last label of the block; of its
 * first one 1. */
static void mark_cycle(struct marking *marking, const struct trammel_block *block,
		       uint32_t number)
{
	const uint32_t *cycles = marking->cycles.items;
	struct label label = mark_label(TRAMMEL_KIND_CYCLE, &block->instructions[number]);
	uint32_t passed = number ? cycles[number] - cycles[number - 1] : 1;

	if (!passed)
		return;
	vector_push(&label.arguments, ((struct label_argument){.number = passed}));
	add_new(marking, label);
}

static void mark_block(struct marking *marking, const struct trammel_block *block)
{
	if (marking->wishes->blocks)
		add_new(marking, mark_label(TRAMMEL_KIND_BLOCK, &block->instructions[0]));
	if (marking->wishes->cycles) {
		vector_reserve(&marking->cycles, block->instruction_count);
		cycles_schedule(block, marking->cycles.items);
	}
	for (uint32_t i = 0; i < block->instruction_count; i++) {
		if (marking->wishes->cycles)
			mark_cycle(marking, block, i);
		mark_instruction(marking, &block->instructions[i]);
	}
}

static bool is_wanted(const struct marking *marking, const struct trammel_function *seen)
{
	const char *pattern = marking->wishes->only;

	return !pattern || text_glob(pattern, seen->name) ||
	       (seen->part_of && text_glob(pattern, seen->part_of->name));
}

static void mark_function(struct marking *marking, const struct trammel_function *seen)
{
	const struct trammel_code *code;

	if (!is_wanted(marking, seen))
		return;
	code = tool_code_of(seen);
	marking->sums->functions++;
	marking->sums->not_understood += !code;
	if (!code)
		return;
	marking->seen = seen;
	marking->function = NULL;
	marking->entry_id =
		seen->part_of ? marking->entry_ids.items[seen->part_of->number] : 0;
	mark_entry(marking);
	for (uint32_t i = 0; i < code->block_count; i++)
		mark_block(marking, &code->blocks[i]);
}

/* Cold parts come last: they have the ids of their functions' entries. */
void mark_module(struct labels *labels, struct tool_module *module,
		 const struct mark_wishes *wishes, struct mark_sums *ret_sums)
{
	struct marking marking = {.labels = labels, .wishes = wishes, .sums = ret_sums};

	*ret_sums = (struct mark_sums){0};
	marking.module = labels_add_module(labels, module->seen.path, module->build_id);
	marking.entry_ids.items = memory_allocate_zeroed(
		module->seen.function_count + 1, sizeof(*marking.entry_ids.items));
	for (int parts = 0; parts < 2; parts++)
		for (uint32_t i = 0; i < module->seen.function_count; i++) {
			const struct trammel_function *seen =
				tool_module_function(&module->seen, i);

			if ((seen->part_of != NULL) == parts)
				mark_function(&marking, seen);
			tool_code_release(module);
		}
	label_module_sort(marking.module);
	vector_deinit(&marking.entry_ids);
	vector_deinit(&marking.cycles);
}
