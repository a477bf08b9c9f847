/*
 * What an ELF file says about its code: load segments, functions, names, and places that
 * must be left alone. x86-64 only. Works on any bytes: whatever the file says is checked
 * against its size, and a table that makes no sense is left out with a warning.
 */
#ifndef TRAMMEL_IMAGE_IMAGE_H
#define TRAMMEL_IMAGE_IMAGE_H

#include "base/error.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A PT_LOAD segment. Addresses are link-time addresses, as everywhere in this folder. */
struct image_segment {
	uint64_t address;
	uint64_t file_offset;
	uint64_t file_size;   /* bytes that come from the file */
	uint64_t memory_size; /* the rest up to here is zero */
	bool executable, writable;
};

struct image_range {
	uint64_t start, end; /* [start, end) */
};
struct image_ranges VECTOR(struct image_range);

enum image_function_flag {
	IMAGE_FUNCTION_SYMBOL = 1,      /* a symbol names it */
	IMAGE_FUNCTION_FDE = 2,         /* call-frame information covers it */
	IMAGE_FUNCTION_IFUNC = 4,       /* resolver of an indirect function */
	IMAGE_FUNCTION_SIZE_GUESS = 8,  /* size is the distance to the next known thing */
	IMAGE_FUNCTION_EXPORTED = 16,   /* in .dynsym */
	IMAGE_FUNCTION_REFERENCED = 32, /* a relocation, the entry point or an array of
					   initialisers leads to it */
	IMAGE_FUNCTION_GO = 64,         /* Go's table of functions has it */
	IMAGE_FUNCTION_FOUND =
		128, /* no table has it: see code/scan/function_discovery.h */
	IMAGE_FUNCTION_COLD_PART = 256, /* a cold part: see code/scan/cold_parts.h */
};

/* One function entry. Sorted by address, no two at one address. The range of a function
 * may reach over the entries of others: assembly has entries inside other functions. Cold
 * parts, PLT stubs and signal-return frames are not functions. */
struct image_function {
	uint64_t address;
	uint64_t size;  /* bytes, at least 1, inside its segment */
	uint32_t name;  /* offset in image.names of the linked (mangled) name; 0: none */
	uint32_t flags; /* enum image_function_flag */
	uint64_t part_of; /* the function that a cold part is of; 0: it is none */
};

struct image_link {
	uint64_t place, function; /* link-time addresses */
};

enum image_type { IMAGE_EXECUTABLE, IMAGE_DYNAMIC /* PIE or shared library */ };

struct image {
	char *path; /* as given to image_open */
	enum image_type type;
	unsigned char build_id[32];
	size_t build_id_size;  /* bytes; 0: the file has none */
	uint64_t entry;        /* e_entry */
	uint64_t base;         /* lowest PT_LOAD address, rounded down to a page */
	uint64_t end;          /* end of the highest PT_LOAD, rounded up to a page */
	bool has_interpreter;  /* PT_INTERP */
	bool text_relocations; /* DT_TEXTREL or DF_TEXTREL: the loader writes to text */
	bool audited; /* DT_AUDIT or DT_DEPAUDIT: the loader loads libraries that watch it
		       */
	const uint8_t *bytes; /* the whole file, mapped; valid until image_close */
	size_t size;          /* bytes of it */

	struct VECTOR(struct image_segment) segments;   /* sorted by address */
	struct VECTOR(struct image_function) functions; /* see struct image_function */
	/* Code that no call enters: parts of functions that are reached only by jumps
	 * (gcc's and clang's `.cold` parts), the first code of a thread. Sorted. */
	struct image_ranges cold_parts;
	/* The same with their names, as rows of functions. */
	struct VECTOR(struct image_function) parts;
	/* Sections of code. Sorted, disjoint; empty where there are no section headers to
	 * be believed. */
	struct image_ranges code;
	/* Executable ranges that hold PLT stubs. Sorted. */
	struct image_ranges plt;
	/* Words that the loader fills with addresses of functions, and those of this file
	 * that it means unless another module's take their place. Sorted by place. */
	struct VECTOR(struct image_link) links;
	/* Addresses in executable segments that something refers to other than by a
	 * branch: relocation targets (R_X86_64_RELATIVE and IRELATIVE addends, symbols of
	 * R_X86_64_64 and GLOB_DAT, init/fini arrays), exception landing pads, rseq abort
	 * handlers, function symbols. Sorted, unique. */
	struct VECTOR(uint64_t) targets;
	/* Code that must not be touched or moved: restartable sequences (__rseq_cs: start
	 * to commit, and 4 signature bytes before the abort handler plus its first 16
	 * bytes), signal-return trampolines (signal-frame FDEs, one byte before
	 * included). Sorted. */
	struct image_ranges untouchable;
	/* Of these: code that the program reads: see checked.c. Sorted. */
	struct image_ranges checked;
	/* Strings: names.items + function.name. Item 0 is the empty string. */
	struct VECTOR(char) names;
	/* The dynamic string table, names of imports among others; NULL if there is none.
	 */
	const uint8_t *dynamic_strings;
	size_t dynamic_strings_size;
	/* What was wrong with the file but did not stop the reading; each one line. */
	struct VECTOR(char *) warnings;
};

