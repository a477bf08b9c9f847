/* A tool that does nothing, everywhere: an empty routine at each block, each load and
 * each store of all functions. Programs must run under it as without (run-programs.py
 * --tool). */
#include <trammel/tool.h>

TRAMMEL_ROUTINE void empty_block(long instructions)
{
	(void)instructions;
}

TRAMMEL_ROUTINE void empty_access(const void *address, long bytes)
{
	(void)address;
	(void)bytes;
}

static int begin(const struct trammel_api *api, int argc, const char *const *argv)
{
	(void)argc;
	(void)argv;
	api->prototype("empty_block(long)");
	api->prototype("empty_access(const void *, long)");
	return 0;
}

static void see_instruction(const struct trammel_api *api,
			    const struct trammel_instruction *instruction)
{
	for (size_t i = 0; i < instruction->operand_count; i++) {
		const struct trammel_operand *operand = &instruction->operands[i];

		if (operand->kind != TRAMMEL_OPERAND_MEMORY)
			continue;
		if (operand->reads)
			trammel_add_call(api, trammel_before(instruction), "empty_access",
					 trammel_address(operand->memory),
					 trammel_size(operand->memory));
		if (operand->writes && instruction->kind == TRAMMEL_PLAIN)
			trammel_add_call(api, trammel_after(instruction), "empty_access",
					 trammel_address(operand->memory),
					 trammel_size(operand->memory));
	}
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);

	for (size_t i = 0; code && i < code->block_count; i++)
		trammel_add_call(api, trammel_block_begin(&code->blocks[i]),
				 "empty_block",
				 trammel_int(code->blocks[i].instruction_count));
	for (size_t i = 0; code && i < code->instruction_count; i++)
		see_instruction(api, &code->instructions[i]);
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD, "empty", "nothing, everywhere", begin, NULL,
		see_function,      NULL};
