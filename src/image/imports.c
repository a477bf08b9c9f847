/* Names of what a file imports. */
#include "image/imports.h"

#include "base/array.h"
#include "base/search.h"
#include "image/headers.h"
#include "image/read/sort.h"

#include <stdlib.h>
#include <string.h>

struct image_imports {
	struct headers file;
	struct headers_dynamic dynamic;
	struct VECTOR(struct sort_item) words; /* addresses, and numbers of symbols */
};

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

/* Adds the relocations of a table that have symbols. */
static void add_table(struct image_imports *imports, const uint8_t *bytes, size_t left)
{
	Elf64_Rela row;

	for (; left >= sizeof(row); left -= sizeof(row), bytes += sizeof(row)) {
		memcpy(&row, bytes, sizeof(row));
		if (ELF64_R_SYM(row.r_info))
			vector_push(&imports->words,
				    ((struct sort_item){row.r_offset,
							ELF64_R_SYM(row.r_info)}));
	}
}

/* The words of a file; NULL if it cannot be read. */
static struct image_imports *read_imports(const struct image *image)
{
	static const unsigned tables[][2] = {{DT_RELA, DT_RELASZ},
					     {DT_JMPREL, DT_PLTRELSZ}};
	struct image_imports *imports;
	struct headers file;

	if (!headers_open(image->bytes, image->size, &file))
		return NULL;
	imports = memory_allocate_zeroed(1, sizeof(*imports));
	imports->file = file;
	imports->dynamic = headers_read_dynamic(&file);
	for (size_t i = 0; i < array_count(tables); i++) {
		const uint8_t *bytes;
		size_t size = headers_table(&imports->file, &imports->dynamic,
					    tables[i][0], tables[i][1], &bytes);

		add_table(imports, bytes, size);
	}
	image_sort(imports->words.items, imports->words.count);
	return imports;
}

/* Makes them at the first call; of two threads that do so at once, one's are kept. */
static const struct image_imports *imports_of(const struct image *image)
{
	struct image_imports **place =
		(struct image_imports **)(uintptr_t)&image->imports;
	struct image_imports *made, *imports = __atomic_load_n(place, __ATOMIC_ACQUIRE);

	if (imports)
		return imports;
	made = read_imports(image);
	if (__atomic_compare_exchange_n(place, &imports, made, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return made;
	image_imports_destroy(made);
	return imports;
}

const char *image_import_at(const struct image *image, uint64_t word)
{
	const struct image_imports *imports = imports_of(image);
	size_t low = imports ? search_first(imports->words.count, middle,
					    imports->words.items[middle].key < word)
			     : 0;

	if (!imports || low == imports->words.count ||
	    imports->words.items[low].key != word)
		return NULL;
	return name_of(&imports->file, &imports->dynamic,
		       imports->words.items[low].value);
}

void image_imports_destroy(struct image_imports *imports)
{
	if (!imports)
		return;
	vector_deinit(&imports->words);
	free(imports);
}
