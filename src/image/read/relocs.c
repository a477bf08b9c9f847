#include "image/read/relocs.h"

#include "base/array.h"
#include "base/search.h"
#include "image/contents.h"
#include "image/ranges.h"
#include "image/read/elf_file.h"
#include "image/read/sort.h"
#include "image/read/symbol_table.h"
#include "image/read/warn.h"

/* The words of an array that the loader calls through; sizes are what its tags say. */
static const struct {
	enum dynamic_tag array, size;
	const char *section; /* where there is no dynamic section */
} call_arrays[] = {
	{DYNAMIC_PREINIT_ARRAY, DYNAMIC_PREINIT_SIZE, ".preinit_array"},
	{DYNAMIC_INIT_ARRAY, DYNAMIC_INIT_SIZE, ".init_array"},
	{DYNAMIC_FINI_ARRAY, DYNAMIC_FINI_SIZE, ".fini_array"},
};

enum { CALL_ARRAY_COUNT = array_count(call_arrays) };

/* struct rseq_cs of <linux/rseq.h>. */
struct sequence {
	uint32_t version, flags;
	uint64_t start, size, abort;
};

void image_add_target(struct reader *reader, uint64_t address)
{
	if (!reader->names_only && image_range_at(&reader->code, address))
		vector_push(&reader->image->targets, address);
}

bool image_word_at(const struct reader *reader, uint64_t address, uint64_t *ret_value)
{
	const uint8_t *bytes;
	size_t low = search_first(reader->words.count, middle,
				  reader->words.items[middle].address < address);

	if (low < reader->words.count && reader->words.items[low].address == address) {
		*ret_value = reader->words.items[low].value;
		return true;
	}
	bytes = image_bytes_at(reader->image, address, sizeof(*ret_value));
	if (bytes)
		memcpy(ret_value, bytes, sizeof(*ret_value));
	return bytes != NULL;
}

/* Notes that the loader puts `value` at `place`. */
static void add_reference(struct reader *reader, uint64_t place, uint64_t value)
{
	image_add_target(reader, value);
	if (image_range_at(&reader->word_ranges, place)) {
		struct word word = {place, value};

		vector_push(&reader->words, word);
	}
}

static const struct symbol_table *dynamic_symbols(const struct reader *reader)
{
	for (size_t i = 0; i < reader->symbol_table_count; i++) {
		if (reader->symbol_tables[i].source == SOURCE_DYNSYM)
			return &reader->symbol_tables[i];
	}
	return NULL;
}

static void read_relocation(struct reader *reader, const struct symbol_table *symbols,
			    const Elf64_Rela *entry)
{
	Elf64_Sym symbol;

	switch (ELF64_R_TYPE(entry->r_info)) {
	case R_X86_64_IRELATIVE:
		vector_push(&reader->resolvers, (uint64_t)entry->r_addend);
		add_reference(reader, entry->r_offset, (uint64_t)entry->r_addend);
		break;
	case R_X86_64_RELATIVE:
	case R_X86_64_RELATIVE64:
		add_reference(reader, entry->r_offset, (uint64_t)entry->r_addend);
		break;
	case R_X86_64_64:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_JUMP_SLOT:
		if (!symbols ||
		    !image_symbol_at(symbols, ELF64_R_SYM(entry->r_info), &symbol) ||
		    symbol.st_shndx == SHN_UNDEF)
			break;
		add_reference(reader, entry->r_offset,
			      symbol.st_value + (uint64_t)entry->r_addend);
		if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && !entry->r_addend &&
		    !reader->names_only)
			vector_push(
				&reader->image->links,
				((struct image_link){entry->r_offset, symbol.st_value}));
		break;
	default:
		break;
	}
}

static void read_relocations(struct reader *reader, struct bytes bytes)
{
	const struct symbol_table *symbols = dynamic_symbols(reader);
	Elf64_Rela entry;

	if (!image_spend(reader, bytes.size))
		return;
	for (; bytes.size >= sizeof(entry); bytes.size -= sizeof(entry)) {
		memcpy(&entry, bytes.data, sizeof(entry));
		bytes.data += sizeof(entry);
		read_relocation(reader, symbols, &entry);
	}
}

