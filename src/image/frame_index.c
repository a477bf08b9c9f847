/* Formats: Linux Standard Base Core, "Exception Frames" and .eh_frame_hdr. */
#include "image/frame_index.h"

#include "base/array.h"
#include "base/vector.h"
#include "image/read/cursor.h"

#include <string.h>

enum {
	HEADER = 12, /* bytes of the table before its rows */
	VERSION = 1,
	POINTER = 0x1b, /* to .eh_frame: signed, 4 bytes, relative */
	COUNT = 0x03,   /* 4 bytes */
	TABLE = 0x3b,   /* signed, 4 bytes, relative to the table's start */
};

/* An FDE, by the address of its code. */
struct entry {
	uint64_t code, address;
};
struct entries VECTOR(struct entry);

static bool find_section(const struct headers *file, const char *wanted,
			 Elf64_Shdr *ret_section)
{
	const Elf64_Ehdr *header = &file->header;
	const struct bytes whole = {file->bytes, file->size};
	struct bytes rows, names;
	Elf64_Shdr strings, section;

	if (header->e_shentsize != sizeof(section) ||
	    header->e_shstrndx >= header->e_shnum ||
	    !image_slice(whole, header->e_shoff, header->e_shnum * sizeof(section),
			 &rows))
		return false;
	memcpy(&strings, rows.data + header->e_shstrndx * sizeof(section),
	       sizeof(strings));
	if (!image_slice(whole, strings.sh_offset, strings.sh_size, &names))
		return false;
	names = image_cut_strings(names);
	for (unsigned i = 0; i < header->e_shnum; i++) {
		memcpy(&section, rows.data + i * sizeof(section), sizeof(section));
		if (section.sh_type == SHT_NOBITS || section.sh_name >= names.size ||
		    strcmp((const char *)names.data + section.sh_name, wanted) != 0)
			continue;
		*ret_section = section;
		return true;
	}
	return false;
}

/* The encoding of a CIE's pointers; POINTER_OMIT: not understood. The cursor is behind
 * its id. */
static uint8_t encoding_of(struct cursor *cursor)
{
	const uint8_t version = cursor_u8(cursor);
	const char *letters = image_cursor_string(cursor);
	uint8_t encoding = 0;

	if (version == 4)
		cursor_skip(cursor, 2);
	image_cursor_uleb(cursor);
	image_cursor_sleb(cursor);
	if (version == 1)
		cursor_u8(cursor);
	else
		image_cursor_uleb(cursor);
	if (*letters != 'z')
		return *letters || cursor->failed ? POINTER_OMIT : 0;
	image_cursor_uleb(cursor);
	for (letters++; *letters && !cursor->failed; letters++) {
		if (*letters == 'R')
			encoding = cursor_u8(cursor);
		else if (*letters == 'L')
			cursor_u8(cursor);
		else if (*letters == 'P') {
			const uint8_t of = cursor_u8(cursor) & ~POINTER_INDIRECT & 0xff;

			image_cursor_pointer(cursor, of, &(struct pointer_bases){0},
					     NULL);
		} else if (*letters != 'S' && *letters != 'B')
			return POINTER_OMIT;
	}
	return cursor->failed ? POINTER_OMIT : encoding;
}

/* Adds the FDE whose contents are behind `cursor`, at its CIE pointer. */
static void add_entry(struct bytes section, uint64_t start, uint64_t address,
		      struct cursor cursor, struct entries *entries)
{
	const uint64_t here = cursor.address, back = cursor_number(&cursor, 4);
	const uint64_t common = here - back - start;
	struct bytes rest;
	uint8_t encoding;
	uint64_t code;

	if (!back || common >= section.size ||
	    !image_slice(section, common, section.size - common, &rest))
		return;
	struct cursor at = cursor_over(rest, start + common);
	const uint64_t size = cursor_number(&at, 4);

	cursor_limit(&at, size);
	if (cursor_number(&at, 4) || at.failed)
		return;
	encoding = encoding_of(&at);
	if (encoding == POINTER_OMIT || encoding & POINTER_INDIRECT)
		return;
	code = image_cursor_pointer(&cursor, encoding, &(struct pointer_bases){0}, NULL);
	if (!cursor.failed)
		vector_push(entries, ((struct entry){code, address}));
}

static void list_entries(struct bytes section, uint64_t start, struct entries *entries)
{
	struct cursor cursor = cursor_over(section, start);

	while (cursor_left(&cursor) >= 8) {
		const uint64_t address = cursor.address;
		const uint64_t size = cursor_number(&cursor, 4);
		struct cursor inside = cursor;

		/* A linker may leave the end mark of one input in the middle. */
		if (!size)
			continue;
		if (size < 4 || !cursor_skip(&cursor, size))
			return;
		cursor_limit(&inside, size);
		add_entry(section, start, address, inside, entries);
	}
}

COMPARE_BY_TWO(by_code, struct entry, code, address);

static void put_number(uint8_t *at, uint64_t number)
{
	const uint32_t low = (uint32_t)number;

	memcpy(at, &low, sizeof(low));
}

bool image_index_frames(const void *bytes, size_t size, struct image_unwind *ret_unwind)
{
	struct headers file;
	Elf64_Shdr section;
	struct bytes frames;
	struct entries entries = {0};
	uint8_t *copy, *table;

	if (!headers_open(bytes, size, &file) ||
	    !find_section(&file, ".eh_frame", &section) ||
	    !image_slice((struct bytes){bytes, size}, section.sh_offset, section.sh_size,
			 &frames))
		return false;
	list_entries(frames, section.sh_addr, &entries);
	if (!entries.count)
		return false;
	qsort(entries.items, entries.count, sizeof(*entries.items), by_code);
	copy = memory_allocate(frames.size + HEADER + 8 * entries.count);
	memcpy(copy, frames.data, frames.size);
	table = copy + frames.size;
	*ret_unwind = (struct image_unwind){
		.header = section.sh_addr + frames.size,
		.start = section.sh_addr,
		.end = section.sh_addr + frames.size + HEADER + 8 * entries.count,
		.bytes = copy,
	};
	memcpy(table, (const uint8_t[]){VERSION, POINTER, COUNT, TABLE}, 4);
	put_number(table + 4, section.sh_addr - ret_unwind->header - 4);
	put_number(table + 8, entries.count);
	for (size_t i = 0; i < entries.count; i++) {
		put_number(table + HEADER + 8 * i,
			   entries.items[i].code - ret_unwind->header);
		put_number(table + HEADER + 8 * i + 4,
			   entries.items[i].address - ret_unwind->header);
	}
	vector_deinit(&entries);
	return true;
}
