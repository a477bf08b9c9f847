/*
 * A small ELF file that has one of each thing that src/image reads; what programs in C
 * have, or what programs in Go have.
 */
#ifndef TRAMMEL_TESTS_ELF_SAMPLE_H
#define TRAMMEL_TESTS_ELF_SAMPLE_H

#include "elf_builder.h"

/* What the sample file is made with. */
enum sample_part {
	SAMPLE_SECTIONS = 1,   /* section headers */
	SAMPLE_SYMTAB = 2,     /* .symtab (needs sections) */
	SAMPLE_FRAMES = 4,     /* .eh_frame */
	SAMPLE_INDEX = 8,      /* .eh_frame_hdr with a search table */
	SAMPLE_DYNAMIC = 16,   /* dynamic section, .dynsym, relocations */
	SAMPLE_GNU_HASH = 32,  /* DT_GNU_HASH instead of DT_HASH */
	SAMPLE_SEQUENCES = 64, /* __rseq_cs */
	SAMPLE_BUILD_ID = 128,
	SAMPLE_DEBUG_DATA = 256, /* .gnu_debugdata: a .symtab, packed */
	SAMPLE_ALL = 511,
	SAMPLE_GO = 512,      /* .gopclntab of Go 1.20 */
	SAMPLE_GO_OLD = 1024, /* the same of Go 1.2 */
};

/* Offsets in the sample's .text, which is SAMPLE_TEXT_SIZE bytes of nops. */
enum sample_place {
	SAMPLE_MAIN = 0x00, /* "main", global, 0x40 bytes, FDE with two landing pads */
	SAMPLE_PAD_ONE = 0x20,
	SAMPLE_PAD_TWO = 0x28,
	SAMPLE_HELPER = 0x40,    /* "helper", local, no size in its symbol, FDE of 0x20 */
	SAMPLE_PAD_THREE = 0x48, /* a landing pad of helper */
	SAMPLE_INNER = 0x50,     /* "inner", local, inside helper, 8 bytes */
	SAMPLE_BARE = 0x60,      /* "bare", local, no size, no FDE */
	SAMPLE_LABEL = 0x68,     /* "label", NOTYPE */
	SAMPLE_ALIASED =
		0x70, /* "_old", "__weak" (weak), "_global" (global), FDE of 0x10 */
	SAMPLE_NAMELESS = 0x80, /* FDE of 0x10 only */
	SAMPLE_COLD = 0x90,     /* "main.cold", FDE of 0x10 */
	SAMPLE_DISPLACED =
		0xa0, /* FDE of 0x10 only, the stack pointer lower at its start */
	SAMPLE_RESTORE = 0xb0,   /* signal frame of 0x10, its FDE from one byte before */
	SAMPLE_RESOLVER = 0xc0,  /* "resolver", IFUNC, 0x10 bytes, addend of IRELATIVE */
	SAMPLE_INIT = 0xd0,      /* in DT_INIT_ARRAY only */
	SAMPLE_POINTED = 0xe0,   /* "exported", in .dynsym; addend of RELATIVE */
	SAMPLE_PACKED = 0xf0,    /* pointed to by DT_RELR */
	SAMPLE_SEQUENCE = 0x100, /* restartable sequence of 0x10 */
	SAMPLE_ABORT = 0x120,
	SAMPLE_VERSIONED = 0x130, /* "versioned@OLD" and "__versioned@@NEW", 8 bytes */
	SAMPLE_THREAD = 0x138,    /* FDE of 8 only, with no caller */
	SAMPLE_TEXT_SIZE = 0x140,
};

enum { SAMPLE_STUBS_SIZE = 0x20 }; /* of .plt, in front of .text */

struct sample {
	struct elf_builder builder;
	unsigned int parts;
	uint64_t text, stubs; /* addresses */
	struct symbol_blobs symtab, dynsym;
};

/* Makes a file of the parts that are wanted, of enum sample_part; at most 8 KiB. */
void sample_init(struct sample *sample, unsigned int parts);
void sample_deinit(struct sample *sample);

#endif
