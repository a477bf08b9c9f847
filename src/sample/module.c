#include "sample/module.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "base/search.h"
#include "base/text.h"
#include "image/demangle.h"
#include "image/find.h"
#include "image/frame_index.h"
#include "image/open.h"
#include "sample/kernel.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VDSO_SIZE_MAX = 1 << 20 };

/* The file that a process sees at a path, if it is the one that was mapped. Nothing but a
 * file is opened: to open a device can change it. */
static int open_file(const char *path, uint64_t inode)
{
	struct stat status;
	char own[64];
	scoped_fd int found = open(path, O_PATH | O_CLOEXEC);

	if (found < 0 || fstat(found, &status) || !S_ISREG(status.st_mode) ||
	    (inode && status.st_ino != inode))
		return -1;
	snprintf(own, sizeof(own), "/proc/self/fd/%d", found);
	return open(own, O_RDONLY | O_CLOEXEC);
}

static void map_file(struct sample_module *module, pid_t pid, uint64_t inode)
{
	struct text inside = {0};
	struct stat status;
	void *bytes;

	text_format(&inside, "/proc/%d/root%s", (int)pid, module->path);
	scoped_fd int fd = open_file(module->path, inode);

	if (fd < 0)
		fd = open_file(inside.data, inode);
	text_deinit(&inside);
	if (fd < 0 || fstat(fd, &status) || status.st_size <= 0)
		return;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return;
	module->bytes = bytes;
	module->size = (size_t)status.st_size;
	module->is_file = true;
}

/* It is the same in all processes, and one segment from its start on. */
static void take_vdso(struct sample_module *module)
{
	const void *own = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct headers headers;
	Elf64_Phdr segment;
	Elf64_Ehdr header;

	if (!own ||
	    !headers_open(own, sizeof(Elf64_Ehdr) + 16 * sizeof(Elf64_Phdr), &headers) ||
	    !headers_find(&headers, PT_LOAD, &segment) || segment.p_offset ||
	    segment.p_filesz > VDSO_SIZE_MAX)
		return;
	memcpy(&header, own, sizeof(header));
	module->bytes = own;
	module->size = segment.p_filesz;
	/* Section headers, for the names, lie behind the segment. */
	if (header.e_shoff && header.e_shoff < VDSO_SIZE_MAX) {
		uint64_t end =
			header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize;

		if (end > module->size && end < (module->size | 4095))
			module->size = end;
	}
}

static void find_unwind(struct sample_module *module)
{
	module->has_unwind =
		image_find_unwind(module->bytes, module->size, &module->unwind);
	if (module->has_unwind)
		return;
	module->has_unwind =
		image_index_frames(module->bytes, module->size, &module->unwind);
	module->indexed = module->has_unwind ? module->unwind.bytes : NULL;
}

static uint32_t add_module(struct sample_modules *modules, const char *path)
{
	struct sample_module *module = memory_allocate_zeroed(1, sizeof(*module));

	module->path = memory_copy_string(path);
	vector_push(&modules->items, module);
	return (uint32_t)modules->items.count - 1;
}

uint32_t sample_modules_find(struct sample_modules *modules, pid_t pid, const char *path,
			     uint64_t inode)
{
	const uint64_t key = hash_bytes(path, strlen(path)) ^ inode * 0x9e3779b97f4a7c15;
	uint64_t *index = table_insert(&modules->by_file, key, NULL);

	if (!*index) {
		struct sample_module *module;
		uint32_t added = add_module(modules, path);

		*index = added + 1;
		module = modules->items.items[added];
		if (!strcmp(path, "[vdso]"))
			take_vdso(module);
		else
			map_file(module, pid, inode);
		if (module->bytes)
			find_unwind(module);
	}
	return (uint32_t)*index - 1;
}

uint32_t sample_modules_generated(struct sample_modules *modules, uint32_t image,
				  const char *path)
{
	const uint64_t key = ~((uint64_t)image << 1 | (path != NULL));
	uint64_t *index = table_insert(&modules->by_file, key, NULL);

	if (!*index) {
		*index = add_module(modules, path ? path : "[generated]") + 1;
		modules->items.items[*index - 1]->owner = image + 1;
	}
	return (uint32_t)*index - 1;
}

void sample_module_clear(struct sample_module *module)
{
	vector_for_each (&module->functions, function)
		free(function->name);
	module->functions.count = 0;
}

static void destroy_module(struct sample_module *module)
{
	image_close(module->image);
	free((void *)(uintptr_t)module->indexed);
	if (module->is_file)
		munmap((void *)(uintptr_t)module->bytes, module->size);
	sample_module_clear(module);
	vector_deinit(&module->functions);
	table_deinit(&module->rules);
	vector_deinit(&module->kept);
	free(module->path);
	free(module);
}

void sample_modules_deinit(struct sample_modules *modules)
{
	vector_for_each (&modules->items, module)
		destroy_module(*module);
	vector_deinit(&modules->items);
	table_deinit(&modules->by_file);
}

