/*
 * Call-frame information: .eh_frame, found by its section or by .eh_frame_hdr. Formats:
 * Linux Standard Base Core, "Exception Frames". The instructions are read by
 * wire/unwind.h.
 */
#include "image/read/frames.h"

#include "image/contents.h"
#include "image/ranges.h"
#include "image/read/cursor.h"
#include "image/read/elf_file.h"
#include "image/read/give_back.h"
#include "image/read/pads.h"
#include "image/read/warn.h"
#include "wire/unwind.h"

/* A CIE: what several frames share. */
struct common {
	bool sound;
	bool augmented; /* 'z': frames have a sized augmentation */
	bool signal;
	uint8_t lsda_encoding;
	struct unwind_common unwind;
};

struct frame_reader {
	struct reader *reader;
	struct VECTOR(struct common) commons;
	struct table common_of; /* address of a CIE: index in commons */
	uint64_t last_common;   /* address, of commons item last_index */
	size_t last_index;
	uint64_t entries; /* FDEs read so far */
	bool warned;
};

/* Where .eh_frame is. */
struct frame_section {
	uint64_t address;
	struct bytes bytes;
	bool exact; /* the size is the section's, not the rest of its segment */
};

static void warn_once(struct frame_reader *frames, const char *what)
{
	if (!frames->warned)
		image_warn(frames->reader, "call-frame information: %s", what);
	frames->warned = true;
}

/* Reads the rule before the first instruction that advances. */
static bool read_first_rule(const struct cursor *cursor,
			    const struct unwind_common *common,
			    struct unwind_rule *ret_rule)
{
	const struct unwind_tables instructions = {.start = cursor->address,
						   .end = cursor->address +
							  cursor_left(cursor),
						   .bytes = cursor->at};

	return !cursor->failed && unwind_first_rule(&instructions, common, ret_rule);
}

/* Reads the augmentation data of a CIE as its string says. */
static void read_augmentation(struct cursor *cursor, const char *letters,
			      struct common *common)
{
	const struct pointer_bases none = {0};

	for (; *letters && !cursor->failed; letters++) {
		uint8_t encoding;

		switch (*letters) {
		case 'L':
			common->lsda_encoding = cursor_u8(cursor);
			break;
		case 'R':
			common->unwind.encoding = cursor_u8(cursor);
			break;
		case 'P':
			/* Only stepped over, hence whether it is indirect does not
			 * matter. */
			encoding = cursor_u8(cursor) & ~POINTER_INDIRECT & 0xff;
			image_cursor_pointer(cursor, encoding, &none, NULL);
			break;
		case 'S':
			common->signal = true;
			break;
		case 'B':
		case 'G':
			break;
		default:
			return;
		}
	}
}

/* Reads a CIE; the cursor is behind its id and ends where it ends. */
static struct common read_common(struct cursor *cursor)
{
	struct common common = {.lsda_encoding = POINTER_OMIT,
				.unwind.rule.base = UNWIND_REGISTERS};
	uint8_t version = cursor_u8(cursor);
	const char *letters = image_cursor_string(cursor);

	if (version == 4)
		cursor_skip(cursor, 2);
	common.unwind.code_factor = (int64_t)image_cursor_uleb(cursor);
	common.unwind.data_factor = image_cursor_sleb(cursor);
	if (version == 1)
		cursor_u8(cursor);
	else
		image_cursor_uleb(cursor);
	if ((version != 1 && version != 3 && version != 4) ||
	    (*letters && *letters != 'z'))
		return common;
	if (*letters == 'z') {
		uint64_t size = image_cursor_uleb(cursor);
		struct cursor data = *cursor;

		cursor_skip(cursor, size);
		cursor_limit(&data, size);
		common.augmented = true;
		read_augmentation(&data, letters + 1, &common);
		cursor->failed |= data.failed;
	}
	common.sound = read_first_rule(cursor, &common.unwind, &common.unwind.rule);
	return common;
}

/* Puts a cursor on the contents of the entry at an address; false if there is none. */
static bool open_entry(const struct frame_reader *frames, uint64_t address,
		       struct cursor *ret_cursor, uint64_t *ret_size)
{
	struct cursor cursor =
		cursor_over(image_bytes_from(frames->reader->image, address), address);
	uint64_t start = address + 4, size = cursor_number(&cursor, 4);

