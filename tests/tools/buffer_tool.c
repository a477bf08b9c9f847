/* A memory trace by a buffer of each thread: written to the file trace.bin, or, with the
 * word `count`, counted, beside calls at the same points. `drop`: nothing of it is kept.
 */
#include <trammel/tool.h>

#include <stdio.h>
#include <string.h>

enum { LOAD, STORE, MODIFY, SMALL = 4096 };

/* --- program --------------------------------------------------------------------- */

static FILE *out;
static uint64_t calls, records, fills;

static void take_records(const void *start, size_t bytes)
{
	__atomic_fetch_add(&records, bytes / 24, __ATOMIC_RELAXED);
	__atomic_fetch_add(&fills, 1, __ATOMIC_RELAXED);
	if (out)
		fwrite(start, 1, bytes, out);
}

TRAMMEL_BUFFER(trace, SMALL, take_records)
TRAMMEL_BUFFER(dropped, 1 << 16, NULL)

TRAMMEL_ROUTINE void open_trace(void)
{
	out = fopen("trace.bin", "wb");
}

TRAMMEL_ROUTINE void on_access(void)
{
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

TRAMMEL_ROUTINE void print_counts(void)
{
	fprintf(stderr, "buffer: %lu records, %lu calls, %lu times full\n",
		(unsigned long)records, (unsigned long)calls, (unsigned long)fills);
	if (out)
		fclose(out);
	out = NULL;
}

/* --- instrumentation ------------------------------------------------------------- */

static struct trammel_buffer *buffer;
static bool counts;

static int start_tool(const struct trammel_api *api, int argc, const char *const *argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	counts = !strcmp(word, "count");
	api->prototype("open_trace()");
	api->prototype("on_access()");
	api->prototype("print_counts()");
	buffer = api->buffer(strcmp(word, "drop") ? "trace" : "dropped");
	if (!*word)
		trammel_add_call(api, trammel_program_start(), "open_trace");
	trammel_add_call(api, trammel_program_end(), "print_counts");
	return 0;
}

static uint64_t unit_of(const struct trammel_instruction *row,
			const struct trammel_operand *operand)
{
	static const char letters[] = "bwdq";
	const char *last = strchr(letters, row->mnemonic[strlen(row->mnemonic) - 1]);

	return !row->repeated ? operand->bits / 8u : last ? 1u << (last - letters) : 1;
}

static void add_to_operand(const struct trammel_api *api,
			   const struct trammel_instruction *row,
			   const struct trammel_operand *operand)
{
	uint64_t kind = !operand->writes ? LOAD : operand->reads ? MODIFY : STORE;

	trammel_add_trace(api, trammel_before(row), buffer,
			  trammel_address(operand->memory), trammel_size(operand->memory),
			  trammel_int((int64_t)(row->address << 16 |
						unit_of(row, operand) << 2 | kind)));
	if (counts)
		trammel_add_call(api, trammel_before(row), "on_access");
}

static void add_to_function(const struct trammel_api *api,
			    const struct trammel_function *function)
{
	const struct trammel_code *code = api->code(function);

	for (uint32_t i = 0; code && i < code->instruction_count; i++) {
		const struct trammel_instruction *row = &code->instructions[i];

		for (uint32_t o = 0; o < row->operand_count; o++)
			if (row->operands[o].kind == TRAMMEL_OPERAND_MEMORY)
				add_to_operand(api, row, &row->operands[o]);
	}
}

TRAMMEL_TOOL = {TRAMMEL_TOOL_HEAD,
		"buffer_tool",
		"memory references, by buffers",
		start_tool,
		NULL,
		add_to_function,
		NULL};