uint64_t sample_module_delta(const struct sample_module *module, uint64_t start,
			     uint64_t size, uint64_t file_offset)
{
	struct headers headers;
	Elf64_Phdr segment;

	if (!module->bytes || !headers_open(module->bytes, module->size, &headers))
		return file_offset - start;
	for (unsigned i = 0; headers_read(&headers, i, &segment); i++)
		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X &&
		    segment.p_offset < file_offset + size &&
		    file_offset < segment.p_offset + segment.p_filesz)
			return file_offset - start + segment.p_vaddr - segment.p_offset;
	return file_offset - start;
}

bool sample_module_rule(struct sample_module *module, uint64_t address,
			struct unwind_rule *ret_rule)
{
	const struct unwind_tables tables = {module->unwind.header, module->unwind.start,
					     module->unwind.end, module->unwind.bytes};
	bool made;
	uint64_t *index;

	if (!module->has_unwind)
		return false;
	index = table_insert(&module->rules, address, &made);
	if (made && unwind_find_rule(&tables, address, ret_rule)) {
		vector_push(&module->kept, *ret_rule);
		*index = module->kept.count;
	}
	if (!*index)
		return false;
	*ret_rule = module->kept.items[*index - 1];
	return true;
}

void sample_module_add(struct sample_module *module, uint64_t start, uint64_t size,
		       const char *name)
{
	vector_push(&module->functions,
		    ((struct sample_generated){
			    .start = start,
			    .size = size,
			    .name = memory_copy_string(name),
			    .number = (uint32_t)module->functions.count,
		    }));
	module->is_sorted = false;
}

static int by_start(const void *left, const void *right)
{
	const struct sample_generated *a = left, *b = right;

	return compare_numbers(a->start, b->start)
		       ?: compare_numbers(a->number, b->number);
}

/* Sorts them, and leaves the last one of each start. */
static void sort_functions(struct sample_module *module)
{
	const size_t count = module->functions.count;
	struct sample_generated *items = module->functions.items;
	size_t kept = 0;

	if (count)
		qsort(items, count, sizeof(*items), by_start);
	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count && items[i + 1].start == items[i].start)
			free(items[i].name);
		else
			items[kept++] = items[i];
	}
	module->functions.count = kept;
	module->is_sorted = true;
}

static bool name_generated(struct sample_module *module, uint64_t address,
			   struct sample_name *name)
{
	const struct sample_generated *function;
	size_t behind;

	if (!module->is_sorted)
		sort_functions(module);
	behind = search_first(module->functions.count, i,
			      module->functions.items[i].start <= address);
	if (!behind)
		return false;
	function = &module->functions.items[behind - 1];
	if (address - function->start >= function->size)
		return false;
	*name = (struct sample_name){memory_copy_string(function->name), function->start};
	return true;
}

/* The function that has the address, in its own code or in a part that lies elsewhere. */
static const struct image_function *function_of(const struct image *image,
						uint64_t address)
{
	const struct image_function *found = image_function_around(image, address);
	size_t behind = search_first(image->parts.count, i,
				     image->parts.items[i].address <= address);
	const struct image_function *part =
		behind ? &image->parts.items[behind - 1] : NULL;

	if (part && address - part->address < part->size) {
		size_t whole = image_function_at(image, part->part_of);

		return whole < image->functions.count ? &image->functions.items[whole]
						      : NULL;
	}
	return found && address - found->address < found->size ? found : NULL;
}

static bool name_function(struct sample_module *module, uint64_t address,
			  struct sample_name *name)
{
	const struct image_function *function;
	char unnamed[32];

	if (!module->opened && module->bytes)
		trm_error_destroy(image_open_mapped(module->bytes, module->size,
						    module->path, &module->image));
	module->opened = true;
	function = module->image ? function_of(module->image, address) : NULL;
	if (!function)
		return false;
	snprintf(unnamed, sizeof(unnamed), "sub_%" PRIx64, function->address);
	name->offset = function->address;
	name->function =
		function->name
			? image_demangle(module->image->names.items + function->name)
			: memory_copy_string(unnamed);
	return true;
}

struct sample_name sample_module_name(struct sample_module *module, uint64_t address)
{
	const char *path = module->path;
	struct sample_name name = {.offset = address};
	struct text text = {0};

	if (module->owner ? name_generated(module, address, &name)
			  : name_function(module, address, &name))
		return name;
	if (!strcmp(path, SAMPLE_KERNEL) && !module->functions.count)
		return (struct sample_name){memory_copy_string(path), 0};
	if (*path == '[')
		text_format(&text, "%.*s+0x%" PRIx64 "]", (int)strcspn(path, "]"), path,
			    address);
	else
		text_format(&text, "[%s+0x%" PRIx64 "]", path_name(path), address);
	name.function = text.data;
	return name;
}
