/* A tool with counters of its own: blocks and instructions of each function, added
 * inline, and blocks again by code of the tool's own. */
#include <trammel/tool.h>

static struct trammel_counter *blocks, *instructions, *sizes, *again;

static int start(const struct trammel_api *t, int argc, const char *const *argv)
{
	(void)argc;
	(void)argv;
	blocks = t->counter("blocks");
	instructions = t->counter("instructions");
	sizes = t->counter("size");
	again = t->counter("again");
	return 0;
}

static void emit(const struct trammel_recipes *r, struct trammel_recipe *code,
		 const void *data)
{
	int number = r->take(code);

	(void)data;
	r->value(code, number, trammel_int(3));
	r->add(code, again, number);
	r->count(code, again, -2);
	r->give_back(code, number);
}

static void function(const struct trammel_api *t, const struct trammel_function *f)
{
	const struct trammel_code *code = t->code(f);

	for (uint32_t i = 0; code && i < code->block_count; i++) {
		const struct trammel_block *block = &code->blocks[i];

		t->add_count(trammel_block_begin(block), blocks, 1);
		t->add_count(trammel_block_begin(block), instructions,
			     (int32_t)block->instruction_count);
		t->add_sum(trammel_block_begin(block), sizes, trammel_int(block->size));
		t->add_code(trammel_block_begin(block), emit, NULL);
	}
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"counters",
		"counts of blocks, by code that is inlined",
		start,
		NULL,
		function,
		NULL};
