/*
 * Go's table of functions, .gopclntab: Go's runtime needs it, so stripped programs have
 * it too. Formats: runtime/symtab.go (pcHeader), runtime/runtime2.go (_func) and
 * debug/gosym/pclntab.go of Go 1.2, 1.16, 1.18 and 1.20. The table is believed whole or
 * not at all: each function's entry is in it twice, and in order.
 */
#include "image/read/gopclntab.h"

#include "base/array.h"
#include "base/search.h"
#include "image/bytes.h"
#include "image/contents.h"
#include "image/ranges.h"
#include "image/read/cursor.h"
#include "image/read/elf_file.h"
#include "image/read/relocs.h"
#include "image/read/warn.h"

enum {
	HEAD = 8, /* magic, two zeros, the sizes of the shortest instruction and an
		     address */
	WORD = 8, /* what follows are words; the first is the number of functions */
	WORD_COUNT = 8,
	/* Behind the entry in a record, each of 4 bytes: name, size of the arguments,
	 * where deferred calls are made, steps of the stack pointer. */
	RECORD_NUMBERS = 16,
	RETURN_OFFSET =
		1, /* goroutines end by a return to goexit, behind its first byte */
};

/* Which words of the header have what. Places are relative to the table. */
struct go_format {
	uint32_t magic;
	uint8_t entry_size;     /* bytes of an entry, and of a record's place */
	uint8_t text_word;      /* entries are relative to its address; 0: to nothing */
	uint8_t names_word;     /* the next word has its end; 0: names are in the table */
	uint8_t steps_word;     /* likewise */
	uint8_t functions_word; /* 0: behind the header; records are in the table */
};

static const struct go_format formats[] = {
	{0xfffffffb, 8, 0, 0, 0, 0},
	{0xfffffffa, 8, 0, 2, 5, 6},
	{0xfffffff0, 4, 2, 3, 6, 7},
	{0xfffffff1, 4, 2, 3, 6, 7},
};

enum { FORMAT_COUNT = array_count(formats) };

/* Its section, in programs at fixed addresses and in others. */
static const char *const section_names[] = {".gopclntab", ".data.rel.ro.gopclntab"};

/* What tells a Go program whose linker put the table into a larger section. */
static const char *const signs[] = {".go.buildinfo", ".note.go.buildid"};

/*
 * Functions that are not entered as others: with flags alive, from a signal handler
 * (asyncPreempt) or by compiled code (duffzero); or by a return from the kernel, and
 * known to unwinders by their instructions.
 */
static const char *const untouchable[] = {
	"runtime.asyncPreempt",
	"runtime.duffzero",
	"runtime.sigreturn",
	"runtime.sigreturn__sigaction",
};

struct go_reader {
	struct reader *reader;
	const struct go_format *format;
	uint64_t address, limit; /* of the table */
	uint64_t count;          /* of functions */
	uint64_t text;           /* entries are relative to it */
	uint64_t functions;      /* address of pairs: entry, place of the record */
	uint64_t records;        /* what these places are relative to */
	struct bytes names;      /* ends with a 0 byte, or empty */
	struct bytes steps;
	uint64_t checked; /* start of the code whose checksum FIPS 140 mode takes; 0: none
			   */
};

/* What the table says of one function. */
struct go_function {
	uint64_t entry, next; /* where it and the next one start */
	uint32_t name, deferred, steps;
};

static const struct go_format *format_of(struct bytes bytes)
{
	static const uint8_t rest[] = {0, 0, 1, sizeof(uint64_t)};
	uint32_t magic;

	if (bytes.size < HEAD || memcmp(bytes.data + 4, rest, sizeof(rest)) != 0)
		return NULL;
	memcpy(&magic, bytes.data, sizeof(magic));
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (formats[i].magic == magic)
			return &formats[i];
	}
	return NULL;
}

/* The part of the table between two places; false if it has no such part. */
static bool part_of(struct bytes bytes, uint64_t start, uint64_t end,
		    struct bytes *ret_part)
{
	return start <= end && image_slice(bytes, start, end - start, ret_part);
}

/* Finds the parts of the table that starts with these bytes; false if it is none. */
static bool open_table(struct go_reader *go, struct bytes bytes)
{
	const struct go_format *format = format_of(bytes);
	uint64_t words[WORD_COUNT] = {0}, functions = HEAD + WORD;
	size_t word_count = format ? format->functions_word + 1u : 0;

	if (!format || bytes.size < HEAD + word_count * WORD)
		return false;
	memcpy(words, bytes.data + HEAD, word_count * WORD);
	if (format->functions_word)
		functions = words[format->functions_word];
	go->format = format;
	go->count = words[0];
	go->functions = go->address + functions;
	go->records = format->functions_word ? go->functions : go->address;
	go->limit = go->address + bytes.size;
	go->names = go->steps = bytes;
	if (format->names_word && !part_of(bytes, words[format->names_word],
					   words[format->names_word + 1], &go->names))
		return false;
	if (format->steps_word && !part_of(bytes, words[format->steps_word],
					   words[format->steps_word + 1], &go->steps))
		return false;
	go->names = image_cut_strings(go->names);
	return functions <= bytes.size && go->count &&
	       go->count < (bytes.size - functions) / (2u * format->entry_size);
}

