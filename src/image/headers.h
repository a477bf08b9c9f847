/* Program headers of a mapped file, for questions that do not need the whole image:
 * cheap, and every value is checked. */
#ifndef TRAMMEL_IMAGE_HEADERS_H
#define TRAMMEL_IMAGE_HEADERS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct headers {
	const uint8_t *bytes;
	size_t size;
	Elf64_Ehdr header;
};

/* False: it is too short, or has headers of another size. `bytes` must outlive it. */
bool headers_open(const void *bytes, size_t size, struct headers *ret_headers);

/* Reads the header of this index; false if it does not exist. */
bool headers_read(const struct headers *file, unsigned index, Elf64_Phdr *ret_segment);

/* The first one of a type (PT_...). */
bool headers_find(const struct headers *file, uint32_t type, Elf64_Phdr *ret_segment);

/* Returns the number of bytes in the file from a link-time address to the end of its
 * segment; 0: none. */
size_t headers_bytes(const struct headers *file, uint64_t address,
		     const uint8_t **ret_bytes);

/* Values of the dynamic section by tag (DT_...); 0: absent. */
struct headers_dynamic {
	uint64_t values[DT_RELR + 1];
};

/* Reads the dynamic section; all values are 0 if the file has none. */
struct headers_dynamic headers_read_dynamic(const struct headers *file);

/* Sets `ret_bytes` to the table that the entries `tag` and `size_tag` describe, and
 * returns how many bytes of it the file has. */
size_t headers_table(const struct headers *file, const struct headers_dynamic *dynamic,
		     unsigned tag, unsigned size_tag, const uint8_t **ret_bytes);

/* The segment of a mapped file with .eh_frame_hdr, and .eh_frame if that is at its
 * usual place. Link-time addresses. */
struct image_unwind {
	uint64_t header; /* of .eh_frame_hdr */
	uint64_t start, end;
	const uint8_t *bytes; /* from `start` on */
};

/* Finds it in the `size` bytes of a mapped file; false if the file has none. */
bool image_find_unwind(const void *bytes, size_t size, struct image_unwind *ret_unwind);

#endif
