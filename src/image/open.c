#include "image/open.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "image/imports.h"
#include "image/opened.h"
#include "image/read/checked.h"
#include "image/read/debugfile.h"
#include "image/read/discover.h"
#include "image/read/elf_file.h"
#include "image/read/frames.h"
#include "image/read/give_back.h"
#include "image/read/gopclntab.h"
#include "image/read/reader.h"
#include "image/read/relocs.h"
#include "image/read/segments.h"
#include "image/read/symbols.h"
#include "image/read/warn.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

static void reader_deinit(struct reader *reader)
{
	image_elf_deinit(&reader->elf);
	vector_deinit(&reader->code);
	vector_deinit(&reader->word_ranges);
	vector_deinit(&reader->words);
	vector_deinit(&reader->symbols);
	vector_deinit(&reader->frames);
	vector_deinit(&reader->resolvers);
	vector_deinit(&reader->references);
	vector_deinit(&reader->entries);
}

/* Keeps the tables that lie in the file itself, for image_find_function. */
static void keep_tables(struct reader *reader)
{
	struct opened *opened = reader->opened;

	for (size_t i = 0; i < reader->symbol_table_count; i++) {
		if (reader->symbol_tables[i].source <= SOURCE_DYNSYM)
			opened->tables[opened->table_count++] = reader->symbol_tables[i];
	}
}

/* Room for the names of all functions: the string tables', and half for sharing. */
static uint64_t name_bytes_of(const struct reader *reader)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < reader->symbol_table_count; i++)
		sum += reader->symbol_tables[i].strings.size;
	return sum + sum / 2;
}

/* Before symbols come among the targets: what leads to code beside them. */
static void keep_references(struct reader *reader)
{
	vector_for_each (&reader->image->targets, target)
		vector_push(&reader->references, *target);
	vector_for_each (&reader->entries, entry)
		vector_push(&reader->references, *entry);
}

/* What is read, one after the other. */
static const struct {
	void (*read)(struct reader *reader);
	bool never_names; /* no function is found or named by it */
} steps[] = {
	{image_find_go_table, false}, {image_read_relocations, false},
	{image_read_frames, false},   {keep_references, true},
	{image_read_symbols, false},  {image_read_go_functions, false},
	{image_read_sequences, true}, {image_discover_functions, false},
	{image_find_checked, true},
};

static struct trm_error *read_image(struct reader *reader, bool search_debug_file)
{
	struct image *image = reader->image;
	struct bytes bytes = {image->bytes, image->size};
	struct debug_files files;

	TRM_TRY(image_elf_init(&reader->elf, bytes));
	if (reader->elf.bad_sections)
		image_warn(reader, "section headers are damaged");
	image->type =
		reader->elf.header.e_type == ET_EXEC ? IMAGE_EXECUTABLE : IMAGE_DYNAMIC;
	image->entry = reader->elf.header.e_entry;
	TRM_TRY(image_read_segments(reader));
	if (!reader->code_by_segments)
		vector_for_each (&reader->code, range)
			vector_push(&image->code, *range);
	image_find_symbol_tables(reader);
	keep_tables(reader);
	image_debug_files_init(&files, reader, search_debug_file);
	reader->debug_file = files.mapped;
	reader->name_bytes = name_bytes_of(reader);
	for (size_t i = 0; i < array_count(steps); i++) {
		if (reader->names_only && steps[i].never_names)
			continue;
		steps[i].read(reader);
		image_give_back(reader);
	}
	image_debug_files_deinit(&files);
	return NULL;
}

/* Reads the bytes of `opened`, which is closed on error. */
static struct trm_error *finish_opening(struct opened *opened, bool search_debug_file,
					struct image **ret_image)
{
	struct reader reader = {.opened = opened,
				.image = &opened->image,
				.names_only = opened->names_only,
				.gives_back = opened->gives_back,
				.wanted = opened->wanted};
	struct trm_error *error;

	reader.budget = 4 * (uint64_t)opened->image.size + (1 << 20);
	error = read_image(&reader, search_debug_file);
	reader_deinit(&reader);
	if (error) {
		error = trm_error_prefix(error, "'%s'", opened->image.path);
		image_close(&opened->image);
		return error;
	}
	*ret_image = &opened->image;
	return NULL;
}

static struct trm_error *map_whole(const char *path, const char *shown, void **ret_bytes,
				   size_t *ret_size)
{
	/* Opening a FIFO would wait for its writer. */
	scoped_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	void *bytes;

	if (fd < 0 || fstat(fd, &status) != 0)
		return trm_error_system(errno, "cannot read '%s'", shown);
	if (S_ISDIR(status.st_mode))
		return trm_error_system(EISDIR, "cannot read '%s'", shown);
	if (!S_ISREG(status.st_mode) || status.st_size == 0)
		return trm_error_create(TRM_ERROR_FORMAT, "'%s': not an ELF file", shown);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return trm_error_system(errno, "cannot map '%s'", shown);
	*ret_bytes = bytes;
	*ret_size = (size_t)status.st_size;
	return NULL;
}

/* Nothing is read yet. */
static struct opened *new_opened(const void *bytes, size_t size, const char *path)
{
	struct opened *opened = memory_allocate_zeroed(1, sizeof(*opened));

	opened->image.path = memory_copy_string(path);
	opened->image.bytes = bytes;
	opened->image.size = size;
	return opened;
}

struct trm_error *image_open(const char *path, const char *display_path,
			     struct image **ret_image)
{
	const char *shown = display_path ? display_path : path;
	struct opened *opened;
	void *bytes = NULL;
	size_t size = 0;

	TRM_TRY(map_whole(path, shown, &bytes, &size));
	opened = new_opened(bytes, size, shown);
	opened->mapped = true;
	return finish_opening(opened, true, ret_image);
}

struct trm_error *image_open_memory(const void *bytes, size_t size,
				    struct image **ret_image)
{
	return finish_opening(new_opened(bytes, size, "(memory)"), false, ret_image);
}

struct trm_error *image_open_mapped(const void *bytes, size_t size, const char *path,
				    struct image **ret_image)
{
	return finish_opening(new_opened(bytes, size, path), true, ret_image);
}

struct trm_error *image_open_names(const void *bytes, size_t size, const char *path,
				   bool is_file, const struct image_wanted *wanted,
				   struct image **ret_image)
{
	struct opened *opened = new_opened(bytes, size, path);

	opened->names_only = true;
	opened->gives_back = is_file;
	opened->wanted = wanted;
	return finish_opening(opened, true, ret_image);
}

void image_close(struct image *image)
{
	struct opened *opened = (struct opened *)image;

	if (!image)
		return;
	if (opened->mapped)
		munmap((void *)(uintptr_t)image->bytes, image->size);
	vector_for_each (&image->warnings, warning)
		free(*warning);
	vector_deinit(&image->warnings);
	vector_for_each (&opened->aliases, alias)
		free(alias->name);
	vector_deinit(&opened->aliases);
	image_imports_destroy(image->imports);
	vector_deinit(&image->segments);
	vector_deinit(&image->functions);
	vector_deinit(&image->cold_parts);
	vector_deinit(&image->parts);
	vector_deinit(&image->code);
	vector_deinit(&image->plt);
	vector_deinit(&image->links);
	vector_deinit(&image->targets);
	vector_deinit(&image->untouchable);
	vector_deinit(&image->checked);
	vector_deinit(&image->names);
	free(image->path);
	free(opened);
}