/* Looks for the table in a segment. */
static bool search_segment(struct go_reader *go, const struct image_segment *segment)
{
	struct bytes bytes = {go->reader->image->bytes + segment->file_offset,
			      (size_t)segment->file_size};

	if (segment->executable || !image_spend(go->reader, bytes.size))
		return false;
	for (size_t at = -segment->address % WORD; at < bytes.size; at += WORD) {
		struct bytes rest = {bytes.data + at, bytes.size - at};

		go->address = segment->address + at;
		if (format_of(rest) && open_table(go, rest))
			return true;
	}
	return false;
}

static bool may_be_go(const struct reader *reader)
{
	bool may_be = reader->code_by_segments;

	for (size_t i = 0; i < array_count(signs); i++)
		may_be |= image_section_named(&reader->elf, signs[i]) != NULL;
	return may_be;
}

/* Finds the table by its section, else by its first bytes. */
static bool find_table(struct go_reader *go)
{
	struct reader *reader = go->reader;

	for (size_t i = 0; i < array_count(section_names); i++) {
		const Elf64_Shdr *section =
			image_section_named(&reader->elf, section_names[i]);
		struct bytes bytes;

		if (!section)
			continue;
		bytes = image_bytes_from(reader->image, section->sh_addr);
		if (bytes.size > section->sh_size)
			bytes.size = (size_t)section->sh_size;
		go->address = section->sh_addr;
		if (open_table(go, bytes))
			return true;
		image_warn(reader,
			   "the table of Go functions is damaged or of an unknown kind");
		return false;
	}
	if (!may_be_go(reader))
		return false;
	vector_for_each (&reader->image->segments, segment) {
		if (search_segment(go, segment))
			return true;
	}
	return false;
}

void image_find_go_table(struct reader *reader)
{
	struct go_reader go = {.reader = reader};
	struct image_range range;

	if (!find_table(&go))
		return;
	reader->go_table = (struct image_range){go.address, go.limit};
	reader->name_bytes += go.names.size;
	/* All addresses in it are relocated, or the one in its header. */
	range = reader->go_table;
	if (go.format->text_word)
		range.end = range.start + HEAD + WORD * (go.format->text_word + 1u);
	vector_push(&reader->word_ranges, range);
}

/* A number of the format's size at an address inside the table. */
static bool number_at(const struct go_reader *go, uint64_t address, uint64_t *ret_number)
{
	const struct reader *reader = go->reader;
	const uint8_t *bytes;

	*ret_number = 0;
	if (address < go->address || go->limit - address < go->format->entry_size)
		return false;
	if (go->format->entry_size == WORD)
		return image_word_at(reader, address, ret_number);
	bytes = image_bytes_at(reader->image, address, go->format->entry_size);
	if (bytes)
		memcpy(ret_number, bytes, go->format->entry_size);
	return bytes != NULL;
}

/* The entry of function `index`, or with `count` the end of the last. */
static bool entry_of(const struct go_reader *go, uint64_t index, uint64_t *ret_entry)
{
	uint64_t pair = 2u * go->format->entry_size;
	bool good = number_at(go, go->functions + index * pair, ret_entry);

	*ret_entry += go->text;
	return good;
}

/* Reads a function; false if what is said of it makes no sense. */
static bool read_function(const struct go_reader *go, uint64_t index,
			  struct go_function *ret_function)
{
	uint64_t size = go->format->entry_size, place, entry;
	struct go_function function = {0};
	const uint8_t *numbers;

	if (!entry_of(go, index, &function.entry) ||
	    !entry_of(go, index + 1, &function.next) ||
	    !number_at(go, go->functions + (2 * index + 1) * size, &place) ||
	    place > go->limit - go->records ||
	    go->limit - go->records - place < size + RECORD_NUMBERS ||
	    !number_at(go, go->records + place, &entry))
		return false;
	numbers = image_bytes_at(go->reader->image, go->records + place + size,
				 RECORD_NUMBERS);
	if (!numbers || entry + go->text != function.entry ||
	    function.next < function.entry)
		return false;
	memcpy(&function.name, numbers, 4);
	memcpy(&function.deferred, numbers + 8, 4);
	memcpy(&function.steps, numbers + 12, 4);
	*ret_function = function;
	return function.name < go->names.size;
}

/*
 * The bytes of a function, without the padding behind it: so many bytes its steps go
 * over, pairs of what the stack pointer changes by and after how many bytes. 0: not
 * known.
 */
static uint64_t size_by_steps(struct go_reader *go, const struct go_function *function)
{
	struct bytes bytes = {0};
	struct cursor cursor;
	uint64_t size = 0;

	if (!function->steps || function->steps >= go->steps.size)
		return 0;
	bytes.data = go->steps.data + function->steps;
	bytes.size = go->steps.size - function->steps;
	cursor = cursor_over(bytes, 0);
	while (!cursor.failed && size <= function->next - function->entry) {
		if (!image_cursor_uleb(&cursor) && size)
			break;
		size += image_cursor_uleb(&cursor);
	}
	return !cursor.failed && image_spend(go->reader, cursor.address) ? size : 0;
}

