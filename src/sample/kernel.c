#include "sample/kernel.h"

#include "base/array.h"
#include "base/cleanup.h"
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
		if (!strcmp(symbol->name, "_text"))
			module->base = symbol->address;
		/* There are many: none is copied. */
		vector_push(&module->functions,
			    ((struct sample_generated){
				    .start = symbol->address,
				    .size = next < symbols.count
						    ? symbols.items[next].address -
							      symbol->address
						    : last,
				    .name = symbol->name,
				    .number = (uint32_t)i,
			    }));
	}
	module->is_sorted = false;
	module->function_count = module->functions.count;
	vector_deinit(&symbols);
}

/* The note of /sys/kernel/notes that has the build id: name "GNU", type 3. */
static void read_build(struct sample_module *module)
{
	enum { HEAD = 12, BUILD_ID = 3 };
	unsigned char notes[4096];
	scoped_file FILE *file = fopen("/sys/kernel/notes", "re");
	const size_t size = file ? fread(notes, 1, sizeof(notes), file) : 0;

	for (size_t at = 0; at + HEAD <= size;) {
		uint32_t head[3]; /* sizes of name and bytes, type */

		memcpy(head, notes + at, sizeof(head));
		const size_t name = at + HEAD, bytes = name + ((head[0] + 3ull) & ~3ull);

		if (head[0] > size || head[1] > size || bytes + head[1] > size)
			break;
		if (head[2] == BUILD_ID && head[0] == 4 &&
		    !memcmp(notes + name, "GNU", 4) &&
		    head[1] < sizeof(module->build) / 2)
			for (size_t i = 0; i < head[1]; i++)
				snprintf(module->build + 2 * i, 3, "%02x",
					 notes[bytes + i]);
		at = bytes + ((head[1] + 3ull) & ~3ull);
	}
}

void kernel_load(struct sample_module *module)
{
	scoped_file FILE *file = fopen("/proc/kallsyms", "re");

	if (module->functions.count)
		return;
	read_build(module);
	if (file)
		kernel_read(module, file);
}
