#include "image/image.h"

#include "base/cleanup.h"
#include "base/search.h"
#include "image/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { WARNING_LIMIT = 20 };

void image_warn(struct reader *reader, const char *format, ...)
{
	struct image *image = reader->image;
	va_list arguments;
	char *text;

	if (reader->opened->more_warnings)
		return;
	if (image->warnings.count == WARNING_LIMIT) {
		reader->opened->more_warnings = true;
		vector_push(&image->warnings, memory_copy_string("and more of the kind"));
		return;
	}
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = memory_copy_string(format);
	va_end(arguments);
	vector_push(&image->warnings, text);
}

bool image_spend(struct reader *reader, uint64_t amount)
{
	if (amount <= reader->budget) {
		reader->budget -= amount;
		return true;
	}
	if (!reader->exhausted)
		image_warn(reader,
			   "tables refer to the same bytes over and over; the rest of "
			   "them is left out");
	reader->exhausted = true;
	return false;
}

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
	reader->name_bytes = name_bytes_of(reader);
	image_find_go_table(reader);
	image_read_relocations(reader);
	image_read_frames(reader);
	keep_references(reader);
	image_read_symbols(reader);
	image_read_go_functions(reader);
	image_read_sequences(reader);
	image_discover_functions(reader);
	image_find_checked(reader);
	image_debug_files_deinit(&files);
	return NULL;
}

/* Reads the bytes of `opened`, which is closed on error. */
static struct trm_error *finish_opening(struct opened *opened, bool search_debug_file,
					struct image **ret_image)
{
	struct reader reader = {.opened = opened, .image = &opened->image};
	struct trm_error *error;

	reader.budget = 4 * (uint64_t)opened->image.size + (1 << 20);
	error = read_image(&reader, search_debug_file);
	reader_deinit(&reader);
	if (error) {
		error = trm_error_prefix(error, "\"%s\"", opened->image.path);
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
		return trm_error_system(errno, "cannot read \"%s\"", shown);
	if (S_ISDIR(status.st_mode))
		return trm_error_system(EISDIR, "cannot read \"%s\"", shown);
	if (!S_ISREG(status.st_mode) || status.st_size == 0)
		return trm_error_create(TRM_ERROR_FORMAT, "\"%s\": not an ELF file",
					shown);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return trm_error_system(errno, "cannot map \"%s\"", shown);
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

const struct image_link *image_link_at(const struct image *image, uint64_t word)
{
	size_t low = search_first(image->links.count, middle,
				  image->links.items[middle].place < word);

	if (low == image->links.count || image->links.items[low].place != word)
		return NULL;
	return &image->links.items[low];
}

const struct image_function *image_function_around(const struct image *image,
						   uint64_t address)
{
	size_t low = search_first(image->functions.count, middle,
				  image->functions.items[middle].address <= address);

	return low ? &image->functions.items[low - 1] : NULL;
}

size_t image_function_at(const struct image *image, uint64_t address)
{
	const struct image_function *function = image_function_around(image, address);

	if (function && function->address == address)
		return (size_t)(function - image->functions.items);
	return image->functions.count;
}

/* Whether a symbol has this name, whatever its version. */
static bool symbol_named(const struct symbol_table *table, const Elf64_Sym *symbol,
			 const char *name, size_t size)
{
	const char *own;

	if (symbol->st_name >= table->strings.size)
		return false;
	own = (const char *)table->strings.data + symbol->st_name;
	if (strncmp(own, name, size) != 0)
		return false;
	return !own[size] || (table->version_suffixes && own[size] == '@');
}

bool image_find_function(const struct image *image, const char *name,
			 uint64_t *ret_address)
{
	const struct opened *opened = (const struct opened *)image;
	enum symbol_rank best = RANK_NAMELESS;
	size_t size = strlen(name);
	Elf64_Sym symbol;

	for (size_t i = 0; i < opened->table_count && size; i++) {
		const struct symbol_table *table = &opened->tables[i];

		for (size_t index = 1; image_symbol_at(table, index, &symbol); index++) {
			enum symbol_rank rank;

			if (symbol.st_shndx == SHN_UNDEF ||
			    !symbol_named(table, &symbol, name, size) ||
			    image_function_at(image, symbol.st_value) ==
				    image->functions.count)
				continue;
			rank = image_symbol_rank(table, index, &symbol);
			if (rank > best ||
			    (rank == best && symbol.st_value >= *ret_address))
				continue;
			best = rank;
			*ret_address = symbol.st_value;
		}
	}
	return best < RANK_NAMELESS;
}

enum image_kind image_probe(int fd)
{
	Elf64_Ehdr header = {0};
	ssize_t size = pread(fd, &header, sizeof(header), 0);

	if (size >= 2 && memcmp(header.e_ident, "#!", 2) == 0)
		return IMAGE_KIND_SCRIPT;
	if (size < (ssize_t)sizeof(Elf32_Ehdr) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return IMAGE_KIND_OTHER;
	if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_X86_64)
		return IMAGE_KIND_FOREIGN;
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return IMAGE_KIND_OTHER;
	return size == sizeof(header) ? IMAGE_KIND_NATIVE : IMAGE_KIND_OTHER;
}

bool image_is_static(int fd)
{
	Elf64_Ehdr header = {0};
	Elf64_Phdr segment;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		return false;
	for (size_t i = 0; i < header.e_phnum; i++) {
		off_t at = (off_t)(header.e_phoff + i * sizeof(segment));

		if (pread(fd, &segment, sizeof(segment), at) != sizeof(segment) ||
		    segment.p_type == PT_INTERP)
			return false;
	}
	return header.e_phnum > 0;
}

bool image_is_build(const struct image *image, const char *build_id)
{
	char own[2 * sizeof(image->build_id) + 1] = "";

	for (size_t i = 0; i < image->build_id_size; i++)
		snprintf(own + 2 * i, 3, "%02x", image->build_id[i]);
	return !strcmp(own, build_id);
}
