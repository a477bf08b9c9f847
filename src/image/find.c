#include "image/find.h"

#include "base/search.h"
#include "image/opened.h"
#include "image/read/symbol_table.h"

#include <stdio.h>

const struct image_link *image_link_at(const struct image *image, uint64_t word)
{
	size_t low = search_first(image->links.count, middle,
				  image->links.items[middle].place < word);

	if (low == image->links.count || image->links.items[low].place != word)
		return NULL;
	return &image->links.items[low];
}

const struct image_function *image_function_around(const struct image *image,
						   uint64_t address)
{
	size_t low = search_first(image->functions.count, middle,
				  image->functions.items[middle].address <= address);

	return low ? &image->functions.items[low - 1] : NULL;
}

size_t image_function_at(const struct image *image, uint64_t address)
{
	const struct image_function *function = image_function_around(image, address);

	if (function && function->address == address)
		return (size_t)(function - image->functions.items);
	return image->functions.count;
}

/* Whether a symbol has this name, whatever its version. */
static bool symbol_named(const struct symbol_table *table, const Elf64_Sym *symbol,
			 const char *name, size_t size)
{
	const char *own;

	if (symbol->st_name >= table->strings.size)
		return false;
	own = (const char *)table->strings.data + symbol->st_name;
	if (strncmp(own, name, size) != 0)
		return false;
	return !own[size] || (table->version_suffixes && own[size] == '@');
}

bool image_find_function(const struct image *image, const char *name,
			 uint64_t *ret_address)
{
	const struct opened *opened = (const struct opened *)image;
	enum symbol_rank best = RANK_NAMELESS;
	size_t size = strlen(name);
	Elf64_Sym symbol;

	for (size_t i = 0; i < opened->table_count && size; i++) {
		const struct symbol_table *table = &opened->tables[i];

		for (size_t index = 1; image_symbol_at(table, index, &symbol); index++) {
			enum symbol_rank rank;

			if (symbol.st_shndx == SHN_UNDEF ||
			    !symbol_named(table, &symbol, name, size) ||
			    image_function_at(image, symbol.st_value) ==
				    image->functions.count)
				continue;
			rank = image_symbol_rank(table, index, &symbol);
			if (rank > best ||
			    (rank == best && symbol.st_value >= *ret_address))
				continue;
			best = rank;
			*ret_address = symbol.st_value;
		}
	}
	return best < RANK_NAMELESS;
}

bool image_is_build(const struct image *image, const char *build_id)
{
	char own[2 * sizeof(image->build_id) + 1] = "";

	for (size_t i = 0; i < image->build_id_size; i++)
		snprintf(own + 2 * i, 3, "%02x", image->build_id[i]);
	return !strcmp(own, build_id);
}
