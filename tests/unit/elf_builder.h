/*
 * Makes small ELF files in memory, for tests and for the seeds of the fuzzer.
 */
#ifndef TRAMMEL_TESTS_ELF_BUILDER_H
#define TRAMMEL_TESTS_ELF_BUILDER_H

#include "base/vector.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

/* Growing bytes. */
struct blob VECTOR(uint8_t);

void blob_bytes(struct blob *blob, const void *bytes, size_t size);
void blob_number(struct blob *blob, uint64_t value, size_t size);
void blob_uleb(struct blob *blob, uint64_t value);
void blob_fill(struct blob *blob, uint8_t value, size_t size);
void blob_align(struct blob *blob, size_t alignment);

/* Replaces `size` bytes at an offset by a number. */
void blob_patch(struct blob *blob, size_t offset, uint64_t value, size_t size);

enum { ELF_HEADER_ROOM = 12, ELF_SEGMENT_STEP = 0x10000 };

struct elf_builder {
	struct blob file;
	uint16_t type; /* ET_DYN or ET_EXEC */
	uint64_t entry;
	uint64_t bias;    /* address minus file offset, in the current segment */
	int open_segment; /* index in headers, -1 for none */
	struct VECTOR(Elf64_Phdr) headers; /* at most ELF_HEADER_ROOM */
	struct VECTOR(Elf64_Shdr) sections;
	struct blob names;
};

/* An empty file, with room for the headers. */
void elf_builder_init(struct elf_builder *builder, uint16_t type);
void elf_builder_deinit(struct elf_builder *builder);

/* Starts a PT_LOAD segment, which lasts until the next; `flags` as PF_R. */
void elf_start_segment(struct elf_builder *builder, uint32_t flags);

/* The address of the next section. */
uint64_t elf_next_address(struct elf_builder *builder);

/* Appends a section, aligned to 8; returns its address. `link` is a section's index. */
uint64_t elf_add_section(struct elf_builder *builder, const char *name, uint32_t type,
			 uint64_t flags, const struct blob *contents, uint32_t link);

/* Appends a program header for bytes that are there already. */
void elf_add_header(struct elf_builder *builder, uint32_t type, uint64_t address,
		    uint64_t size);

/* Ends the file: closes the segment, writes the headers and, if wanted, the sections'. */
void elf_finish(struct elf_builder *builder, bool with_sections);

/* Adds a symbol to a symbol table and its string table. Tables start with
 * symbol_table_start. */
struct symbol_blobs {
	struct blob symbols, strings;
};
void symbols_start(struct symbol_blobs *blobs);
void symbols_add(struct symbol_blobs *blobs, const char *name, unsigned char binding,
		 unsigned char type, uint64_t address, uint64_t size, uint16_t section);
void symbols_deinit(struct symbol_blobs *blobs);

/* Starts an entry of .eh_frame; returns where. frames_end fills in its size. */
size_t frames_start(struct blob *blob);
void frames_end(struct blob *blob, size_t start);

/* A CIE for x86-64; augmentation letters: z, R and L (pc-relative, 4 bytes), P, S.
 * Returns where it is. */
size_t frames_common(struct blob *blob, const char *augmentation);

struct frame_spec {
	uint64_t address, size;
	bool has_lsda;       /* the CIE has an L */
	uint64_t lsda;       /* 0: none */
	const char *program; /* call-frame instructions */
	size_t program_size;
};

/* An FDE of the CIE at `common`, in a blob that will lie at `blob_address`. */
void frames_entry(struct blob *blob, uint64_t blob_address, size_t common,
		  const struct frame_spec *spec);

#endif
