/* Names of what a file imports. */
#include "image/headers.h"
#include "image/image.h"

#include <string.h>

struct tables {
	struct {
		uint64_t address, size;
	} rows[2]; /* of relocations */
	uint64_t symbols, strings, strings_size;
};

static bool find_tables(const struct headers *file, struct tables *ret_tables)
{
	const uint8_t *bytes;
	Elf64_Phdr segment;
	Elf64_Dyn entry;
	size_t left;

	*ret_tables = (struct tables){0};
	if (!headers_find(file, PT_DYNAMIC, &segment))
		return false;
	left = headers_bytes(file, segment.p_vaddr, &bytes);
	for (; left >= sizeof(entry); left -= sizeof(entry), bytes += sizeof(entry)) {
		memcpy(&entry, bytes, sizeof(entry));
		const struct {
			int64_t tag;
			uint64_t *value;
		} wanted[] = {
			{DT_RELA, &ret_tables->rows[0].address},
			{DT_RELASZ, &ret_tables->rows[0].size},
			{DT_JMPREL, &ret_tables->rows[1].address},
			{DT_PLTRELSZ, &ret_tables->rows[1].size},
			{DT_SYMTAB, &ret_tables->symbols},
			{DT_STRTAB, &ret_tables->strings},
			{DT_STRSZ, &ret_tables->strings_size},
		};

		if (entry.d_tag == DT_NULL)
			break;
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			if (entry.d_tag == wanted[i].tag)
				*wanted[i].value = entry.d_un.d_val;
	}
	return true;
}

static const char *name_of(const struct headers *file, const struct tables *tables,
			   uint64_t index)
{
	const uint8_t *strings, *bytes;
	size_t left = headers_bytes(file, tables->strings, &strings);
	Elf64_Sym symbol;

	left = left < tables->strings_size ? left : tables->strings_size;
	if (headers_bytes(file, tables->symbols + index * sizeof(symbol), &bytes) <
	    sizeof(symbol))
		return NULL;
	memcpy(&symbol, bytes, sizeof(symbol));
	if (symbol.st_name >= left ||
	    !memchr(strings + symbol.st_name, 0, left - symbol.st_name))
		return NULL;
	return (const char *)strings + symbol.st_name;
}

const char *image_import_at(const struct image *image, uint64_t word)
{
	struct headers file;
	struct tables tables;

	if (!headers_open(image->bytes, image->size, &file) ||
	    !find_tables(&file, &tables))
		return NULL;
	for (size_t i = 0; i < sizeof(tables.rows) / sizeof(tables.rows[0]); i++) {
		const uint8_t *bytes;
		size_t left = headers_bytes(&file, tables.rows[i].address, &bytes);
		Elf64_Rela row;

		left = left < tables.rows[i].size ? left : tables.rows[i].size;
		for (; left >= sizeof(row); left -= sizeof(row), bytes += sizeof(row)) {
			memcpy(&row, bytes, sizeof(row));
			if (row.r_offset == word)
				return name_of(&file, &tables, ELF64_R_SYM(row.r_info));
		}
	}
	return NULL;
}
