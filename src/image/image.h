/* The code of an ELF file (see open.h): load segments, functions, names, and places that
 * must not be changed. x86-64 only. Accepts any bytes: everything in the file is checked
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
	uint64_t left_out; /* functions that are not there: see image_open_names */
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
	/* Words that the loader fills by symbols; made when asked for: see imports.c. */
	struct image_imports *imports;
	/* Problems in the file that did not stop the reading; each is one line. */
	struct VECTOR(char *) warnings;
};

#endif
