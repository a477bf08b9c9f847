/* Symbol tables of a file as they lie in it. */
#ifndef TRAMMEL_IMAGE_READ_SYMBOL_TABLE_H
#define TRAMMEL_IMAGE_READ_SYMBOL_TABLE_H

#include "image/bytes.h"
#include "image/read/elf_file.h"

#include <elf.h>

enum symbol_source {
	SOURCE_SYMTAB,
	SOURCE_DYNSYM,
	SOURCE_DEBUG_FILE,
	SOURCE_DEBUG_DATA,
	SOURCE_GO,
};

struct symbol_table {
	struct bytes entries;  /* Elf64_Sym, not necessarily aligned */
	struct bytes strings;  /* ends with a 0 byte, or empty */
	struct bytes versions; /* 16 bits for each symbol; empty: no versions */
	enum symbol_source source;
	/* The linker puts "@VERSION" behind names in .symtab of a file that defines
	 * versions. */
	bool version_suffixes;
};

/* Rank of the names at one address; the lowest is the best. */
enum symbol_rank {
	RANK_GLOBAL,
	RANK_WEAK,
	RANK_OLD_VERSION, /* not the default version */
	RANK_LOCAL,
	RANK_NAMELESS,
};

/* Finds .symtab, whose symbols are then from `source`; false if it is absent. */
bool image_symtab_of(const struct elf_file *elf, enum symbol_source source,
		     struct symbol_table *ret_table);

/* Reads entry `index` of a table; false behind its end. */
bool image_symbol_at(const struct symbol_table *table, size_t index,
		     Elf64_Sym *ret_symbol);

/* Returns how good the name of entry `index` is, by its binding and version. */
enum symbol_rank image_symbol_rank(const struct symbol_table *table, size_t index,
				   const Elf64_Sym *symbol);

/* Returns the name of a symbol, never NULL; its size is without a version. */
const char *image_symbol_name(const struct symbol_table *table, const Elf64_Sym *symbol,
			      uint32_t *ret_size);

#endif
