#include "image/dwarf/file.h"

#include "base/search.h"
#include "image/bytes.h"
#include "image/dwarf/abbreviation.h"
#include "image/dwarf/linehead.h"
#include "image/read/debuglink.h"
#include "image/read/elf_file.h"

#include <errno.h>
#include <zlib.h>
#include <zstd.h>

/* What a section may unpack to. */
static const uint64_t unpacked_limit = 8ull << 30;

/* Behind ".debug_" or ".zdebug_"; of split units, but for the index, ".dwo" follows. */
static const char *const names[DWARF_SECTIONS] = {
	[DWARF_INFO] = "info",         [DWARF_ABBREV] = "abbrev",
	[DWARF_LINE] = "line",         [DWARF_STR] = "str",
	[DWARF_LINE_STR] = "line_str", [DWARF_STR_OFFSETS] = "str_offsets",
	[DWARF_ADDR] = "addr",         [DWARF_RANGES] = "ranges",
	[DWARF_RNGLISTS] = "rnglists", [DWARF_LOC] = "loc",
	[DWARF_LOCLISTS] = "loclists", [DWARF_CU_INDEX] = "cu_index",
};

enum packing { PACKED_NOT, PACKED_ZLIB, PACKED_ZSTD, PACKED_UNKNOWN };

/* Unpacks to exactly `size` bytes; NULL if that does not work. */
static uint8_t *unpack_section(enum packing packing, struct bytes packed, uint64_t size)
{
	uint8_t *output = size && size <= unpacked_limit ? malloc(size) : NULL;
	uLongf length = size;
	bool whole = false;

	if (!output)
		return NULL;
	if (packing == PACKED_ZLIB)
		whole = uncompress(output, &length, packed.data, packed.size) == Z_OK &&
			length == size;
	else if (packing == PACKED_ZSTD)
		whole = ZSTD_decompress(output, size, packed.data, packed.size) == size;
	if (whole)
		return output;
	free(output);
	return NULL;
}

/* How a section is packed: by its flag, or as GNU did before there was one. */
static enum packing find_packing(const Elf64_Shdr *header, bool old, struct bytes *bytes,
				 uint64_t *ret_size)
{
	Elf64_Chdr packed;

	if (old && bytes->size >= 12 && !memcmp(bytes->data, "ZLIB", 4)) {
		memcpy(ret_size, bytes->data + 4, 8);
		*ret_size = __builtin_bswap64(*ret_size);
		*bytes = (struct bytes){bytes->data + 12, bytes->size - 12};
		return PACKED_ZLIB;
	}
	if (!(header->sh_flags & SHF_COMPRESSED))
		return PACKED_NOT;
	if (bytes->size < sizeof(packed))
		return PACKED_UNKNOWN;
	memcpy(&packed, bytes->data, sizeof(packed));
	*ret_size = packed.ch_size;
	*bytes = (struct bytes){bytes->data + sizeof(packed),
				bytes->size - sizeof(packed)};
	return packed.ch_type == ELFCOMPRESS_ZLIB ? PACKED_ZLIB
	       : packed.ch_type == 2 /* ELFCOMPRESS_ZSTD, which older <elf.h> lack */
		       ? PACKED_ZSTD
		       : PACKED_UNKNOWN;
}

/* `suffix`: what is behind the part. */
static bool is_named(const char *name, const char *prefix, const char *part,
		     const char *suffix)
{
	size_t length = strlen(prefix);

	if (strncmp(name, prefix, length) != 0)
		return false;
	name += length;
	length = strlen(part);
	return !strncmp(name, part, length) && !strcmp(name + length, suffix);
}

static void take_section(struct dwarf_file *file, const struct elf_file *elf,
			 const Elf64_Shdr *header, enum dwarf_section section, bool old)
{
	struct bytes bytes = image_section_bytes(elf, header);
	uint64_t size = 0;
	enum packing packing = find_packing(header, old, &bytes, &size);

	if (!bytes.size || file->sections[section].size)
		return;
	if (packing != PACKED_NOT) {
		file->unpacked[section] = unpack_section(packing, bytes, size);
		file->packed_badly |= !file->unpacked[section];
		bytes = (struct bytes){file->unpacked[section],
				       file->unpacked[section] ? (size_t)size : 0};
	}
	if (section == DWARF_STR || section == DWARF_LINE_STR)
		bytes = image_cut_strings(bytes);
	file->sections[section] = bytes;
}

/* A name, and the build id of the file. */
static void read_link(struct dwarf_file *file, const Elf64_Shdr *header,
		      const struct elf_file *elf)
{
	struct bytes bytes =
		header ? image_section_bytes(elf, header) : (struct bytes){0};
	const uint8_t *end = bytes.size ? memchr(bytes.data, 0, bytes.size) : NULL;

	if (!end)
		return;
	file->supplementary_name = memory_copy_string((const char *)bytes.data);
	file->supplementary_id =
		(struct bytes){end + 1, bytes.size - (size_t)(end + 1 - bytes.data)};
}

/* An object file may have a skeleton and what was split off (-gsplit-dwarf=single). */
static void read_sections(struct dwarf_file *file, const struct elf_file *elf, bool split)
{
	vector_for_each (&elf->sections, header) {
		const char *name = image_section_name(elf, header);

		for (size_t i = 0; i < DWARF_SECTIONS; i++) {
			const char *suffix = split && i != DWARF_CU_INDEX ? ".dwo" : "";
			bool old = is_named(name, ".zdebug_", names[i], suffix);

			if (old || is_named(name, ".debug_", names[i], suffix))
				take_section(file, elf, header, (enum dwarf_section)i,
					     old);
		}
	}
	read_link(file, image_section_named(elf, ".gnu_debugaltlink"), elf);
	file->build_id_size = image_build_id_of_sections(elf, file->build_id);
}

struct dwarf_file *dwarf_file_open(const char *path, bool split)
{
	struct dwarf_file *file = memory_allocate_zeroed(1, sizeof(*file));
	struct elf_file elf = {0};

	errno = 0;
	file->mapped = image_map_file(path);
	if (!file->mapped.size) {
		free(file);
		return NULL;
	}
	struct trm_error *error = image_elf_init_any(&elf, file->mapped);

	if (!error)
		read_sections(file, &elf, split);
	image_elf_deinit(&elf);
	if (!error)
		return file;
	trm_error_destroy(error);
	dwarf_file_close(file);
	errno = 0;
	return NULL;
}

void dwarf_file_close(struct dwarf_file *file)
{
	if (!file)
		return;
	dwarf_file_close(file->supplementary);
	free(file->supplementary_name);
	vector_for_each (&file->units, unit)
		dwarf_line_head_deinit(&unit->head);
	vector_deinit(&file->units);
	vector_for_each (&file->abbreviations, table)
		dwarf_abbreviations_destroy(*table);
	vector_deinit(&file->abbreviations);
	table_deinit(&file->abbreviations_at);
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		free(file->unpacked[i]);
	image_unmap_file(file->mapped);
	free(file);
}

struct dwarf_unit *dwarf_unit_at(const struct dwarf_file *file, uint64_t offset)
{
	size_t index = search_first(file->units.count, middle,
				    file->units.items[middle].end <= offset);

	return index < file->units.count && file->units.items[index].offset <= offset
		       ? &file->units.items[index]
		       : NULL;
}
