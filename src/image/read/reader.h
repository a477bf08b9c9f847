/* What is known of an ELF file while it is read. Only for the files of src/image. */
#ifndef TRAMMEL_IMAGE_READ_READER_H
#define TRAMMEL_IMAGE_READ_READER_H

#include "base/table.h"
#include "base/text.h"
#include "image/image.h"
#include "image/read/elf_file.h"
#include "image/read/symbol_table.h"

#include <elf.h>
#include <string.h>

struct opened;
struct image_wanted;

/* A function symbol inside the code. */
struct symbol {
	uint64_t address;
	uint64_t size;      /* 0: not known */
	const char *name;   /* in a string table, or in Go's table */
	uint32_t name_size; /* characters, without a version */
	uint8_t rank;       /* enum symbol_rank */
	uint8_t source;     /* enum symbol_source */
	uint8_t flags;      /* enum image_function_flag */
	bool cold;          /* the name says that it is a cold part */
};

/* A range with call-frame information (an FDE). */
struct frame {
	uint64_t address;
	uint64_t size;  /* at least 1 */
	bool signal;    /* the frame of a signal handler's caller */
	bool displaced; /* its first byte is not a function's entry, by the stack */
};

/* The value that the loader finds or puts at an address: see reader.word_ranges. */
struct word {
	uint64_t address, value;
};

/* Entries of the dynamic section that are looked at. */
enum dynamic_tag {
	DYNAMIC_INIT,
	DYNAMIC_FINI,
	DYNAMIC_INIT_ARRAY,
	DYNAMIC_INIT_SIZE,
	DYNAMIC_FINI_ARRAY,
	DYNAMIC_FINI_SIZE,
	DYNAMIC_PREINIT_ARRAY,
	DYNAMIC_PREINIT_SIZE,
	DYNAMIC_RELA,
	DYNAMIC_RELA_SIZE,
	DYNAMIC_RELR,
	DYNAMIC_RELR_SIZE,
	DYNAMIC_JMPREL,
	DYNAMIC_JMPREL_SIZE,
	DYNAMIC_PLTREL,
	DYNAMIC_SYMTAB,
	DYNAMIC_STRTAB,
	DYNAMIC_STRTAB_SIZE,
	DYNAMIC_HASH,
	DYNAMIC_GNU_HASH,
	DYNAMIC_VERSYM,
	DYNAMIC_VERDEF,
	DYNAMIC_TEXTREL,
	DYNAMIC_AUDIT,
	DYNAMIC_DEPAUDIT,
	DYNAMIC_FLAGS,
	DYNAMIC_COUNT
};

struct image_addresses VECTOR(uint64_t);

struct reader {
	struct opened *opened;
	struct image *image; /* &opened->image */
	struct elf_file elf;
	/* Remaining work, in bytes read, for parts of the file that tables refer to
	 * (names, landing pads, call-frame instructions). Sound files need about their
	 * own size; a hostile one could refer to one part 10^5 times. */
	uint64_t budget;
	bool exhausted;
	bool names_only; /* functions and their names are all that is wanted, and little
			    memory is to be taken */
	bool gives_back; /* see give_back.h: files are read, not bytes in memory */
	const struct image_wanted *wanted; /* NULL: all is */
	struct bytes debug_file; /* the separate debug file, mapped; empty: none */
	uint64_t name_bytes;     /* remaining bytes for the names of all functions */
	uint64_t frame_header;   /* address of PT_GNU_EH_FRAME; 0: absent */
	bool dynamic_present[DYNAMIC_COUNT];
	uint64_t dynamic[DYNAMIC_COUNT];
	struct symbol_table symbol_tables[4];
	size_t symbol_table_count;
	bool code_by_segments;       /* no section headers to be believed */
	struct image_range go_table; /* addresses of .gopclntab; empty: absent */
	struct image_ranges
		code; /* executable sections, else segments; sorted, disjoint */
	struct image_ranges word_ranges;  /* where `words` are wanted */
	struct VECTOR(struct word) words; /* relocated words in word_ranges, by address */
	struct VECTOR(struct symbol) symbols;
	struct VECTOR(struct frame) frames;
	struct image_addresses resolvers;  /* addends of IRELATIVE */
	struct image_addresses references; /* targets of relocations etc. */
	struct VECTOR(uint64_t) entries;   /* called by the loader: entry, init, fini */
};

#endif
