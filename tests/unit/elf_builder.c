#include "elf_builder.h"

#include <string.h>

void blob_bytes(struct blob *blob, const void *bytes, size_t size)
{
	vector_reserve(blob, blob->count + size + 1);
	if (size)
		memcpy(blob->items + blob->count, bytes, size);
	blob->count += size;
}

void blob_number(struct blob *blob, uint64_t value, size_t size)
{
	blob_bytes(blob, &value, size);
}

void blob_uleb(struct blob *blob, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		blob_number(blob, value | 0x80, 1);
	blob_number(blob, value, 1);
}

void blob_fill(struct blob *blob, uint8_t value, size_t size)
{
	vector_reserve(blob, blob->count + size + 1);
	memset(blob->items + blob->count, value, size);
	blob->count += size;
}

void blob_align(struct blob *blob, size_t alignment)
{
	blob_fill(blob, 0, (alignment - blob->count % alignment) % alignment);
}

void blob_patch(struct blob *blob, size_t offset, uint64_t value, size_t size)
{
	memcpy(blob->items + offset, &value, size);
}

void elf_builder_init(struct elf_builder *builder, uint16_t type)
{
	*builder = (struct elf_builder){.type = type, .open_segment = -1};
	blob_fill(&builder->file, 0,
		  sizeof(Elf64_Ehdr) + ELF_HEADER_ROOM * sizeof(Elf64_Phdr));
	blob_number(&builder->names, 0, 1);
	vector_add(&builder->sections);
}

void elf_builder_deinit(struct elf_builder *builder)
{
	vector_deinit(&builder->file);
	vector_deinit(&builder->headers);
	vector_deinit(&builder->sections);
	vector_deinit(&builder->names);
}

static void close_segment(struct elf_builder *builder)
{
	Elf64_Phdr *header;

	if (builder->open_segment < 0)
		return;
	header = &builder->headers.items[builder->open_segment];
	header->p_filesz = header->p_memsz = builder->file.count - header->p_offset;
	builder->open_segment = -1;
}

void elf_start_segment(struct elf_builder *builder, uint32_t flags)
{
	Elf64_Phdr *header;

	close_segment(builder);
	blob_align(&builder->file, 16);
	builder->bias += ELF_SEGMENT_STEP;
	builder->open_segment = (int)builder->headers.count;
	header = vector_add(&builder->headers);
	header->p_type = PT_LOAD;
	header->p_flags = flags;
	header->p_offset = builder->file.count;
	header->p_vaddr = header->p_paddr = builder->file.count + builder->bias;
	header->p_align = 1;
}

uint64_t elf_next_address(struct elf_builder *builder)
{
	blob_align(&builder->file, 8);
	return builder->file.count + builder->bias;
}

uint64_t elf_add_section(struct elf_builder *builder, const char *name, uint32_t type,
			 uint64_t flags, const struct blob *contents, uint32_t link)
{
	uint64_t address = elf_next_address(builder);
	Elf64_Shdr *section = vector_add(&builder->sections);

	section->sh_name = (uint32_t)builder->names.count;
	section->sh_type = type;
	section->sh_flags = flags;
	section->sh_addr = flags & SHF_ALLOC ? address : 0;
	section->sh_offset = builder->file.count;
	section->sh_size = contents->count;
	section->sh_link = link;
	blob_bytes(&builder->names, name, strlen(name) + 1);
	blob_bytes(&builder->file, contents->items, contents->count);
	return address;
}

void elf_add_header(struct elf_builder *builder, uint32_t type, uint64_t address,
		    uint64_t size)
{
	Elf64_Phdr *header = vector_add(&builder->headers);

	header->p_type = type;
	header->p_flags = PF_R;
	header->p_vaddr = header->p_paddr = address;
	header->p_offset = address - builder->bias;
	header->p_filesz = header->p_memsz = size;
	header->p_align = 1;
}

static void write_sections(struct elf_builder *builder, Elf64_Ehdr *header)
{
	struct blob names = {0};

	/* The table of names has its own name in it. */
	blob_bytes(&names, builder->names.items, builder->names.count);
	blob_bytes(&names, ".shstrtab", 10);
	header->e_shstrndx = (uint16_t)builder->sections.count;
	elf_add_section(builder, ".shstrtab", SHT_STRTAB, 0, &names, 0);
	vector_deinit(&names);
	blob_align(&builder->file, 8);
	header->e_shoff = builder->file.count;
	header->e_shentsize = sizeof(Elf64_Shdr);
	header->e_shnum = (uint16_t)builder->sections.count;
	blob_bytes(&builder->file, builder->sections.items,
		   builder->sections.count * sizeof(Elf64_Shdr));
}

