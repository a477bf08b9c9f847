#include "image/read/elf_file.h"

static struct trm_error *check_header(const Elf64_Ehdr *header)
{
	if (header->e_ident[EI_CLASS] != ELFCLASS64)
		return trm_error_create(TRM_ERROR_UNSUPPORTED,
					"not a 64-bit file; trammel handles x86-64 only");
	if (header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_machine != EM_X86_64)
		return trm_error_create(
			TRM_ERROR_UNSUPPORTED,
			"made for another machine (ELF machine %u); trammel "
			"handles x86-64 only",
			header->e_machine);
	return NULL;
}

/* A section header is sound if what it says to be in the file is there. */
static bool section_sound(struct bytes bytes, const Elf64_Shdr *section)
{
	struct bytes slice;

	if (section->sh_type == SHT_NOBITS || section->sh_type == SHT_NULL)
		return true;
	return image_slice(bytes, section->sh_offset, section->sh_size, &slice);
}

/* The number of sections: in the first header if it does not fit the file's. */
static uint64_t section_count(const struct elf_file *elf)
{
	struct bytes slice;
	Elf64_Shdr first;

	if (elf->header.e_shnum || !elf->header.e_shoff)
		return elf->header.e_shnum;
	if (!image_slice(elf->bytes, elf->header.e_shoff, sizeof(first), &slice))
		return 0;
	memcpy(&first, slice.data, sizeof(first));
	return first.sh_size;
}

static void read_sections(struct elf_file *elf)
{
	uint64_t count = section_count(elf), size;
	struct bytes slice;

	if (!count)
		return;
	if (elf->header.e_shentsize != sizeof(Elf64_Shdr) ||
	    __builtin_mul_overflow(count, sizeof(Elf64_Shdr), &size) ||
	    !image_slice(elf->bytes, elf->header.e_shoff, size, &slice)) {
		elf->bad_sections = true;
		return;
	}
	vector_reserve(&elf->sections, count);
	memcpy(elf->sections.items, slice.data, slice.size);
	elf->sections.count = count;
	vector_for_each (&elf->sections, section) {
		if (section_sound(elf->bytes, section))
			continue;
		section->sh_type = SHT_NULL;
		elf->bad_sections = true;
	}
}

static void find_section_names(struct elf_file *elf)
{
	uint32_t index = elf->header.e_shstrndx;

	if (index == SHN_XINDEX && elf->sections.count)
		index = elf->sections.items[0].sh_link;
	if (index < elf->sections.count)
		elf->section_names = image_cut_strings(
			image_section_bytes(elf, &elf->sections.items[index]));
}

struct trm_error *image_elf_init(struct elf_file *elf, struct bytes bytes)
{
	TRM_TRY(image_elf_init_any(elf, bytes));
	if (elf->header.e_type != ET_EXEC && elf->header.e_type != ET_DYN)
		return trm_error_create(
			TRM_ERROR_UNSUPPORTED,
			"neither a program nor a shared library (ELF type %u)",
			elf->header.e_type);
	return NULL;
}

struct trm_error *image_elf_init_any(struct elf_file *elf, struct bytes bytes)
{
	if (bytes.size < SELFMAG || memcmp(bytes.data, ELFMAG, SELFMAG) != 0)
		return trm_error_create(TRM_ERROR_FORMAT, "not an ELF file");
	if (bytes.size < sizeof(elf->header))
		return trm_error_create(TRM_ERROR_FORMAT, "ends inside the ELF header");
	elf->bytes = bytes;
	memcpy(&elf->header, bytes.data, sizeof(elf->header));
	TRM_TRY(check_header(&elf->header));
	read_sections(elf);
	find_section_names(elf);
	return NULL;
}

void image_elf_deinit(struct elf_file *elf)
{
	vector_deinit(&elf->sections);
}

const Elf64_Shdr *image_section_of_type(const struct elf_file *elf, uint32_t type)
{
	vector_for_each (&elf->sections, section) {
		if (section->sh_type == type)
			return section;
	}
	return NULL;
}

const char *image_section_name(const struct elf_file *elf, const Elf64_Shdr *section)
{
	if (section->sh_name >= elf->section_names.size)
		return "";
	return (const char *)elf->section_names.data + section->sh_name;
}

const Elf64_Shdr *image_section_named(const struct elf_file *elf, const char *name)
{
	vector_for_each (&elf->sections, section) {
		if (section->sh_type != SHT_NULL &&
		    strcmp(image_section_name(elf, section), name) == 0)
			return section;
	}
	return NULL;
}

struct bytes image_section_bytes(const struct elf_file *elf, const Elf64_Shdr *section)
{
	struct bytes slice = {0};

	if (section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL)
		(void)image_slice(elf->bytes, section->sh_offset, section->sh_size,
				  &slice);
	return slice;
}

size_t image_find_build_id(struct bytes notes, unsigned char id[32])
{
	/* Sound files have a handful of notes; hostile ones are not to cost much. */
	for (int i = 0; i < 256 && notes.size >= sizeof(Elf64_Nhdr); i++) {
		struct bytes name, body;
		Elf64_Nhdr header;
		uint64_t name_end, end;

		memcpy(&header, notes.data, sizeof(header));
		name_end = sizeof(header) + (((uint64_t)header.n_namesz + 3) & ~3ull);
		end = name_end + (((uint64_t)header.n_descsz + 3) & ~3ull);
		if (!image_slice(notes, sizeof(header), header.n_namesz, &name) ||
		    !image_slice(notes, name_end, header.n_descsz, &body))
			return 0;
		if (header.n_type == NT_GNU_BUILD_ID && name.size == 4 &&
		    memcmp(name.data, "GNU", 4) == 0 && body.size && body.size <= 32) {
			memcpy(id, body.data, body.size);
			return body.size;
		}
		if (end > notes.size)
			return 0;
		notes.data += end;
		notes.size -= end;
	}
	return 0;
}

size_t image_build_id_of_sections(const struct elf_file *elf, unsigned char id[32])
{
	vector_for_each (&elf->sections, section) {
		size_t size = 0;

		if (section->sh_type == SHT_NOTE)
			size = image_find_build_id(image_section_bytes(elf, section), id);
		if (size)
			return size;
	}
	return 0;
}
