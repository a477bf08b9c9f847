#include "image/read/debugfile.h"

#include "image/lookup.h"
#include "image/read/debuglink.h"
#include "image/read/symbol_table.h"
#include "image/read/warn.h"

#include <lzma.h>

/* What .gnu_debugdata may unpack to. A symbol table of this size has 10^6 names. */
enum { UNPACKED_LIMIT = 128 * 1024 * 1024 };
static const uint64_t unpack_memory_limit = 256ull * 1024 * 1024;

void image_id_path(const uint8_t *id, size_t size, struct text *path)
{
	text_format(path, "/usr/lib/debug/.build-id/%02x/", id[0]);
	for (size_t i = 1; i < size; i++)
		text_format(path, "%02x", id[i]);
	text_add(path, ".debug");
}

void image_debug_path(const struct image *image, struct text *path)
{
	image_id_path(image->build_id, image->build_id_size, path);
}

/* Adds the symbols of a file that belongs to the image. */
static void add_table(struct reader *reader, struct elf_file *elf, struct bytes bytes,
		      enum symbol_source source)
{
	struct symbol_table *table = &reader->symbol_tables[reader->symbol_table_count];
	struct trm_error *error = image_elf_init(elf, bytes);

	if (error) {
		image_warn(reader, "debug file: %s", error->message);
		trm_error_destroy(error);
		return;
	}
	reader->budget += 4 * bytes.size;
	if (!image_symtab_of(elf, source, table))
		return;
	table->version_suffixes = reader->dynamic_present[DYNAMIC_VERDEF];
	reader->symbol_table_count++;
}

static void add_separate_file(struct debug_files *files, struct reader *reader)
{
	const struct image *image = reader->image;
	struct elf_file elf = {0};
	struct text path = {0};
	unsigned char id[32];

	image_debug_path(image, &path);
	files->mapped = image_map_file(path.data);
	if (files->mapped.size) {
		struct trm_error *error = image_elf_init(&elf, files->mapped);

		if (!error &&
		    image_build_id_of_sections(&elf, id) == image->build_id_size &&
		    memcmp(id, image->build_id, image->build_id_size) == 0)
			add_table(reader, &files->mapped_elf, files->mapped,
				  SOURCE_DEBUG_FILE);
		else
			image_warn(reader, "'%s' belongs to another file", path.data);
		trm_error_destroy(error);
		image_elf_deinit(&elf);
	}
	text_deinit(&path);
}

/* The same with the file that .gnu_debuglink names. */
static void add_linked_file(struct debug_files *files, struct reader *reader)
{
	struct text path = {0};

	if (image_debuglink_path(reader->image, &reader->elf, &path))
		files->mapped = image_map_file(path.data);
	if (files->mapped.size)
		add_table(reader, &files->mapped_elf, files->mapped, SOURCE_DEBUG_FILE);
	text_deinit(&path);
}

/* The same with the one that the host of the measurement had. */
static void add_found_file(struct debug_files *files, struct reader *reader)
{
	char *path = image_lookup(reader->image, IMAGE_PART_SYMBOLS);

	if (path)
		files->mapped = image_map_file(path);
	if (files->mapped.size)
		add_table(reader, &files->mapped_elf, files->mapped, SOURCE_DEBUG_FILE);
	free(path);
}

/* Unpacks an .xz stream into allocated bytes; empty if it is damaged or too large. */
static struct bytes unpack_bytes(struct bytes packed)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct VECTOR(uint8_t) output = {0};
	lzma_ret state = lzma_stream_decoder(&stream, unpack_memory_limit, 0);

	stream.next_in = packed.data;
	stream.avail_in = packed.size;
	while (state == LZMA_OK && output.count < UNPACKED_LIMIT) {
		vector_reserve(&output, output.count + 64 * 1024);
		stream.next_out = output.items + output.count;
		stream.avail_out = output.capacity - output.count;
		state = lzma_code(&stream, LZMA_FINISH);
		output.count = output.capacity - stream.avail_out;
	}
	lzma_end(&stream);
	if (state != LZMA_STREAM_END)
		vector_deinit(&output);
	return (struct bytes){output.items, output.count};
}

static void add_packed_data(struct debug_files *files, struct reader *reader)
{
	const Elf64_Shdr *section = image_section_named(&reader->elf, ".gnu_debugdata");
	struct bytes packed;

	if (!section)
		return;
	packed = image_section_bytes(&reader->elf, section);
	if (packed.size)
		files->unpacked = unpack_bytes(packed);
	if (files->unpacked.size)
		add_table(reader, &files->unpacked_elf, files->unpacked,
			  SOURCE_DEBUG_DATA);
	else
		image_warn(reader, "the section .gnu_debugdata is damaged");
}

void image_debug_files_init(struct debug_files *files, struct reader *reader, bool search)
{
	*files = (struct debug_files){0};
	if (search && reader->image->build_id_size >= 2)
		add_separate_file(files, reader);
	if (search && !files->mapped.size &&
	    !image_section_of_type(&reader->elf, SHT_SYMTAB))
		add_linked_file(files, reader);
	if (search && !files->mapped.size &&
	    !image_section_of_type(&reader->elf, SHT_SYMTAB))
		add_found_file(files, reader);
	if (!image_section_of_type(&reader->elf, SHT_SYMTAB))
		add_packed_data(files, reader);
}

void image_debug_files_deinit(struct debug_files *files)
{
	image_elf_deinit(&files->mapped_elf);
	image_elf_deinit(&files->unpacked_elf);
	image_unmap_file(files->mapped);
	free((void *)(uintptr_t)files->unpacked.data);
}
