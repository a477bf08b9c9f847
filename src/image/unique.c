#include "image/unique.h"

#include "base/array.h"
#include "base/search.h"
#include "base/table.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* A symbol that is in memory. */
struct symbol {
	uint64_t address, size;
	const char *name;
	uint32_t index, number;
	bool local, function;
};

struct symbols VECTOR(struct symbol);

/* The bytes of a section; NULL if the file does not have them all. */
static const uint8_t *section_bytes(const struct image *image, const Elf64_Shdr *section)
{
	if (section->sh_type == SHT_NOBITS || section->sh_offset > image->size ||
	    section->sh_size > image->size - section->sh_offset)
		return NULL;
	return image->bytes + section->sh_offset;
}

static bool section_at(const struct image *image, size_t index, Elf64_Shdr *ret_section)
{
	Elf64_Ehdr head;

	memcpy(&head, image->bytes, sizeof(head));
	if (head.e_shentsize != sizeof(*ret_section) || index >= head.e_shnum ||
	    head.e_shoff > image->size ||
	    (index + 1) * sizeof(*ret_section) > image->size - head.e_shoff)
		return false;
	memcpy(ret_section, image->bytes + head.e_shoff + index * sizeof(*ret_section),
	       sizeof(*ret_section));
	return true;
}

/* Strings must end in the section. */
static const char *string_at(const char *strings, size_t size, uint32_t offset)
{
	return offset < size && memchr(strings + offset, 0, size - offset)
		       ? strings + offset
		       : "";
}

static bool in_memory(const struct image *image, const Elf64_Sym *symbol)
{
	Elf64_Shdr section;

	return symbol->st_shndx != SHN_UNDEF &&
	       ELF64_ST_TYPE(symbol->st_info) != STT_FILE &&
	       section_at(image, symbol->st_shndx, &section) &&
	       (section.sh_flags & SHF_ALLOC) && !(section.sh_flags & SHF_TLS);
}

/* False: the image has no table of symbols. */
static bool read_symbols(const struct image *image, struct symbols *symbols)
{
	Elf64_Shdr table, strings;
	size_t index = 0;

	while (section_at(image, index, &table) && table.sh_type != SHT_SYMTAB)
		index++;
	if (!section_at(image, index, &table) ||
	    !section_at(image, table.sh_link, &strings))
		return false;
	const uint8_t *entries = section_bytes(image, &table);
	const char *names = (const char *)section_bytes(image, &strings);

	for (size_t i = 0; entries && names && i < table.sh_size / sizeof(Elf64_Sym);
	     i++) {
		Elf64_Sym symbol;

		memcpy(&symbol, entries + i * sizeof(symbol), sizeof(symbol));
		const char *name = string_at(names, strings.sh_size, symbol.st_name);

		if (!*name || !symbol.st_value || !in_memory(image, &symbol))
			continue;
		unsigned int type = ELF64_ST_TYPE(symbol.st_info);

		vector_push(symbols,
			    ((struct symbol){
				    .address = symbol.st_value,
				    .name = name,
				    .index = (uint32_t)i,
				    .size = symbol.st_size,
				    .local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL,
				    .function = type == STT_FUNC || type == STT_GNU_IFUNC,
			    }));
	}
	return symbols->count;
}

COMPARE_BY_TWO(by_address, struct symbol, address, index);

/* Global ones first. */
static int by_address_and_kind(const void *left, const void *right)
{
	const struct image_unique *a = left, *b = right;
	bool local_a = a->number, local_b = b->number;

	return compare_numbers(a->address, b->address)
		       ?: compare_numbers(local_a, local_b)
		       ?: strcmp(a->name, b->name);
}

static void number_symbols(struct symbols *symbols)
{
	struct table numbers = {0};

	vector_for_each (symbols, symbol)
		if (symbol->local)
			symbol->number = (uint32_t)++ *
					 table_insert(&numbers,
						      hash_bytes(symbol->name,
								 strlen(symbol->name)),
						      NULL);
	table_deinit(&numbers);
}

struct trm_error *image_uniques_init(struct image_uniques *uniques,
				     const struct image *image)
{
	struct symbols symbols = {0};

	*uniques = (struct image_uniques){0};
	if (!read_symbols(image, &symbols)) {
		vector_deinit(&symbols);
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"'%s' has no table of symbols: it was stripped",
					image->path);
	}
	qsort(symbols.items, symbols.count, sizeof(*symbols.items), by_address);
	number_symbols(&symbols);
	vector_for_each (&symbols, symbol)
		if (symbol->function)
			vector_push(uniques, ((struct image_unique){
						     symbol->address, symbol->name,
						     symbol->number, symbol->size}));
	if (uniques->count)
		qsort(uniques->items, uniques->count, sizeof(*uniques->items),
		      by_address_and_kind);
	vector_deinit(&symbols);
	return NULL;
}

const struct image_unique *image_unique_at(const struct image_uniques *uniques,
					   uint64_t address)
{
	size_t low = search_first(uniques->count, middle,
				  uniques->items[middle].address < address);

	return low < uniques->count && uniques->items[low].address == address
		       ? &uniques->items[low]
		       : NULL;
}

const struct image_unique *image_unique_around(const struct image_uniques *uniques,
					       uint64_t address)
{
	size_t low = search_first(uniques->count, middle,
				  uniques->items[middle].address <= address);
	const struct image_unique *last = low ? &uniques->items[low - 1] : NULL;

	return last && address - last->address < last->size
		       ? image_unique_at(uniques, last->address)
		       : NULL;
}
