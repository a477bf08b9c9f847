#include "image/read/symbols.h"

#include "image/bytes.h"
#include "image/contents.h"
#include "image/ranges.h"
#include "image/read/elf_file.h"
#include "image/read/give_back.h"
#include "image/read/relocs.h"
#include "image/read/symbol_table.h"
#include "image/read/warn.h"

/* Whether the name has the mark, at its end or before a number. */
static bool has_mark(const char *name, size_t size, const char *mark)
{
	const char *end = name + size, *at;

	for (at = name; (at = memmem(at, (size_t)(end - at), mark, 5)); at += 5) {
		const char *rest = at + 5;

		if (at == name)
			continue;
		if (rest == end ||
		    (rest + 1 < end && *rest == '.' && rest[1] >= '0' && rest[1] <= '9'))
			return true;
	}
	return false;
}

/* "f.cold", "f.cold.0": gcc, clang and BOLT, which also makes "f.warm". Not "f..cold..g",
 * which Rust makes of paths. */
static bool names_cold_part(const char *name, size_t size)
{
	return has_mark(name, size, ".cold") || has_mark(name, size, ".warm");
}

/* Notes one entry of a symbol table; false when the budget is used up. */
static bool read_symbol(struct reader *reader, const struct symbol_table *table,
			size_t index, const Elf64_Sym *entry)
{
	unsigned int type = ELF64_ST_TYPE(entry->st_info);
	struct symbol symbol = {.address = entry->st_value, .size = entry->st_size};

	if (entry->st_shndx == SHN_UNDEF || entry->st_shndx == SHN_ABS ||
	    entry->st_shndx == SHN_COMMON ||
	    !image_range_at(&reader->code, entry->st_value))
		return true;
	if (type == STT_NOTYPE)
		image_add_target(reader, entry->st_value);
	if (type != STT_FUNC && type != STT_GNU_IFUNC)
		return true;
	image_add_target(reader, entry->st_value);
	symbol.name = image_symbol_name(table, entry, &symbol.name_size);
	symbol.rank = (uint8_t)image_symbol_rank(table, index, entry);
	symbol.source = (uint8_t)table->source;
	symbol.flags = IMAGE_FUNCTION_SYMBOL;
	if (type == STT_GNU_IFUNC)
		symbol.flags |= IMAGE_FUNCTION_IFUNC;
	if (table->source == SOURCE_DYNSYM)
		symbol.flags |= IMAGE_FUNCTION_EXPORTED;
	symbol.cold = names_cold_part(symbol.name, symbol.name_size);
	vector_push(&reader->symbols, symbol);
	return image_spend(reader, strlen(symbol.name) + sizeof(*entry));
}

void image_read_symbols(struct reader *reader)
{
	for (size_t i = 0; i < reader->symbol_table_count; i++) {
		const struct symbol_table *table = &reader->symbol_tables[i];
		Elf64_Sym symbol;

		for (size_t index = 1; image_symbol_at(table, index, &symbol); index++) {
			if (!read_symbol(reader, table, index, &symbol))
				break;
			if (!(index % GIVE_BACK_EVERY))
				image_give_back(reader);
		}
	}
}

/* The number of symbols by the chains of DT_GNU_HASH: the highest index, and one. */
static uint64_t count_by_gnu_hash(const struct reader *reader)
{
	struct bytes bytes =
		image_bytes_from(reader->image, reader->dynamic[DYNAMIC_GNU_HASH]);
	uint32_t head[4], highest = 0, value;
	uint64_t buckets, chains;

	if (bytes.size < sizeof(head))
		return 0;
	memcpy(head, bytes.data, sizeof(head));
	buckets = sizeof(head) + (uint64_t)head[2] * 8;
	chains = buckets + (uint64_t)head[0] * 4;
	if (chains > bytes.size)
		return 0;
	for (uint64_t at = buckets; at < chains; at += 4) {
		memcpy(&value, bytes.data + at, 4);
		highest = value > highest ? value : highest;
	}
	if (highest < head[1])
		return head[1];
	for (;; highest++) {
		uint64_t at = chains + (uint64_t)(highest - head[1]) * 4;

		if (at + 4 > bytes.size || highest == UINT32_MAX)
			return 0;
		memcpy(&value, bytes.data + at, 4);
		if (value & 1)
			return (uint64_t)highest + 1;
	}
}

static uint64_t count_by_hash(const struct reader *reader)
{
	uint32_t head[2];
	const uint8_t *bytes = image_bytes_at(
		reader->image, reader->dynamic[DYNAMIC_HASH], sizeof(head));

	if (!bytes)
		return 0;
	memcpy(head, bytes, sizeof(head));
	return head[1];
}

/* How many symbols the dynamic symbol table has: nothing says so directly. */
static uint64_t count_dynamic_symbols(const struct reader *reader)
{
	const Elf64_Shdr *section = image_section_of_type(&reader->elf, SHT_DYNSYM);
	uint64_t count = 0, table = reader->dynamic[DYNAMIC_SYMTAB];

	if (section && section->sh_addr == table)
		return section->sh_size / sizeof(Elf64_Sym);
	if (reader->dynamic_present[DYNAMIC_HASH])
		count = count_by_hash(reader);
	if (!count && reader->dynamic_present[DYNAMIC_GNU_HASH])
		count = count_by_gnu_hash(reader);
	if (!count && reader->dynamic[DYNAMIC_STRTAB] > table)
		count = (reader->dynamic[DYNAMIC_STRTAB] - table) / sizeof(Elf64_Sym);
	return count;
}

/* Takes `size` bytes at an address, or as many as there are. */
static struct bytes bytes_up_to(const struct image *image, uint64_t address,
				uint64_t size)
{
	struct bytes bytes = image_bytes_from(image, address);

	if (bytes.size > size)
		bytes.size = (size_t)size;
	return bytes;
}

static void find_dynamic_symbols(struct reader *reader)
{
	struct symbol_table table = {.source = SOURCE_DYNSYM};
	uint64_t count;

	if (!reader->dynamic_present[DYNAMIC_SYMTAB])
		return;
	count = count_dynamic_symbols(reader);
	if (count > reader->image->size / sizeof(Elf64_Sym)) {
		image_warn(reader, "the dynamic symbol table is larger than the file");
		count = reader->image->size / sizeof(Elf64_Sym);
	}
	table.entries = bytes_up_to(reader->image, reader->dynamic[DYNAMIC_SYMTAB],
				    count * sizeof(Elf64_Sym));
	table.strings = image_cut_strings(
		bytes_up_to(reader->image, reader->dynamic[DYNAMIC_STRTAB],
			    reader->dynamic[DYNAMIC_STRTAB_SIZE]));
	if (reader->dynamic_present[DYNAMIC_VERSYM])
		table.versions =
			bytes_up_to(reader->image, reader->dynamic[DYNAMIC_VERSYM],
				    count * sizeof(uint16_t));
	reader->symbol_tables[reader->symbol_table_count++] = table;
}

void image_find_symbol_tables(struct reader *reader)
{
	struct symbol_table *table = &reader->symbol_tables[reader->symbol_table_count];

	if (image_symtab_of(&reader->elf, SOURCE_SYMTAB, table)) {
		table->version_suffixes = reader->dynamic_present[DYNAMIC_VERDEF];
		reader->symbol_table_count++;
	}
	find_dynamic_symbols(reader);
}
