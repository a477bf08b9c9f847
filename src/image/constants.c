#include "image/constants.h"

#include "image/headers.h"

#include <string.h>

enum { WORD = 8 };

/* What is constant around an address ends here; 0: it is not constant. */
static uint64_t constant_end(const struct headers *file, uint64_t address)
{
	Elf64_Phdr segment;

	for (unsigned i = 0; headers_read(file, i, &segment); i++) {
		bool constant = segment.p_type == PT_GNU_RELRO ||
				(segment.p_type == PT_LOAD && !(segment.p_flags & PF_W));

		if (constant && address - segment.p_vaddr < segment.p_memsz)
			return segment.p_vaddr + segment.p_memsz;
	}
	return 0;
}

/* The relocations of a file: none if it has no dynamic section. False if it has some of a
 * form that is not read here (DT_RELR). */
static bool find_relocations(const struct headers *file, const uint8_t **ret_rows,
			     size_t *ret_count)
{
	const struct headers_dynamic dynamic = headers_read_dynamic(file);
	uint64_t size = dynamic.values[DT_RELASZ];

	*ret_count = size / sizeof(Elf64_Rela);
	return !dynamic.values[DT_RELR] &&
	       (!size ||
		headers_table(file, &dynamic, DT_RELA, DT_RELASZ, ret_rows) == size);
}

/* Puts a relocation into the words from `address` on. Returns how many are still known.
 */
static size_t relocate_words(const Elf64_Rela *row, uint64_t address, size_t count,
			     struct image_constant *words)
{
	uint64_t offset = row->r_offset - address;
	uint64_t type = ELF64_R_TYPE(row->r_info);

	if (row->r_offset + WORD <= address || row->r_offset >= address + count * WORD)
		return count;
	if (row->r_offset < address)
		return 0;
	if (offset % WORD || (type != R_X86_64_RELATIVE && type != R_X86_64_RELATIVE64))
		return offset / WORD;
	words[offset / WORD] =
		(struct image_constant){.value = row->r_addend, .address = true};
	return count;
}

size_t image_read_constants(const struct image *image, uint64_t address, size_t count,
			    struct image_constant *ret_words)
{
	const uint8_t *bytes, *rows = NULL;
	struct headers file;
	size_t held, row_count;
	uint64_t end;

	if (!headers_open(image->bytes, image->size, &file))
		return 0;
	end = constant_end(&file, address);
	held = headers_bytes(&file, address, &bytes);
	if (end <= address || !find_relocations(&file, &rows, &row_count))
		return 0;
	if (held > end - address)
		held = end - address;
	if (count > held / WORD)
		count = held / WORD;
	for (size_t i = 0; i < count; i++) {
		ret_words[i] = (struct image_constant){0};
		memcpy(&ret_words[i].value, bytes + i * WORD, WORD);
	}
	for (size_t i = 0; count && i < row_count; i++) {
		Elf64_Rela row;

		memcpy(&row, rows + i * sizeof(row), sizeof(row));
		count = relocate_words(&row, address, count, ret_words);
	}
	return count;
}