	if (size == UINT32_MAX) {
		size = cursor_number(&cursor, 8);
		start += 8;
	}
	cursor_limit(&cursor, size);
	if (cursor.failed || size < 4)
		return false;
	*ret_size = start - address + size;
	*ret_cursor = cursor;
	return true;
}

/* The CIE at an address, read once. Valid until the next call. */
static const struct common *common_at(struct frame_reader *frames, uint64_t address)
{
	struct common common = {0};
	struct cursor cursor;
	uint64_t *index, size;
	bool is_new;

	if (frames->commons.count && frames->last_common == address)
		return &frames->commons.items[frames->last_index];
	index = table_insert(&frames->common_of, address, &is_new);
	if (is_new) {
		*index = frames->commons.count;
		if (open_entry(frames, address, &cursor, &size) &&
		    image_spend(frames->reader, size) && cursor_number(&cursor, 4) == 0)
			common = read_common(&cursor);
		vector_push(&frames->commons, common);
	}
	frames->last_common = address;
	frames->last_index = (size_t)*index;
	return &frames->commons.items[frames->last_index];
}

/* Without section headers, stubs are known by their code: jumps through memory. */
static bool looks_like_stubs(const struct reader *reader, const struct frame *frame)
{
	const uint8_t *code = image_bytes_at(reader->image, frame->address, 16);

	if (!code || frame->size % 8 != 0)
		return false;
	if (memcmp(code, "\xff\x35", 2) == 0)
		return memcmp(code + 6, "\xff\x25", 2) == 0 ||
		       memcmp(code + 6, "\xf2\xff\x25", 3) == 0;
	if (memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0)
		code += 4;
	if (*code == 0xf2)
		code++;
	return memcmp(code, "\xff\x25", 2) == 0;
}

static void add_frame(struct frame_reader *frames, const struct frame *frame)
{
	struct reader *reader = frames->reader;
	const struct image_range *code = image_range_at(&reader->code, frame->address);

	if (!code || !frame->size)
		return;
	if (frame->size > code->end - frame->address) {
		warn_once(frames, "a function reaches over the end of the code");
		return;
	}
	if (reader->code_by_segments && looks_like_stubs(reader, frame)) {
		struct image_range range = {frame->address, frame->address + frame->size};

		vector_push(&reader->image->plt, range);
		return;
	}
	vector_push(&reader->frames, *frame);
}

/* Reads an FDE; the cursor is behind its CIE pointer. */
static void read_frame(struct frame_reader *frames, struct cursor *cursor,
		       const struct common *common)
{
	struct pointer_bases bases = {0};
	struct frame frame = {.signal = common->signal};
	struct unwind_rule rule;
	uint64_t lsda = 0, raw = 0;

	frame.address =
		image_cursor_pointer(cursor, common->unwind.encoding, &bases, NULL);
	frame.size = image_cursor_pointer(
		cursor, common->unwind.encoding & POINTER_FORMAT, &bases, NULL);
	bases.function = frame.address;
	if (common->augmented) {
		uint64_t size = image_cursor_uleb(cursor);
		struct cursor data = *cursor;

		cursor_skip(cursor, size);
		cursor_limit(&data, size);
		if (common->lsda_encoding != POINTER_OMIT)
			lsda = image_cursor_pointer(&data, common->lsda_encoding, &bases,
						    &raw);
		if (data.failed)
			warn_once(frames, "a pointer to exception data is damaged");
		if (data.failed || !raw)
			lsda = 0;
	}
	if (!read_first_rule(cursor, &common->unwind, &rule) ||
	    !image_spend(frames->reader, cursor_left(cursor))) {
		warn_once(frames, "an entry is damaged");
		return;
	}
	frame.displaced = unwind_is_displaced(&rule, &common->unwind);
	add_frame(frames, &frame);
	if (lsda && !frames->reader->names_only &&
	    image_range_at(&frames->reader->code, frame.address))
		image_read_pads(frames->reader, lsda, frame.address);
}

