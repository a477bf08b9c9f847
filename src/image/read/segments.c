#include "image/read/segments.h"

#include "base/array.h"
#include "image/bytes.h"
#include "image/contents.h"
#include "image/ranges.h"
#include "image/read/elf_file.h"
#include "image/read/warn.h"

/* Linux gives user programs the addresses below 2^47. */
static const uint64_t address_limit = 1ull << 47;
static const uint64_t page_size = 4096;

static const int64_t dynamic_tags[DYNAMIC_COUNT] = {
	[DYNAMIC_INIT] = DT_INIT,
	[DYNAMIC_FINI] = DT_FINI,
	[DYNAMIC_INIT_ARRAY] = DT_INIT_ARRAY,
	[DYNAMIC_INIT_SIZE] = DT_INIT_ARRAYSZ,
	[DYNAMIC_FINI_ARRAY] = DT_FINI_ARRAY,
	[DYNAMIC_FINI_SIZE] = DT_FINI_ARRAYSZ,
	[DYNAMIC_PREINIT_ARRAY] = DT_PREINIT_ARRAY,
	[DYNAMIC_PREINIT_SIZE] = DT_PREINIT_ARRAYSZ,
	[DYNAMIC_RELA] = DT_RELA,
	[DYNAMIC_RELA_SIZE] = DT_RELASZ,
	[DYNAMIC_RELR] = 36,      /* DT_RELR, DT_RELRSZ: generic ABI, 2022; not in */
	[DYNAMIC_RELR_SIZE] = 35, /* older <elf.h> */
	[DYNAMIC_JMPREL] = DT_JMPREL,
	[DYNAMIC_JMPREL_SIZE] = DT_PLTRELSZ,
	[DYNAMIC_PLTREL] = DT_PLTREL,
	[DYNAMIC_SYMTAB] = DT_SYMTAB,
	[DYNAMIC_STRTAB] = DT_STRTAB,
	[DYNAMIC_STRTAB_SIZE] = DT_STRSZ,
	[DYNAMIC_HASH] = DT_HASH,
	[DYNAMIC_GNU_HASH] = DT_GNU_HASH,
	[DYNAMIC_VERSYM] = DT_VERSYM,
	[DYNAMIC_VERDEF] = DT_VERDEF,
	[DYNAMIC_TEXTREL] = DT_TEXTREL,
	[DYNAMIC_AUDIT] = DT_AUDIT,
	[DYNAMIC_DEPAUDIT] = DT_DEPAUDIT,
	[DYNAMIC_FLAGS] = DT_FLAGS,
};

/* Adds a PT_LOAD segment if it makes sense. */
static void add_segment(struct reader *reader, const Elf64_Phdr *header)
{
	struct image_segment segment = {header->p_vaddr,
					header->p_offset,
					header->p_filesz,
					header->p_memsz,
					(header->p_flags & PF_X) != 0,
					(header->p_flags & PF_W) != 0};
	size_t size = reader->image->size;

	if (!segment.memory_size)
		return;
	if (segment.address >= address_limit ||
	    segment.memory_size > address_limit - segment.address) {
		image_warn(reader, "a segment lies outside the address space");
		return;
	}
	if (segment.file_size > segment.memory_size)
		segment.file_size = segment.memory_size;
	if (segment.file_offset > size ||
	    segment.file_size > size - segment.file_offset) {
		image_warn(reader, "a segment reaches over the end of the file");
		segment.file_offset =
			segment.file_offset < size ? segment.file_offset : size;
		segment.file_size = size - segment.file_offset;
	}
	vector_push(&reader->image->segments, segment);
}

COMPARE_BY(compare_segments, struct image_segment, address);

/* Sorts the segments and takes out those that overlap an earlier one. */
static struct trm_error *order_segments(struct reader *reader)
{
	struct image *image = reader->image;
	size_t kept = 0;
	uint64_t end = 0;

	if (!image->segments.count)
		return trm_error_create(TRM_ERROR_FORMAT, "has no segments to load");
	qsort(image->segments.items, image->segments.count,
	      sizeof(*image->segments.items), compare_segments);
	vector_for_each (&image->segments, segment) {
		if (segment->address < end) {
			image_warn(reader, "the segment at 0x%llx overlaps another",
				   (unsigned long long)segment->address);
			continue;
		}
		end = segment->address + segment->memory_size;
		image->segments.items[kept++] = *segment;
	}
	image->segments.count = kept;
	image->base = image->segments.items[0].address & ~(page_size - 1);
	image->end = (end + page_size - 1) & ~(page_size - 1);
	return NULL;
}

static void read_dynamic(struct reader *reader, const Elf64_Phdr *header)
{
	struct bytes bytes = image_bytes_from(reader->image, header->p_vaddr);
	Elf64_Dyn entry;

	if (!image_spend(reader, header->p_filesz))
		return;
	if (bytes.size < header->p_filesz)
		image_warn(reader, "the dynamic section is not all inside a segment");
	if (bytes.size > header->p_filesz)
		bytes.size = header->p_filesz;
	for (; bytes.size >= sizeof(entry); bytes.size -= sizeof(entry)) {
		memcpy(&entry, bytes.data, sizeof(entry));
		bytes.data += sizeof(entry);
		if (entry.d_tag == DT_NULL)
			break;
		for (size_t i = 0; i < DYNAMIC_COUNT; i++) {
			if (entry.d_tag != dynamic_tags[i])
				continue;
			reader->dynamic_present[i] = true;
			reader->dynamic[i] = entry.d_un.d_val;
		}
	}
	reader->image->text_relocations = reader->dynamic_present[DYNAMIC_TEXTREL] ||
					  (reader->dynamic[DYNAMIC_FLAGS] & DF_TEXTREL);
	reader->image->audited = reader->dynamic_present[DYNAMIC_AUDIT] ||
				 reader->dynamic_present[DYNAMIC_DEPAUDIT];
}

