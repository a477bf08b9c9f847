/* A tool for bench/points.py, which says by a word what there is: `call`: a call of an
 * empty routine at each block; `count`: a counter of the function's there; `trace`: a
 * record of each load and store, with address, size and number, in a buffer that is
 * dropped when it is full. */
#include <trammel/tool.h>

#include <string.h>

/* --- program --------------------------------------------------------------------- */

TRAMMEL_BUFFER(dropped, 1 << 16, NULL)

TRAMMEL_ROUTINE void do_nothing(void)
{
}

/* --- instrumentation ------------------------------------------------------------- */

static const char *word = "call";
static struct trammel_counter *blocks;
static struct trammel_buffer *buffer;

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	if (argc > 1)
		word = argv[1];
	if (!strcmp(word, "trace"))
		buffer = api->buffer("dropped");
	else if (!strcmp(word, "count"))
		blocks = api->counter("blocks");
	else
		api->prototype("do_nothing()");
	return 0;
}

static void add_to_references(const struct trammel_api *api,
			      const struct trammel_instruction *row)
{
	for (uint32_t o = 0; o < row->operand_count; o++) {
		const struct trammel_operand *operand = &row->operands[o];

		if (operand->kind == TRAMMEL_OPERAND_MEMORY && !operand->gathered)
			trammel_add_trace(api, trammel_before(row), buffer,
					  trammel_address(operand->memory),
					  trammel_size(operand->memory),
					  trammel_int((int64_t)row->address));
	}
}

static void see_function(const struct trammel_api *api,
			 const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);

	for (uint32_t i = 0; code && buffer && i < code->instruction_count; i++)
		add_to_references(api, &code->instructions[i]);
	for (uint32_t i = 0; code && !buffer && i < code->block_count; i++) {
		const struct trammel_point point = trammel_block_begin(&code->blocks[i]);

		if (blocks)
			api->add_count(point, blocks, 1);
		else
			trammel_add_call(api, point, "do_nothing");
	}
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD, "points", "call, count or trace", start_tool, NULL,
		see_function,      NULL};