/* Reads the entry at an address; returns its size, 0 if it is none. */
static uint64_t read_entry(struct frame_reader *frames, uint64_t address)
{
	const struct common *common;
	struct cursor cursor;
	uint64_t size, here, back;

	if (!open_entry(frames, address, &cursor, &size))
		return 0;
	here = cursor.address;
	back = cursor_number(&cursor, 4);
	if (!back)
		return size;
	if (!(++frames->entries % GIVE_BACK_EVERY))
		image_give_back(frames->reader);
	common = common_at(frames, here - back);
	if (common->sound)
		read_frame(frames, &cursor, common);
	else
		warn_once(frames, "a common entry is damaged or of an unknown kind");
	return size;
}

/* Reads entries one after the other. */
static void walk_section(struct frame_reader *frames, const struct frame_section *section)
{
	uint64_t size, offset = 0;
	uint32_t length;

	while (section->bytes.size - offset >= 4) {
		memcpy(&length, section->bytes.data + offset, 4);
		/* A linker may leave the end mark of one input in the middle. */
		if (!length && section->exact) {
			offset += 4;
			continue;
		}
		if (!length || !image_spend(frames->reader, 4))
			return;
		size = read_entry(frames, section->address + offset);
		if (!size || size > section->bytes.size - offset) {
			warn_once(frames, "an entry reaches over the end");
			return;
		}
		offset += size;
	}
}

/* The search table of .eh_frame_hdr. */
struct frame_index {
	struct cursor entries;
	uint64_t count;
	uint64_t base;          /* of data-relative pointers */
	uint8_t encoding;       /* of both pointers of an entry */
	uint64_t frame_address; /* of .eh_frame; 0: not said */
};

static struct frame_index read_index(const struct reader *reader)
{
	struct frame_index index = {.base = reader->frame_header};
	struct pointer_bases bases = {reader->frame_header, 0};
	struct cursor cursor =
		cursor_over(image_bytes_from(reader->image, index.base), index.base);
	uint8_t version = cursor_u8(&cursor), frame_encoding = cursor_u8(&cursor);
	uint8_t count_encoding = cursor_u8(&cursor);

	index.encoding = cursor_u8(&cursor);
	if (!reader->frame_header || cursor.failed || version != 1)
		return (struct frame_index){0};
	if (frame_encoding != POINTER_OMIT)
		index.frame_address =
			image_cursor_pointer(&cursor, frame_encoding, &bases, NULL);
	if (count_encoding != POINTER_OMIT && index.encoding != POINTER_OMIT)
		index.count = image_cursor_pointer(&cursor, count_encoding, &bases, NULL);
	if (cursor.failed)
		return (struct frame_index){0};
	index.entries = cursor;
	return index;
}

static void read_by_index(struct frame_reader *frames, struct frame_index *index)
{
	struct pointer_bases bases = {index->base, 0};

	for (uint64_t i = 0; i < index->count; i++) {
		uint64_t address;

		image_cursor_pointer(&index->entries, index->encoding, &bases, NULL);
		address = image_cursor_pointer(&index->entries, index->encoding, &bases,
					       NULL);
		if (index->entries.failed) {
			warn_once(frames, "the search table is cut off or damaged");
			return;
		}
		if (!image_spend(frames->reader, 16))
			return;
		read_entry(frames, address);
	}
}

static struct frame_section find_section(const struct reader *reader,
					 const struct frame_index *index)
{
	const Elf64_Shdr *section = image_section_named(&reader->elf, ".eh_frame");
	struct frame_section found = {0};

	if (section) {
		found.address = section->sh_addr;
		found.bytes = image_bytes_from(reader->image, section->sh_addr);
		found.exact = true;
		if (found.bytes.size > section->sh_size)
			found.bytes.size = (size_t)section->sh_size;
	} else if (index->frame_address) {
		found.address = index->frame_address;
		found.bytes = image_bytes_from(reader->image, index->frame_address);
	}
	return found;
}

void image_read_frames(struct reader *reader)
{
	struct frame_reader frames = {.reader = reader};
	struct frame_index index = read_index(reader);
	struct frame_section section = find_section(reader, &index);

	/* In order is faster; but without a section only the index knows the end. */
	if (section.exact || !index.count)
		walk_section(&frames, &section);
	if (frames.entries < index.count)
		read_by_index(&frames, &index);
	image_ranges_make_disjoint(&reader->image->plt);
	table_deinit(&frames.common_of);
	vector_deinit(&frames.commons);
}
