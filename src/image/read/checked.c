/*
 * Code that a program reads. BoringSSL in FIPS mode, and AWS-LC, which is made of it,
 * compare theirs with a sum of it when they start, and end where they differ
 * (crypto/fipsmodule/FIPS.md, "Integrity Test"). Go's code of this kind is named in its
 * table: see gopclntab.c. Mono decodes the calls of what it compiled ahead of time, to
 * find what they lead to (mono_aot_get_plt_entry in mono/mini/aot-runtime.c).
 */
#include "image/read/checked.h"

#include "image/contents.h"
#include "image/ranges.h"
#include "image/read/symbol_table.h"

#include <string.h>

/* What is said of the test that fails, in two parts: else this program had the mark, too.
 * It lies beside the code, or in it. */
static const char mark[] = "FIPS integrity", rest[] = " test";

static bool is_marked(const uint8_t *bytes, size_t size)
{
	const uint8_t *end = bytes + size;

	while ((bytes = memmem(bytes, (size_t)(end - bytes), mark, sizeof(mark) - 1))) {
		bytes += sizeof(mark) - 1;
		if ((size_t)(end - bytes) >= sizeof(rest) - 1 &&
		    !memcmp(bytes, rest, sizeof(rest) - 1))
			return true;
	}
	return false;
}

static bool has_mark(const struct image *image)
{
	vector_for_each (&image->segments, segment) {
		const uint8_t *bytes =
			image_bytes_at(image, segment->address, segment->file_size);

		if (!segment->writable && bytes && is_marked(bytes, segment->file_size))
			return true;
	}
	return false;
}

/* The address of a symbol of any type; 0: there is none. */
static uint64_t find_symbol(const struct reader *reader, const char *name)
{
	for (size_t i = 0; i < reader->symbol_table_count; i++) {
		const struct symbol_table *table = &reader->symbol_tables[i];
		Elf64_Sym symbol;
		uint32_t size;

		for (size_t index = 1; image_symbol_at(table, index, &symbol); index++)
			if (symbol.st_shndx != SHN_UNDEF &&
			    !strcmp(image_symbol_name(table, &symbol, &size), name))
				return symbol.st_value;
	}
	return 0;
}

/* Ranges in one that is checked are part of it. */
static void drop_inner(struct image *image)
{
	struct image_ranges *ranges = &image->untouchable;
	size_t kept = 0;

	vector_for_each (ranges, range) {
		bool inner = false;

		vector_for_each (&image->checked, checked)
			inner |= range->start < checked->end &&
				 range->end > checked->start;
		if (!inner)
			ranges->items[kept++] = *range;
	}
	ranges->count = kept;
}

void image_find_checked(struct reader *reader)
{
	struct image *image = reader->image;
	uint64_t start, end;

	if (!has_mark(image) && !find_symbol(reader, "mono_aot_file_info"))
		return;
	start = find_symbol(reader, "BORINGSSL_bcm_text_start");
	end = find_symbol(reader, "BORINGSSL_bcm_text_end");
	if (start && start < end)
		vector_push(&image->checked, ((struct image_range){start, end}));
	else
		vector_for_each (&image->segments, segment)
			if (segment->executable)
				vector_push(&image->checked,
					    ((struct image_range){
						    segment->address,
						    segment->address +
							    segment->memory_size}));
	drop_inner(image);
	vector_for_each (&image->checked, range)
		vector_push(&image->untouchable, *range);
	image_ranges_sort(&image->untouchable);
}
