/* Names of what a file imports. */
#include "image/imports.h"

#include "base/array.h"
#include "image/headers.h"

#include <string.h>

static const char *name_of(const struct headers *file,
			   const struct headers_dynamic *dynamic, uint64_t index)
{
	const uint8_t *strings, *bytes;
	size_t left = headers_table(file, dynamic, DT_STRTAB, DT_STRSZ, &strings);
	Elf64_Sym symbol;

	if (headers_bytes(file, dynamic->values[DT_SYMTAB] + index * sizeof(symbol),
			  &bytes) < sizeof(symbol))
		return NULL;
	memcpy(&symbol, bytes, sizeof(symbol));
	if (symbol.st_name >= left ||
	    !memchr(strings + symbol.st_name, 0, left - symbol.st_name))
		return NULL;
	return (const char *)strings + symbol.st_name;
}

const char *image_import_at(const struct image *image, uint64_t word)
{
	static const unsigned tables[][2] = {{DT_RELA, DT_RELASZ},
					     {DT_JMPREL, DT_PLTRELSZ}};
	struct headers file;

	if (!headers_open(image->bytes, image->size, &file))
		return NULL;
	const struct headers_dynamic dynamic = headers_read_dynamic(&file);

	for (size_t i = 0; i < array_count(tables); i++) {
		const uint8_t *bytes;
		size_t left = headers_table(&file, &dynamic, tables[i][0], tables[i][1],
					    &bytes);
		Elf64_Rela row;

		for (; left >= sizeof(row); left -= sizeof(row), bytes += sizeof(row)) {
			memcpy(&row, bytes, sizeof(row));
			if (row.r_offset == word)
				return name_of(&file, &dynamic, ELF64_R_SYM(row.r_info));
		}
	}
	return NULL;
}