/*
 * Reads the file at `path`. Names come, in this order, from .symtab, .dynsym, the
 * separate debug file of its build id (/usr/lib/debug/.build-id/xx/yyyy.debug),
 * .gnu_debugdata. `display_path` is what messages and image.path say (NULL: `path`),
 * since `path` may be a /proc link. Errors: TRM_ERROR_SYSTEM cannot be read,
 * TRM_ERROR_FORMAT no ELF file or damaged beyond use, TRM_ERROR_UNSUPPORTED another
 * machine, class or kind of file.
 */
struct trm_error *image_open(const char *path, const char *display_path,
			     struct image **ret_image);

/* The same for bytes in memory, which must outlive the image; no debug file is looked
 * for. */
struct trm_error *image_open_memory(const void *bytes, size_t size,
				    struct image **ret_image);

/* The same for a file of this path that is mapped already; its debug file is looked for.
 */
struct trm_error *image_open_mapped(const void *bytes, size_t size, const char *path,
				    struct image **ret_image);

/* Frees the image; NULL is allowed. */
void image_close(struct image *image);

/* Whether this is the file's build id, in hex digits; "": it has none. */
bool image_is_build(const struct image *image, const char *build_id);

/* The bytes that the file has for [address, address + size); NULL if not all are. */
const uint8_t *image_bytes_at(const struct image *image, uint64_t address, size_t size);

/* The row of image.links of a word; NULL if it has none. */
const struct image_link *image_link_at(const struct image *image, uint64_t word);

/* The name of the function of another module whose address the loader puts into a word;
 * NULL if it does not. Looks through all relocations. */
const char *image_import_at(const struct image *image, uint64_t word);

/* The last function that begins at the address or before it; NULL if none does. */
const struct image_function *image_function_around(const struct image *image,
						   uint64_t address);

/* The index of the function that begins at the address; functions.count if none does. */
size_t image_function_at(const struct image *image, uint64_t address);

/* The address of the first function with this linked name; false if there is none. */
bool image_find_function(const struct image *image, const char *name,
			 uint64_t *ret_address);

/* Another name of a function, as tables of symbols in the file have it. */
struct image_alias {
	uint64_t address;
	char *name; /* demangled */
};

/* The other names of the function at an address, all but `functions.name`: the first of
 * them, NULL if there are none. Not for several threads with one image. */
const struct image_alias *image_aliases(const struct image *image, uint64_t address,
					size_t *ret_count);

/* What executing the file would meet, from the first bytes alone: cheap. */
enum image_kind {
	IMAGE_KIND_NATIVE,  /* x86-64 ELF program */
	IMAGE_KIND_FOREIGN, /* ELF of another class or machine */
	IMAGE_KIND_SCRIPT,  /* starts with #! */
	IMAGE_KIND_OTHER,   /* anything else */
};
enum image_kind image_probe(int fd);
/* Whether a NATIVE one is run without a dynamic loader, and so loads no library. */
bool image_is_static(int fd);

/*
 * Whether the code of a file may follow stacks in ways of its own, so that return
 * addresses must be the original ones at all times: it is a static program, or has a
 * run-time system that is known to, or is a program all of whose functions are watched
 * (-pg and its like). From headers and dynamic string table alone: cheap.
 * `program`: it is executed, no library.
 */
bool image_walks_stacks(const void *bytes, size_t size, bool program);

/*
 * Whether the code of a file has the bytes of an instruction that sets the GS base, be it
 * by chance: reading it tells (plan.uses_gs). From headers and bytes alone: 0.05 s for
 * 100 MB.
 */
bool image_may_set_gs(const void *bytes, size_t size);

/* The segment of a mapped file that has .eh_frame_hdr, and .eh_frame if that lies where
 * it usually does. Link-time addresses. False: there is none. */
struct image_unwind {
	uint64_t header; /* of .eh_frame_hdr */
	uint64_t start, end;
	const uint8_t *bytes; /* from `start` on */
};
bool image_find_unwind(const void *bytes, size_t size, struct image_unwind *ret_unwind);

/* The demangled form (C++, Rust, D) of a linked name, or a copy of it: free() it. */
char *image_demangle(const char *name);

#endif