/* Notes what a place holds that DT_RELR relocates; false when the budget is used up. */
static bool read_packed_place(struct reader *reader, uint64_t place)
{
	const uint8_t *bytes = image_bytes_at(reader->image, place, 8);
	uint64_t value;

	if (bytes) {
		memcpy(&value, bytes, sizeof(value));
		add_reference(reader, place, value);
	}
	return image_spend(reader, 8);
}

/* DT_RELR: an even word is a place, an odd one a bitmap of the 63 places that follow. */
static void read_packed_relocations(struct reader *reader, struct bytes bytes)
{
	uint64_t place = 0, entry;

	for (; bytes.size >= sizeof(entry); bytes.size -= sizeof(entry)) {
		memcpy(&entry, bytes.data, sizeof(entry));
		bytes.data += sizeof(entry);
		if (!(entry & 1)) {
			if (!read_packed_place(reader, entry))
				return;
			place = entry + 8;
			continue;
		}
		for (unsigned int bit = 1; bit < 64; bit++) {
			if ((entry >> bit & 1) &&
			    !read_packed_place(reader, place + (bit - 1) * 8))
				return;
		}
		place += 63 * 8;
	}
}

/* The table that two dynamic tags describe. */
static struct bytes dynamic_table(struct reader *reader, enum dynamic_tag tag,
				  enum dynamic_tag size_tag)
{
	struct bytes bytes = {0};

	if (!reader->dynamic_present[tag] || !reader->dynamic[size_tag])
		return bytes;
	bytes = image_bytes_from(reader->image, reader->dynamic[tag]);
	if (bytes.size < reader->dynamic[size_tag])
		image_warn(reader, "a table of the dynamic section is cut off");
	else
		bytes.size = (size_t)reader->dynamic[size_tag];
	return bytes;
}

/* Static programs have relocations (of indirect functions), but no dynamic section. */
static void read_section_relocations(struct reader *reader)
{
	vector_for_each (&reader->elf.sections, section) {
		if (section->sh_type == SHT_RELA && (section->sh_flags & SHF_ALLOC))
			read_relocations(reader,
					 image_section_bytes(&reader->elf, section));
	}
}

static void add_word_range(struct reader *reader, uint64_t start, uint64_t size)
{
	struct image_range range = {start, start + size};

	if (size && size <= reader->image->size && range.end > start)
		vector_push(&reader->word_ranges, range);
}

static void add_section_words(struct reader *reader, const char *name)
{
	const Elf64_Shdr *section = image_section_named(&reader->elf, name);

	if (section)
		add_word_range(reader, section->sh_addr, section->sh_size);
}

/* The array's place: by the dynamic section, else by its section. */
static struct image_range call_array(const struct reader *reader, size_t index)
{
	enum dynamic_tag tag = call_arrays[index].array;
	const Elf64_Shdr *section;
	uint64_t start, size;

	section = image_section_named(&reader->elf, call_arrays[index].section);
	if (reader->dynamic_present[tag]) {
		start = reader->dynamic[tag];
		size = reader->dynamic[call_arrays[index].size];
	} else if (section && !reader->dynamic_present[DYNAMIC_SYMTAB]) {
		start = section->sh_addr;
		size = section->sh_size;
	} else {
		return (struct image_range){0, 0};
	}
	if (size > reader->image->size || start > UINT64_MAX - size)
		return (struct image_range){0, 0};
	return (struct image_range){start, start + size};
}

static void find_word_ranges(struct reader *reader)
{
	for (size_t i = 0; i < CALL_ARRAY_COUNT; i++) {
		struct image_range range = call_array(reader, i);

		add_word_range(reader, range.start, range.end - range.start);
	}
	add_section_words(reader, "__rseq_cs");
	image_ranges_make_disjoint(&reader->word_ranges);
}

COMPARE_BY(by_place, struct image_link, place);

static void sort_links(struct image *image)
{
	if (image->links.count)
		qsort(image->links.items, image->links.count, sizeof(*image->links.items),
		      by_place);
}

