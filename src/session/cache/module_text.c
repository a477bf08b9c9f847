#include "session/cache/module_text.h"

#include <string.h>

/* Bytes of the largest patch. */
#define PATCH_MAX sizeof(((struct plan_patch *)0)->bytes)

uint64_t module_text_available(const struct module_file *file,
			       const struct module_text *text)
{
	uint64_t available = 0;

	if (text->file_offset < file->identity.size)
		available = file->identity.size - text->file_offset;
	return available < text->size ? available : text->size;
}

uint64_t module_text_part_available(const struct module_file *file,
				    const struct module_text *text)
{
	uint64_t available = module_text_available(file, text);

	available = available < text->part_offset ? 0 : available - text->part_offset;
	return available < text->part_size ? available : text->part_size;
}

/* The part of a patch that lies in [start, start + size), whose bytes are at `bytes`. */
static void apply_bytes(uint8_t *bytes, uint64_t start, uint64_t size, uint64_t address,
			const void *patch, size_t patch_size)
{
	for (size_t i = 0; i < patch_size; i++)
		if (address + i - start < size)
			bytes[address + i - start] = ((const uint8_t *)patch)[i];
}

/* The index of the first row of a sorted array whose address, its first member, is at or
 * behind `address`. */
static size_t first_at(const void *rows, size_t count, size_t row_size, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t here;

		memcpy(&here, (const char *)rows + middle * row_size, sizeof(here));
		if (here < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void module_text_compose(const struct module_file *file, const struct module_text *text,
			 uint64_t offset, uint64_t size, uint8_t *bytes)
{
	const struct plan_patches *patches = &file->plan->patches;
	const struct plan_calls *calls = &file->plan->calls;
	uint64_t available = module_text_available(file, text);
	uint64_t start = text->address + offset, there = 0;
	/* A patch that begins before may reach in. */
	uint64_t from = start < PATCH_MAX ? 0 : start - PATCH_MAX;
	size_t i;

	if (offset < available)
		there = available - offset < size ? available - offset : size;
	memcpy(bytes, file->bytes + text->file_offset + offset, there);
	memset(bytes + there, 0, size - there);
	i = first_at(patches->items, patches->count, sizeof(*patches->items), from);
	for (; i < patches->count && patches->items[i].address < start + size; i++)
		apply_bytes(bytes, start, size, patches->items[i].address,
			    patches->items[i].bytes, patches->items[i].size);
	i = first_at(calls->items, calls->count, sizeof(*calls->items), from);
	for (; i < calls->count && calls->items[i].address < start + size; i++)
		apply_bytes(bytes, start, size, calls->items[i].address,
			    &calls->items[i].displacement, sizeof(int32_t));
}

const uint8_t *module_file_original(struct module_file *file, uint64_t address,
				    size_t size)
{
	for (uint32_t i = 0; i < file->text_count; i++) {
		const struct module_text *text = &file->texts[i];
		uint64_t at = address - text->address;

		if (address < text->address || at > text->size || size > text->size - at)
			continue;
		if (text->file_offset + at + size > file->identity.size)
			return NULL;
		return file->bytes + text->file_offset + at;
	}
	return NULL;
}