void elf_finish(struct elf_builder *builder, bool with_sections)
{
	Elf64_Ehdr header = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1}};

	close_segment(builder);
	header.e_type = builder->type;
	header.e_machine = EM_X86_64;
	header.e_version = 1;
	header.e_entry = builder->entry;
	header.e_phoff = sizeof(header);
	header.e_ehsize = sizeof(header);
	header.e_phentsize = sizeof(Elf64_Phdr);
	header.e_phnum = (uint16_t)builder->headers.count;
	if (with_sections)
		write_sections(builder, &header);
	memcpy(builder->file.items, &header, sizeof(header));
	if (!builder->headers.count)
		return;
	memcpy(builder->file.items + sizeof(header), builder->headers.items,
	       builder->headers.count * sizeof(Elf64_Phdr));
}

void symbols_start(struct symbol_blobs *blobs)
{
	blob_fill(&blobs->symbols, 0, sizeof(Elf64_Sym));
	blob_number(&blobs->strings, 0, 1);
}

void symbols_add(struct symbol_blobs *blobs, const char *name, unsigned char binding,
		 unsigned char type, uint64_t address, uint64_t size, uint16_t section)
{
	Elf64_Sym symbol = {.st_name = (uint32_t)blobs->strings.count,
			    .st_info = (unsigned char)ELF64_ST_INFO(binding, type),
			    .st_shndx = section,
			    .st_value = address,
			    .st_size = size};

	blob_bytes(&blobs->symbols, &symbol, sizeof(symbol));
	blob_bytes(&blobs->strings, name, strlen(name) + 1);
}

void symbols_deinit(struct symbol_blobs *blobs)
{
	vector_deinit(&blobs->symbols);
	vector_deinit(&blobs->strings);
}

size_t frames_start(struct blob *blob)
{
	blob_number(blob, 0, 4);
	return blob->count - 4;
}

void frames_end(struct blob *blob, size_t start)
{
	blob_align(blob, 4);
	blob_patch(blob, start, blob->count - start - 4, 4);
}

/* The data of one letter of an augmentation. */
static void add_augmentation(struct blob *data, char letter)
{
	if (letter == 'R' || letter == 'L')
		blob_number(data, 0x1b, 1);
	if (letter == 'P') {
		blob_number(data, 0x9b, 1);
		blob_number(data, 0x1234, 4);
	}
}

size_t frames_common(struct blob *blob, const char *augmentation)
{
	static const uint8_t program[] = {0x0c, 7, 8, 0x90,
					  1}; /* CFA rsp+8, rip at CFA-8 */
	size_t start = frames_start(blob);
	struct blob data = {0};

	blob_number(blob, 0, 4);
	blob_number(blob, 1, 1);
	blob_bytes(blob, augmentation, strlen(augmentation) + 1);
	blob_number(blob, 1, 1);
	blob_number(blob, 0x78, 1);
	blob_number(blob, 16, 1);
	for (const char *letter = augmentation; *letter; letter++)
		add_augmentation(&data, *letter);
	if (*augmentation) {
		blob_uleb(blob, data.count);
		blob_bytes(blob, data.items, data.count);
	}
	blob_bytes(blob, program, sizeof(program));
	frames_end(blob, start);
	vector_deinit(&data);
	return start;
}

void frames_entry(struct blob *blob, uint64_t blob_address, size_t common,
		  const struct frame_spec *spec)
{
	size_t start = frames_start(blob);

	blob_number(blob, blob->count - common, 4);
	blob_number(blob, spec->address - (blob_address + blob->count), 4);
	blob_number(blob, spec->size, 4);
	blob_uleb(blob, spec->has_lsda ? 4 : 0);
	if (spec->has_lsda)
		blob_number(blob,
			    spec->lsda ? spec->lsda - (blob_address + blob->count) : 0,
			    4);
	if (spec->program_size)
		blob_bytes(blob, spec->program, spec->program_size);
	frames_end(blob, start);
}
