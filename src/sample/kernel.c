#include "sample/kernel.h"

#include "base/array.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct symbol {
	uint64_t address;
	char *name;
};
struct symbols VECTOR(struct symbol);

static int by_address(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	return compare_numbers(a->address, b->address);
}

/* "ffffffff81000000 T _stext", of a kernel's module with "[name]" behind it. Only code
 * has a "t" or "w". */
static void read_symbol(const char *line, struct symbols *symbols)
{
	char type, name[256], module[80] = "";
	struct text text = {0};
	uint64_t address;

	if (sscanf(line, "%" SCNx64 " %c %255s %79s", &address, &type, name, module) <
		    3 ||
	    !address || !strchr("tTwW", type))
		return;
	text_add(&text, name);
	if (*module)
		text_format(&text, " %s", module);
	vector_push(symbols, ((struct symbol){address, text.data}));
}

void kernel_read(struct sample_module *module, FILE *file)
{
	/* Of the last function it is not known where it ends. */
	const uint64_t last = 4096;
	struct symbols symbols = {0};
	char line[512];

	while (fgets(line, sizeof(line), file))
		read_symbol(line, &symbols);
	if (symbols.count)
		qsort(symbols.items, symbols.count, sizeof(*symbols.items), by_address);
	for (size_t i = 0; i < symbols.count; i++) {
		const struct symbol *symbol = &symbols.items[i];
		size_t next = i + 1;

		while (next < symbols.count &&
		       symbols.items[next].address == symbol->address)
			next++;
		sample_module_add(module, symbol->address,
				  next < symbols.count
					  ? symbols.items[next].address - symbol->address
					  : last,
				  symbol->name);
	}
	vector_for_each (&symbols, symbol)
		free(symbol->name);
	vector_deinit(&symbols);
}
