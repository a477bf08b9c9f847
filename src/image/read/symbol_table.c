#include "image/read/symbol_table.h"

bool image_symbol_at(const struct symbol_table *table, size_t index,
		     Elf64_Sym *ret_symbol)
{
	if (index >= table->entries.size / sizeof(*ret_symbol))
		return false;
	memcpy(ret_symbol, table->entries.data + index * sizeof(*ret_symbol),
	       sizeof(*ret_symbol));
	return true;
}

const char *image_symbol_name(const struct symbol_table *table, const Elf64_Sym *symbol,
			      uint32_t *ret_size)
{
	const char *name = "", *version = NULL;
	size_t size;

	if (symbol->st_name < table->strings.size)
		name = (const char *)table->strings.data + symbol->st_name;
	size = strlen(name);
	if (table->version_suffixes)
		version = memchr(name, '@', size);
	if (version && version > name)
		size = (size_t)(version - name);
	*ret_size = size < UINT32_MAX ? (uint32_t)size : 0;
	return name;
}

/* Whether the version of a symbol is not the one that new programs get. */
static bool old_version(const struct symbol_table *table, size_t index,
			const Elf64_Sym *symbol)
{
	const char *name, *mark = NULL;
	uint16_t version;

	if (index < table->versions.size / sizeof(version)) {
		memcpy(&version, table->versions.data + index * sizeof(version),
		       sizeof(version));
		return (version & 0x8000) != 0;
	}
	if (!table->version_suffixes || symbol->st_name >= table->strings.size)
		return false;
	name = (const char *)table->strings.data + symbol->st_name;
	mark = strchr(name, '@');
	return mark && mark > name && mark[1] != '@';
}

enum symbol_rank image_symbol_rank(const struct symbol_table *table, size_t index,
				   const Elf64_Sym *symbol)
{
	if (symbol->st_name == 0)
		return RANK_NAMELESS;
	if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL)
		return RANK_LOCAL;
	if (old_version(table, index, symbol))
		return RANK_OLD_VERSION;
	return ELF64_ST_BIND(symbol->st_info) == STB_WEAK ? RANK_WEAK : RANK_GLOBAL;
}

bool image_symtab_of(const struct elf_file *elf, enum symbol_source source,
		     struct symbol_table *ret_table)
{
	const Elf64_Shdr *section = image_section_of_type(elf, SHT_SYMTAB);
	struct symbol_table table = {.source = source};

	if (!section || section->sh_link >= elf->sections.count)
		return false;
	table.entries = image_section_bytes(elf, section);
	table.strings = image_cut_strings(
		image_section_bytes(elf, &elf->sections.items[section->sh_link]));
	table.version_suffixes = true;
	*ret_table = table;
	return true;
}
