/* The code of an ELF file: load segments, functions, names, and places that must not
 * be changed. x86-64 only. Accepts any bytes: everything in the file is checked
 * against its size, and an invalid table is left out with a warning. */
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

/* One function entry. Sorted by address; addresses are unique. The range of a function
 * may extend over later entries: assembly has entries inside other functions. Cold
 * parts, PLT stubs and signal-return frames are not functions. */
struct image_function {
	uint64_t address;
	uint64_t size;    /* bytes, at least 1, inside its segment */
	uint32_t name;    /* of the linked (mangled) name, in image.names; 0: no name */
	uint32_t flags;   /* enum image_function_flag */
	uint64_t part_of; /* address of the function that a cold part belongs to; 0: not a
			     cold part */
};

struct image_link {
	uint64_t place, function; /* link-time addresses */
};

enum image_type { IMAGE_EXECUTABLE, IMAGE_DYNAMIC /* PIE or shared library */ };

struct image {
	char *path; /* as given to image_open */
	enum image_type type;
	unsigned char build_id[32];
	size_t build_id_size;  /* bytes; 0: no build id */
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
	/* Cold parts with their names, as rows like those of functions. */
	struct VECTOR(struct image_function) parts;
	/* Sections of code. Sorted, disjoint; empty if there are no valid section
	 * headers. */
	struct image_ranges code;
	/* Executable ranges that hold PLT stubs. Sorted. */
	struct image_ranges plt;
	/* Words that the loader fills with addresses of functions, and the function of
	 * this file that each refers to unless another module's replaces it. Sorted by
	 * place. */
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
	/* The part of `untouchable` that the program reads: see checked.c. Sorted. */
	struct image_ranges checked;
	/* Strings: names.items + function.name. Item 0 is the empty string. */
	struct VECTOR(char) names;
	/* The dynamic string table, including the names of imports; NULL if absent. */
	const uint8_t *dynamic_strings;
	size_t dynamic_strings_size;
	/* Problems in the file that did not stop the reading; each is one line. */
	struct VECTOR(char *) warnings;
};

/* Reads the file at `path`. Names come, in this order, from .symtab, .dynsym, the
 * separate debug file of its build id (/usr/lib/debug/.build-id/xx/yyyy.debug),
 * .gnu_debugdata. `display_path` is used in messages and image.path (NULL: `path`),
 * since `path` may be a /proc link. Errors: TRM_ERROR_SYSTEM cannot be read,
 * TRM_ERROR_FORMAT not an ELF file or damaged beyond use, TRM_ERROR_UNSUPPORTED
 * another machine, class or kind of file. */
struct trm_error *image_open(const char *path, const char *display_path,
			     struct image **ret_image);

/* Reads an image from bytes in memory, which must outlive it; does not look for a
 * debug file. */
struct trm_error *image_open_memory(const void *bytes, size_t size,
				    struct image **ret_image);

/* Reads an image from a file that is mapped already; looks for the debug file of
 * `path`. */
struct trm_error *image_open_mapped(const void *bytes, size_t size, const char *path,
				    struct image **ret_image);

/* Frees the image; NULL is allowed. */
void image_close(struct image *image);

/* Tells whether `build_id` (hex digits; "": no build id) is the build id of the file. */
bool image_is_build(const struct image *image, const char *build_id);

/* The bytes that the file has for [address, address + size); NULL if not all are. */
const uint8_t *image_bytes_at(const struct image *image, uint64_t address, size_t size);

/* Returns the row of image.links for a word; NULL if it has none. */
const struct image_link *image_link_at(const struct image *image, uint64_t word);

/* Returns the name of the other module's function whose address the loader stores in a
 * word; NULL if it stores none. Searches all relocations. */
const char *image_import_at(const struct image *image, uint64_t word);

/* Returns the last function that begins at or before the address; NULL if there is
 * none. */
const struct image_function *image_function_around(const struct image *image,
						   uint64_t address);

/* Returns the index of the function that begins at the address; functions.count if
 * there is none. */
size_t image_function_at(const struct image *image, uint64_t address);

/* Finds the address of the first function with this linked name; false if there is
 * none. */
bool image_find_function(const struct image *image, const char *name,
			 uint64_t *ret_address);

/* Another name of a function, as tables of symbols in the file have it. */
struct image_alias {
	uint64_t address;
	char *name; /* demangled */
};

/* Returns the first of the other names of the function at an address, all but
 * `functions.name`; NULL if it has no others. Not thread-safe for one image. */
const struct image_alias *image_aliases(const struct image *image, uint64_t address,
					size_t *ret_count);

/* Kinds of executable files, told from the first bytes alone: cheap. */
enum image_kind {
	IMAGE_KIND_NATIVE,  /* x86-64 ELF program */
	IMAGE_KIND_FOREIGN, /* ELF of another class or machine */
	IMAGE_KIND_SCRIPT,  /* starts with #! */
	IMAGE_KIND_OTHER,   /* anything else */
};
enum image_kind image_probe(int fd);
/* Tells whether a NATIVE file runs without a dynamic loader, and so loads no
 * libraries. */
bool image_is_static(int fd);

/* Tells whether the code of a file may walk stacks by its own methods, so that return
 * addresses must be the original ones at all times: a static program, a known run-time
 * system that does so, or a program with instrumentation in all functions (-pg and
 * similar). Reads headers and the dynamic string table only: cheap. `program`: the
 * file is executed, not loaded as a library. */
bool image_walks_stacks(const void *bytes, size_t size, bool program);

/* Tells whether the code of a file contains the bytes of an instruction that sets the
 * GS base, even by chance; only decoding can tell which (plan.uses_gs). Reads headers
 * and bytes only: 0.05 s for 100 MB. */
bool image_may_set_gs(const void *bytes, size_t size);

/* The segment of a mapped file with .eh_frame_hdr, and .eh_frame if that is at its
 * usual place. Link-time addresses. False: not found. */
struct image_unwind {
	uint64_t header; /* of .eh_frame_hdr */
	uint64_t start, end;
	const uint8_t *bytes; /* from `start` on */
};
bool image_find_unwind(const void *bytes, size_t size, struct image_unwind *ret_unwind);

/* The demangled form (C++, Rust, D) of a linked name, or a copy of it: free() it. */
char *image_demangle(const char *name);

#endif
