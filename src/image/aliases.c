#include "image/aliases.h"

#include "base/array.h"
#include "base/search.h"
#include "image/demangle.h"
#include "image/find.h"
#include "image/opened.h"
#include "image/read/symbol_table.h"

#include <stdlib.h>

static int compare_aliases(const void *left, const void *right)
{
	const struct image_alias *a = left, *b = right;

	return compare_numbers(a->address, b->address) ?: strcmp(a->name, b->name);
}

/* Adds the name of a symbol, if it is a function's and another one than that is shown. */
static void add_alias(struct opened *opened, const struct symbol_table *table,
		      const Elf64_Sym *symbol)
{
	const struct image *image = &opened->image;
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);
	uint32_t size;
	size_t index;

	if (symbol->st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC))
		return;
	index = image_function_at(image, symbol->st_value);
	const char *name = image_symbol_name(table, symbol, &size);

	if (index == image->functions.count || !size)
		return;
	const char *shown = image->names.items + image->functions.items[index].name;

	if (strlen(shown) == size && !memcmp(shown, name, size))
		return;
	char *linked = strndup(name, size);

	vector_push(&opened->aliases,
		    ((struct image_alias){symbol->st_value, image_demangle(linked)}));
	free(linked);
}

static void make_alias_list(struct opened *opened)
{
	size_t kept = 0;

	opened->aliases_made = true;
	for (size_t i = 0; i < opened->table_count; i++) {
		const struct symbol_table *table = &opened->tables[i];
		Elf64_Sym symbol;

		for (size_t index = 1; image_symbol_at(table, index, &symbol); index++)
			add_alias(opened, table, &symbol);
	}
	if (!opened->aliases.count)
		return;
	qsort(opened->aliases.items, opened->aliases.count,
	      sizeof(*opened->aliases.items), compare_aliases);
	/* Both tables may have a name. */
	for (size_t i = 1; i < opened->aliases.count; i++) {
		struct image_alias *alias = &opened->aliases.items[i];

		if (compare_aliases(&opened->aliases.items[kept], alias))
			opened->aliases.items[++kept] = *alias;
		else
			free(alias->name);
	}
	opened->aliases.count = kept + 1;
}

const struct image_alias *image_aliases(const struct image *image, uint64_t address,
					size_t *ret_count)
{
	struct opened *opened = (struct opened *)(uintptr_t)image;
	size_t first, end;

	if (!opened->aliases_made)
		make_alias_list(opened);
	first = search_first(opened->aliases.count, middle,
			     opened->aliases.items[middle].address < address);
	for (end = first;
	     end < opened->aliases.count && opened->aliases.items[end].address == address;
	     end++)
		;
	*ret_count = end - first;
	return end > first ? &opened->aliases.items[first] : NULL;
}