static void sort_words(struct reader *reader)
{
	size_t count = reader->words.count;
	struct sort_item *items = memory_allocate(count * sizeof(*items));

	for (size_t i = 0; i < count; i++)
		items[i] = (struct sort_item){reader->words.items[i].address,
					      reader->words.items[i].value};
	image_sort(items, count);
	for (size_t i = 0; i < count; i++)
		reader->words.items[i] = (struct word){items[i].key, items[i].value};
	free(items);
}

/* What the loader calls is an entry, and a target too. */
static void add_entry(struct reader *reader, uint64_t address)
{
	if (!image_range_at(&reader->code, address))
		return;
	vector_push(&reader->entries, address);
	vector_push(&reader->image->targets, address);
}

static void read_entries(struct reader *reader)
{
	add_entry(reader, reader->image->entry);
	if (reader->dynamic_present[DYNAMIC_INIT])
		add_entry(reader, reader->dynamic[DYNAMIC_INIT]);
	if (reader->dynamic_present[DYNAMIC_FINI])
		add_entry(reader, reader->dynamic[DYNAMIC_FINI]);
	for (size_t i = 0; i < CALL_ARRAY_COUNT; i++) {
		struct image_range range = call_array(reader, i);
		uint64_t value;

		for (uint64_t at = range.start; at + 8 <= range.end; at += 8) {
			if (!image_word_at(reader, at, &value))
				break;
			add_entry(reader, value);
		}
	}
}

void image_read_relocations(struct reader *reader)
{
	find_word_ranges(reader);
	if (reader->dynamic_present[DYNAMIC_SYMTAB]) {
		read_relocations(reader,
				 dynamic_table(reader, DYNAMIC_RELA, DYNAMIC_RELA_SIZE));
		if (reader->dynamic[DYNAMIC_PLTREL] == DT_RELA)
			read_relocations(reader, dynamic_table(reader, DYNAMIC_JMPREL,
							       DYNAMIC_JMPREL_SIZE));
		read_packed_relocations(
			reader, dynamic_table(reader, DYNAMIC_RELR, DYNAMIC_RELR_SIZE));
	} else {
		read_section_relocations(reader);
	}
	sort_words(reader);
	sort_links(reader->image);
	read_entries(reader);
}

static bool read_sequence(const struct reader *reader, uint64_t address,
			  struct sequence *ret_sequence)
{
	const uint8_t *bytes =
		image_bytes_at(reader->image, address, sizeof(*ret_sequence));

	if (!bytes)
		return false;
	memcpy(ret_sequence, bytes, sizeof(*ret_sequence));
	return image_word_at(reader, address + 8, &ret_sequence->start) &&
	       image_word_at(reader, address + 16, &ret_sequence->size) &&
	       image_word_at(reader, address + 24, &ret_sequence->abort);
}

static void add_sequence(struct reader *reader, const struct sequence *sequence)
{
	const struct image_range *code = image_range_at(&reader->code, sequence->start);
	struct image_range body = {sequence->start, sequence->start + sequence->size};
	struct image_range handler = {sequence->abort - 4, sequence->abort + 16};
	bool in_front = sequence->abort >= 4; /* room for the signature */

	if (!code || sequence->size > code->end - sequence->start || !in_front ||
	    !image_range_at(&reader->code, sequence->abort)) {
		image_warn(reader, "a restartable sequence lies outside the code");
		return;
	}
	if (sequence->size)
		vector_push(&reader->image->untouchable, body);
	vector_push(&reader->image->untouchable, handler);
	vector_push(&reader->image->targets, sequence->abort);
}

void image_read_sequences(struct reader *reader)
{
	const Elf64_Shdr *section = image_section_named(&reader->elf, "__rseq_cs");
	struct sequence sequence;

	if (!section || section->sh_addr > UINT64_MAX - section->sh_size)
		return;
	for (uint64_t at = section->sh_addr;
	     at + 32 <= section->sh_addr + section->sh_size; at += 32) {
		if (!read_sequence(reader, at, &sequence))
			break;
		add_sequence(reader, &sequence);
	}
}
