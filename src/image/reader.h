/* Shared by the files of this folder while one ELF file is read. Only src/image
 * includes it. */
#ifndef TRAMMEL_IMAGE_READER_H
#define TRAMMEL_IMAGE_READER_H

#include "base/table.h"
#include "base/text.h"
#include "image/image.h"

#include <elf.h>
#include <string.h>

/* Bytes of a file, not owned. */
struct bytes {
	const uint8_t *data;
	size_t size;
};

/* The parts of an ELF file that do not depend on its load address. */
struct elf_file {
	struct bytes bytes;
	Elf64_Ehdr header;
	/* All section headers, by index; an invalid one has type SHT_NULL. */
	struct VECTOR(Elf64_Shdr) sections;
	struct bytes section_names; /* ends with a 0 byte, or empty */
	bool bad_sections;          /* a section header was left out */
};

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

/* An image with the data that image_find_function needs later. */
struct opened {
	struct image image; /* first: image_open gives this out */
	struct symbol_table tables[2];
	size_t table_count;
	struct VECTOR(struct image_alias) aliases; /* by address; made when asked for */
	bool aliases_made;
	bool mapped;        /* image.bytes is a mapping to be undone */
	bool more_warnings; /* the list of warnings is full */
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
	uint64_t name_bytes;   /* remaining bytes for the names of all functions */
	uint64_t frame_header; /* address of PT_GNU_EH_FRAME; 0: absent */
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

/* Adds a warning to the image; all but the first few are dropped. */
void image_warn(struct reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Takes from the budget; false, with a warning, when it is used up. */
bool image_spend(struct reader *reader, uint64_t amount);

/* elf.c */

/* Checks the header and reads the section headers. `elf` is all zero before; the bytes
 * must outlive it. Deinit is allowed after an error too. */
struct trm_error *image_elf_init(struct elf_file *elf, struct bytes bytes);

/* Reads the headers like image_elf_init; accepts object files, too. */
struct trm_error *image_elf_init_any(struct elf_file *elf, struct bytes bytes);
void image_elf_deinit(struct elf_file *elf);

/* The bytes of a part of the file; false if it is not all inside. */
bool image_slice(struct bytes bytes, uint64_t offset, uint64_t size,
		 struct bytes *ret_slice);

/* Cuts bytes behind the last 0: each offset in them then starts a whole string. */
struct bytes image_cut_strings(struct bytes bytes);

/* Returns the first section of a type, or with a name; NULL if there is none. */
const Elf64_Shdr *image_section_of_type(const struct elf_file *elf, uint32_t type);
const Elf64_Shdr *image_section_named(const struct elf_file *elf, const char *name);
const char *image_section_name(const struct elf_file *elf, const Elf64_Shdr *section);

/* Returns the bytes of a section in the file; empty if it has none. */
struct bytes image_section_bytes(const struct elf_file *elf, const Elf64_Shdr *section);

/* Reads the symbols of .symtab; false if it is absent. */
bool image_symtab_of(const struct elf_file *elf, enum symbol_source source,
		     struct symbol_table *ret_table);

/* Finds a build id in notes; returns its size in bytes, 0 if absent. */
size_t image_find_build_id(struct bytes notes, unsigned char id[32]);
size_t image_build_id_of_sections(const struct elf_file *elf, unsigned char id[32]);

/* segments.c */

/* Reads program headers and the dynamic section. Errors: there is nothing to load. */
struct trm_error *image_read_segments(struct reader *reader);

/* Returns the bytes from an address to the end of its segment in the file; empty:
 * none. */
struct bytes image_bytes_from(const struct image *image, uint64_t address);

/* Returns the range with the address, from sorted disjoint ranges; NULL if there is
 * none. */
const struct image_range *image_range_at(const struct image_ranges *ranges,
					 uint64_t address);

void image_ranges_sort(struct image_ranges *ranges);

/* Sorts the ranges, and removes empty ones and ones that overlap an earlier range. */
void image_ranges_make_disjoint(struct image_ranges *ranges);

/* symbols.c */

/* Finds .symtab and .dynsym. */
void image_find_symbol_tables(struct reader *reader);

/* Reads all symbol tables into reader.symbols and image.targets. */
void image_read_symbols(struct reader *reader);

/* Entry `index` of a table; false behind its end. */
bool image_symbol_at(const struct symbol_table *table, size_t index,
		     Elf64_Sym *ret_symbol);

enum symbol_rank image_symbol_rank(const struct symbol_table *table, size_t index,
				   const Elf64_Sym *symbol);

/* The name of a symbol and, without a version, its size. Never NULL. */
const char *image_symbol_name(const struct symbol_table *table, const Elf64_Sym *symbol,
			      uint32_t *ret_size);

/* relocs.c */

/* Reads relocations and arrays of initialisers: targets, resolvers, entries, words. */
void image_read_relocations(struct reader *reader);

/* The 8 bytes at an address as the loader leaves them, at load bias 0. */
bool image_word_at(const struct reader *reader, uint64_t address, uint64_t *ret_value);

/* Notes an address that something refers to, if it is in the code. */
void image_add_target(struct reader *reader, uint64_t address);

/* Reads the descriptors of restartable sequences. */
void image_read_sequences(struct reader *reader);

/* gopclntab.c */

/* Finds Go's table of functions. Before relocations, since addresses in it have some. */
void image_find_go_table(struct reader *reader);

/* Adds its functions to reader.symbols; after the frames, which it must not contradict.
 */
void image_read_go_functions(struct reader *reader);

/* frames.c */

/* Reads the call-frame information into reader.frames, and the data it refers to. */
void image_read_frames(struct reader *reader);

/* pads.c: the landing pads of the function at `function` become targets. Format: Itanium
 * C++ ABI, exception handling tables; gcc's unwind-c.c. */
void image_read_pads(struct reader *reader, uint64_t address, uint64_t function);

/* discover.c: makes image.functions, cold_parts and untouchable of all that was read. */
void image_discover_functions(struct reader *reader);

/* checked.c: fills in image.checked, and adds it to untouchable; after discover.c. */
void image_find_checked(struct reader *reader);

/* debugfile.c */

/* Bytes of debug files while they are needed. */
struct debug_files {
	struct bytes mapped;   /* the separate debug file */
	struct bytes unpacked; /* the contents of .gnu_debugdata, allocated */
	struct elf_file mapped_elf, unpacked_elf;
};

/* Adds the path of the separate debug file of a build id: that of an image, or another of
 * `size` bytes, at least 1. */
void image_debug_path(const struct image *image, struct text *path);
void image_id_path(const uint8_t *id, size_t size, struct text *path);

/* Adds the symbols of the separate debug file (if `search`) and of .gnu_debugdata. */
void image_debug_files_init(struct debug_files *files, struct reader *reader,
			    bool search);
void image_debug_files_deinit(struct debug_files *files);

/* debuglink.c */

/* Maps a regular file; image_unmap_file undoes it. Empty on failure (errno is set if a
 * system call failed). */
struct bytes image_map_file(const char *path);
void image_unmap_file(struct bytes bytes);

/* Writes the path of the debug file named by the image's section .gnu_debuglink into
 * `path`; false if no file has the checksum in that section. */
bool image_debuglink_path(const struct image *image, const struct elf_file *elf,
			  struct text *path);

/* sort.c */

struct sort_item {
	uint64_t key;
	uint64_t value;
};

/* Sorts by key, keeping the order of equal keys. Linear in the count. */
void image_sort(struct sort_item *items, size_t count);

/* Sorts numbers and takes out repeated ones; returns how many are left. */
size_t image_sort_unique(uint64_t *numbers, size_t count);

#endif
