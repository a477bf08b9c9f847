#include "image/headers.h"

#include <string.h>

bool headers_open(const void *bytes, size_t size, struct headers *ret_headers)
{
	*ret_headers = (struct headers){.bytes = bytes, .size = size};
	if (size < sizeof(ret_headers->header))
		return false;
	memcpy(&ret_headers->header, bytes, sizeof(ret_headers->header));
	return ret_headers->header.e_phentsize == sizeof(Elf64_Phdr);
}

bool headers_read(const struct headers *file, unsigned index, Elf64_Phdr *ret_segment)
{
	uint64_t at = file->header.e_phoff + (uint64_t)index * sizeof(*ret_segment);

	if (index >= file->header.e_phnum || at < file->header.e_phoff ||
	    at > file->size || file->size - at < sizeof(*ret_segment))
		return false;
	memcpy(ret_segment, file->bytes + at, sizeof(*ret_segment));
	return true;
}

bool headers_find(const struct headers *file, uint32_t type, Elf64_Phdr *ret_segment)
{
	for (unsigned i = 0; headers_read(file, i, ret_segment); i++)
		if (ret_segment->p_type == type)
			return true;
	return false;
}

/* The PT_LOAD segment that has bytes for an address. */
static bool find_holder(const struct headers *file, uint64_t address,
			Elf64_Phdr *ret_segment)
{
	for (unsigned i = 0; headers_read(file, i, ret_segment); i++) {
		uint64_t in = address - ret_segment->p_vaddr;

		if (ret_segment->p_type == PT_LOAD && in < ret_segment->p_filesz &&
		    ret_segment->p_offset < file->size &&
		    in < file->size - ret_segment->p_offset)
			return true;
	}
	return false;
}

static uint64_t held_size(const struct headers *file, const Elf64_Phdr *segment)
{
	uint64_t left = file->size - segment->p_offset;

	return segment->p_filesz < left ? segment->p_filesz : left;
}

size_t headers_bytes(const struct headers *file, uint64_t address,
		     const uint8_t **ret_bytes)
{
	Elf64_Phdr segment;

	if (!find_holder(file, address, &segment))
		return 0;
	uint64_t in = address - segment.p_vaddr;

	*ret_bytes = file->bytes + segment.p_offset + in;
	return held_size(file, &segment) - in;
}

struct headers_dynamic headers_read_dynamic(const struct headers *file)
{
	struct headers_dynamic dynamic = {0};
	const uint8_t *bytes = NULL;
	Elf64_Phdr segment;
	Elf64_Dyn entry;
	size_t left;

	if (!headers_find(file, PT_DYNAMIC, &segment))
		return dynamic;
	left = headers_bytes(file, segment.p_vaddr, &bytes);
	for (; left >= sizeof(entry); left -= sizeof(entry), bytes += sizeof(entry)) {
		memcpy(&entry, bytes, sizeof(entry));
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag > 0 && entry.d_tag <= DT_RELR)
			dynamic.values[entry.d_tag] = entry.d_un.d_val;
	}
	return dynamic;
}

size_t headers_table(const struct headers *file, const struct headers_dynamic *dynamic,
		     unsigned tag, unsigned size_tag, const uint8_t **ret_bytes)
{
	size_t left = headers_bytes(file, dynamic->values[tag], ret_bytes);

	return left < dynamic->values[size_tag] ? left : dynamic->values[size_tag];
}

bool image_find_unwind(const void *bytes, size_t size, struct image_unwind *ret_unwind)
{
	struct headers file;
	Elf64_Phdr table, segment;

	if (!headers_open(bytes, size, &file) ||
	    !headers_find(&file, PT_GNU_EH_FRAME, &table) ||
	    !find_holder(&file, table.p_vaddr, &segment))
		return false;
	*ret_unwind = (struct image_unwind){
		.header = table.p_vaddr,
		.start = segment.p_vaddr,
		.end = segment.p_vaddr + held_size(&file, &segment),
		.bytes = file.bytes + segment.p_offset,
	};
	return true;
}
