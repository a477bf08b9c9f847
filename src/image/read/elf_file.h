/* The ELF header and the section headers of a file, and its build id. */
#ifndef TRAMMEL_IMAGE_READ_ELF_FILE_H
#define TRAMMEL_IMAGE_READ_ELF_FILE_H

#include "base/error.h"
#include "base/vector.h"
#include "image/bytes.h"

#include <elf.h>

/* The parts of an ELF file that do not depend on its load address. */
struct elf_file {
	struct bytes bytes;
	Elf64_Ehdr header;
	/* All section headers, by index; an invalid one has type SHT_NULL. */
	struct VECTOR(Elf64_Shdr) sections;
	struct bytes section_names; /* ends with a 0 byte, or empty */
	bool bad_sections;          /* a section header was left out */
};

/* Checks the header and reads the section headers. `elf` is all zero before; the bytes
 * must outlive it. Deinit is allowed after an error too. */
struct trm_error *image_elf_init(struct elf_file *elf, struct bytes bytes);

/* Reads the headers like image_elf_init; accepts object files, too. */
struct trm_error *image_elf_init_any(struct elf_file *elf, struct bytes bytes);

/* Frees the section headers. */
void image_elf_deinit(struct elf_file *elf);

/* Returns the first section of a type (SHT_...); NULL if there is none. */
const Elf64_Shdr *image_section_of_type(const struct elf_file *elf, uint32_t type);

/* Returns the first section with a name; NULL if there is none. */
const Elf64_Shdr *image_section_named(const struct elf_file *elf, const char *name);

/* Returns the name of a section; "" if it has none. */
const char *image_section_name(const struct elf_file *elf, const Elf64_Shdr *section);

/* Returns the bytes of a section in the file; empty if it has none. */
struct bytes image_section_bytes(const struct elf_file *elf, const Elf64_Shdr *section);

/* Finds a build id in notes and writes it to `id`; returns its size in bytes, 0 if
 * absent. */
size_t image_find_build_id(struct bytes notes, unsigned char id[32]);

/* Finds the build id in all sections of notes, in the same way. */
size_t image_build_id_of_sections(const struct elf_file *elf, unsigned char id[32]);

#endif