static void keep_dynamic_strings(struct reader *reader)
{
	struct bytes strings =
		image_bytes_from(reader->image, reader->dynamic[DYNAMIC_STRTAB]);

	if (!reader->dynamic_present[DYNAMIC_STRTAB])
		return;
	if (strings.size > reader->dynamic[DYNAMIC_STRTAB_SIZE])
		strings.size = reader->dynamic[DYNAMIC_STRTAB_SIZE];
	reader->image->dynamic_strings = strings.size ? strings.data : NULL;
	reader->image->dynamic_strings_size = strings.size;
}

static void read_note(struct reader *reader, const Elf64_Phdr *header)
{
	struct image *image = reader->image;
	struct bytes notes;

	if (!image->build_id_size && image_spend(reader, header->p_filesz) &&
	    image_slice(reader->elf.bytes, header->p_offset, header->p_filesz, &notes))
		image->build_id_size = image_find_build_id(notes, image->build_id);
}

/* Whether the segments say of a section's place in the file what its header says. */
static bool section_in_segment(const struct image *image, const Elf64_Shdr *section)
{
	const struct image_segment *segment = image_segment_at(image, section->sh_addr);
	uint64_t inside = segment ? section->sh_addr - segment->address : 0;

	return segment && segment->executable && inside <= segment->file_size &&
	       section->sh_size <= segment->file_size - inside &&
	       section->sh_offset == segment->file_offset + inside;
}

static bool holds_stubs(const char *name)
{
	return strcmp(name, ".plt") == 0 || strncmp(name, ".plt.", 5) == 0 ||
	       strcmp(name, ".iplt") == 0;
}

/* Finds the code by the section headers; false if they cannot be believed. */
static bool find_code_sections(struct reader *reader)
{
	const uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;

	vector_for_each (&reader->elf.sections, section) {
		struct image_range range = {section->sh_addr,
					    section->sh_addr + section->sh_size};

		if ((section->sh_flags & wanted) != wanted || !section->sh_size ||
		    section->sh_type == SHT_NULL)
			continue;
		if (!section_in_segment(reader->image, section)) {
			image_warn(reader, "the sections contradict the segments");
			return false;
		}
		vector_push(&reader->code, range);
		if (holds_stubs(image_section_name(&reader->elf, section)))
			vector_push(&reader->image->plt, range);
	}
	return reader->code.count > 0;
}

/* Every executable segment is code. */
static void find_code_segments(struct reader *reader)
{
	vector_for_each (&reader->image->segments, segment) {
		struct image_range range = {segment->address,
					    segment->address + segment->file_size};

		if (segment->executable && segment->file_size)
			vector_push(&reader->code, range);
	}
}

static void find_code(struct reader *reader)
{
	if (!find_code_sections(reader)) {
		reader->code_by_segments = true;
		reader->code.count = 0;
		reader->image->plt.count = 0;
		find_code_segments(reader);
	}
	image_ranges_make_disjoint(&reader->code);
	image_ranges_make_disjoint(&reader->image->plt);
}

struct program_headers VECTOR(Elf64_Phdr);

static struct trm_error *read_program_headers(struct reader *reader,
					      struct program_headers *headers)
{
	const Elf64_Ehdr *header = &reader->elf.header;
	struct bytes slice;

	if (header->e_phentsize != sizeof(Elf64_Phdr) ||
	    !image_slice(reader->elf.bytes, header->e_phoff,
			 (uint64_t)header->e_phnum * sizeof(Elf64_Phdr), &slice))
		return trm_error_create(TRM_ERROR_FORMAT,
					"has no program headers inside the file");
	vector_reserve(headers, header->e_phnum + 1u);
	memcpy(headers->items, slice.data, slice.size);
	headers->count = header->e_phnum;
	return NULL;
}

static struct trm_error *load_segments(struct reader *reader,
				       const struct program_headers *headers)
{
	vector_for_each (headers, header) {
		if (header->p_type == PT_LOAD)
			add_segment(reader, header);
	}
	return order_segments(reader);
}

static void read_other_segments(struct reader *reader,
				const struct program_headers *headers)
{
	vector_for_each (headers, header) {
		if (header->p_type == PT_DYNAMIC) {
			read_dynamic(reader, header);
			keep_dynamic_strings(reader);
		}
		if (header->p_type == PT_NOTE)
			read_note(reader, header);
		if (header->p_type == PT_INTERP)
			reader->image->has_interpreter = true;
		if (header->p_type == PT_GNU_EH_FRAME)
			reader->frame_header = header->p_vaddr;
	}
}

struct trm_error *image_read_segments(struct reader *reader)
{
	struct program_headers headers = {0};
	struct trm_error *error = read_program_headers(reader, &headers);

	if (!error)
		error = load_segments(reader, &headers);
	if (!error)
		read_other_segments(reader, &headers);
	vector_deinit(&headers);
	if (error)
		return error;
	find_code(reader);
	if (!reader->image->build_id_size)
		reader->image->build_id_size =
			image_build_id_of_sections(&reader->elf, reader->image->build_id);
	return NULL;
}