/* The byte before belongs to it: unwinders look a return address up minus one. */
static void add_untouchable(struct go_reader *go, uint64_t start, uint64_t end)
{
	struct image_range range = {start - (start > 0), end};

	vector_push(&go->reader->image->untouchable, range);
}

/* Places that are reached, or read, otherwise than by calls. */
static void add_odd_places(struct go_reader *go, const struct go_function *function,
			   const char *name)
{
	uint64_t start = function->entry;

	if (function->deferred && function->deferred < function->next - start)
		image_add_target(go->reader, start + function->deferred);
	if (strcmp(name, "runtime.goexit") == 0)
		image_add_target(go->reader, start + RETURN_OFFSET);
	for (size_t i = 0; i < array_count(untouchable); i++) {
		if (strcmp(name, untouchable[i]) == 0)
			add_untouchable(go, start, function->next);
	}
	if (strcmp(name, "go:textfipsstart") == 0)
		go->checked = start;
	if (strcmp(name, "go:textfipsend") == 0 && go->checked)
		add_untouchable(go, go->checked, function->next);
}

/* Adds a function; false if the table contradicts itself or the file. */
static bool add_function(struct go_reader *go, const struct go_function *function)
{
	const char *name = (const char *)go->names.data + function->name;
	const struct image_range *code =
		image_range_at(&go->reader->code, function->entry);
	struct symbol symbol = {.address = function->entry,
				.name = name,
				.rank = RANK_LOCAL,
				.source = SOURCE_GO,
				.flags = IMAGE_FUNCTION_GO};
	size_t name_size = strlen(name);

	if (!code || function->next > code->end || name_size > UINT32_MAX ||
	    !image_spend(go->reader, name_size + RECORD_NUMBERS))
		return false;
	symbol.name_size = (uint32_t)name_size;
	symbol.size = size_by_steps(go, function);
	if (symbol.size > function->next - function->entry)
		return false;
	vector_push(&go->reader->symbols, symbol);
	image_add_target(go->reader, function->entry);
	add_odd_places(go, function, name);
	return true;
}

/*
 * From Go 1.26 on the header may not say where the text starts. Where Go's own linker
 * made the program, that is the section, and the program starts in a function of the
 * table.
 */
static bool guess_text(struct go_reader *go)
{
	const Elf64_Shdr *section = image_section_named(&go->reader->elf, ".text");
	uint64_t entry;

	if (!section)
		return false;
	go->text = section->sh_addr;
	for (uint64_t i = 0; i < go->count; i++) {
		if (!entry_of(go, i, &entry))
			return false;
		if (entry == go->reader->image->entry)
			return true;
	}
	return false;
}

static bool find_text(struct go_reader *go)
{
	uint64_t place = go->address + HEAD + WORD * (uint64_t)go->format->text_word;

	if (!go->format->text_word)
		return true;
	return (image_word_at(go->reader, place, &go->text) && go->text) ||
	       guess_text(go);
}

static bool read_functions(struct go_reader *go)
{
	struct go_function function;

	if (!find_text(go))
		return false;
	for (uint64_t i = 0; i < go->count; i++) {
		if (!read_function(go, i, &function))
			return false;
		if (function.next > function.entry && !add_function(go, &function))
			return false;
	}
	return true;
}

/* Whether a frame is that of one function, or of none, of those that were added. */
static bool frame_agrees(const struct symbol *functions, size_t count,
			 const struct frame *frame)
{
	uint64_t end = frame->address + frame->size;
	size_t low =
		search_first(count, middle, functions[middle].address <= frame->address);

	if (low < count && functions[low].address < end)
		return false;
	return !low || functions[low - 1].address == frame->address ||
	       frame->address - functions[low - 1].address >= functions[low - 1].size;
}

/* Call-frame information, which parts in C have, must say the same. */
static bool frames_agree(const struct reader *reader, size_t first)
{
	size_t count = reader->symbols.count - first;

	if (!count)
		return true;
	vector_for_each (&reader->frames, frame) {
		if (!frame_agrees(reader->symbols.items + first, count, frame))
			return false;
	}
	return true;
}

void image_read_go_functions(struct reader *reader)
{
	struct go_reader go = {.reader = reader, .address = reader->go_table.start};
	size_t symbol_count = reader->symbols.count,
	       target_count = reader->image->targets.count,
	       untouchable_count = reader->image->untouchable.count;
	struct bytes bytes = image_bytes_from(reader->image, go.address);

	if (reader->go_table.end == reader->go_table.start)
		return;
	bytes.size = (size_t)(reader->go_table.end - reader->go_table.start);
	if (open_table(&go, bytes) && read_functions(&go) &&
	    frames_agree(reader, symbol_count))
		return;
	image_warn(reader, "the table of Go functions contradicts itself or the rest of "
			   "the file; it is left out");
	reader->symbols.count = symbol_count;
	reader->image->targets.count = target_count;
	reader->image->untouchable.count = untouchable_count;
}
