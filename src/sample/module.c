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
#include <malloc.h>
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

static uint64_t identity_of(const char *path, const struct stat *status)
{
	const uint64_t parts[] = {
		hash_bytes(path, strlen(path)),    status->st_ino,
		(uint64_t)status->st_size,         (uint64_t)status->st_mtim.tv_sec,
		(uint64_t)status->st_mtim.tv_nsec,
	};

	return hash_bytes(parts, sizeof(parts));
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
	module->identity = identity_of(module->path, &status);
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
	module->serial = ++modules->serials;
	vector_push(&modules->items, module);
	return (uint32_t)modules->items.count - 1;
}

/* Whether the file was written over since it was read. */
static bool is_changed(const struct sample_module *module, uint64_t inode)
{
	struct stat status;

	return module->is_file && inode && !stat(module->path, &status) &&
	       status.st_ino == inode &&
	       identity_of(module->path, &status) != module->identity;
}

static void note_identity(struct sample_modules *modules, struct sample_module *module)
{
	bool is_new;
	uint64_t *first = table_insert(
		&modules->first, hash_bytes(module->path, strlen(module->path)), &is_new);

	if (is_new)
		*first = module->identity;
	module->is_other = *first != module->identity;
}

uint32_t sample_modules_find(struct sample_modules *modules, pid_t pid, const char *path,
			     uint64_t inode)
{
	const uint64_t key = hash_bytes(path, strlen(path)) ^ inode * 0x9e3779b97f4a7c15;
	uint64_t *index = table_insert(&modules->by_file, key, NULL);

	if (!*index || is_changed(modules->items.items[*index - 1], inode)) {
		struct sample_module *module;
		uint32_t added = add_module(modules, path);

		*index = added + 1;
		module = modules->items.items[added];
		module->key = key;
		if (!strcmp(path, "[vdso]"))
			take_vdso(module);
		else
			map_file(module, pid, inode);
		if (module->bytes)
			find_unwind(module);
		note_identity(modules, module);
	}
	return (uint32_t)*index - 1;
}

/* A module that is no file, and the same for all processes. */
static uint32_t find_listed(struct sample_modules *modules, const char *name)
{
	const uint64_t key = hash_bytes(name, strlen(name));
	uint64_t *index = table_insert(&modules->by_file, key, NULL);

	if (!*index) {
		*index = add_module(modules, name) + 1;
		modules->items.items[*index - 1]->key = key;
		modules->items.items[*index - 1]->is_listed = true;
	}
	return (uint32_t)*index - 1;
}

uint32_t sample_modules_kernel(struct sample_modules *modules)
{
	return find_listed(modules, SAMPLE_KERNEL);
}

uint32_t sample_modules_trammel(struct sample_modules *modules)
{
	return find_listed(modules, SAMPLE_TRAMMEL);
}

uint64_t sample_module_key(uint32_t image, bool by_dump)
{
	return ~((uint64_t)image << 1 | by_dump);
}

uint32_t sample_modules_generated(struct sample_modules *modules, uint32_t image,
				  const char *path)
{
	const uint64_t key = sample_module_key(image, path != NULL);
	uint64_t *index = table_insert(&modules->by_file, key, NULL);

	if (!*index) {
		*index = add_module(modules, path ? path : "[generated]") + 1;
		modules->items.items[*index - 1]->owner = image + 1;
		modules->items.items[*index - 1]->key = key;
		modules->items.items[*index - 1]->is_listed = true;
	}
	return (uint32_t)*index - 1;
}

void sample_module_clear(struct sample_module *module)
{
	vector_for_each (&module->functions, function)
		free(function->name);
	module->functions.count = 0;
}

static void clear_ranges(struct sample_module *module)
{
	vector_for_each (&module->ranges, range)
		free(range->name);
	module->ranges.count = 0;
}

static bool is_kernel(const struct sample_module *module)
{
	return !strcmp(module->path, SAMPLE_KERNEL);
}

void sample_module_release(struct sample_module *module)
{
	/* So many that what they leave in the heap would stay under the next ones. */
	const bool many = module->image || (is_kernel(module) && module->functions.count);

	if (is_kernel(module)) {
		sample_module_clear(module);
		vector_deinit(&module->functions);
	}
	image_close(module->image);
	module->image = NULL;
	module->opened = false;
	module->wanted.count = 0;
	if (module->is_file)
		madvise((void *)(uintptr_t)module->bytes, module->size, MADV_DONTNEED);
	if (many)
		malloc_trim(0);
}

void sample_module_destroy(struct sample_module *module)
{
	image_close(module->image);
	clear_ranges(module);
	vector_deinit(&module->ranges);
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
		sample_module_destroy(*module);
	vector_deinit(&modules->items);
	table_deinit(&modules->by_file);
	table_deinit(&modules->first);
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

static const struct sample_generated *find_generated(struct sample_module *module,
						     uint64_t address)
{
	const struct sample_generated *function;
	size_t behind;

	if (!module->is_sorted)
		sort_functions(module);
	behind = search_first(module->functions.count, i,
			      module->functions.items[i].start <= address);
	if (!behind)
		return NULL;
	function = &module->functions.items[behind - 1];
	return address - function->start < function->size ? function : NULL;
}

static bool name_generated(struct sample_module *module, uint64_t address,
			   struct sample_name *name)
{
	const struct sample_generated *function = find_generated(module, address);

	if (!function)
		return false;
	*name = (struct sample_name){memory_copy_string(function->name), function->start};
	return true;
}

/* The function that has the address, in its own code or in a part that lies elsewhere. */
static const struct image_function *function_of(const struct image *image,
						uint64_t address,
						const struct image_function **ret_code)
{
	const struct image_function *found = image_function_around(image, address);
	size_t behind = search_first(image->parts.count, i,
				     image->parts.items[i].address <= address);
	const struct image_function *part =
		behind ? &image->parts.items[behind - 1] : NULL;

	if (part && address - part->address < part->size) {
		size_t whole = image_function_at(image, part->part_of);

		*ret_code = part;
		return whole < image->functions.count ? &image->functions.items[whole]
						      : NULL;
	}
	*ret_code = found;
	return found && address - found->address < found->size ? found : NULL;
}

static bool has_address(const struct image_wanted *wanted, uint64_t address)
{
	const size_t at = search_first(wanted->count, i, wanted->addresses[i] < address);

	return at < wanted->count && wanted->addresses[at] == address;
}

static void open_image(struct sample_module *module, uint64_t address)
{
	if (module->wanted.count && !has_address(&module->wanted, address)) {
		/* It was not read for this one. */
		module->wanted.count = 0;
		image_close(take_pointer(module->image));
		module->opened = false;
	}
	if (!module->opened && module->bytes)
		trm_error_destroy(image_open_names(
			module->bytes, module->size, module->path, module->is_file,
			module->wanted.count ? &module->wanted : NULL, &module->image));
	module->opened = true;
	if (!module->image)
		return;
	for (size_t i = 0; i < module->image->build_id_size; i++)
		snprintf(module->build + 2 * i, 3, "%02x", module->image->build_id[i]);
	module->function_count = module->image->functions.count + module->image->left_out;
}

/* The kernel's list is read again if it was given back. */
static struct sample_range find_kernel_range(struct sample_module *module,
					     uint64_t address)
{
	const struct sample_generated *function;

	if (!module->functions.count && module->function_count)
		kernel_load(module);
	function = find_generated(module, address);
	if (!function)
		return (struct sample_range){address, address + 1, 0, NULL};
	return (struct sample_range){function->start, function->start + function->size,
				     function->start, memory_copy_string(function->name)};
}

/* The code around an address that has one name. */
static struct sample_range find_range(struct sample_module *module, uint64_t address)
{
	struct sample_range range = {address, address + 1, 0, NULL};
	const struct image_function *code = NULL, *function;
	char unnamed[32];

	if (is_kernel(module))
		return find_kernel_range(module, address);
	open_image(module, address);
	function = module->image ? function_of(module->image, address, &code) : NULL;
	if (!function)
		return range;
	snprintf(unnamed, sizeof(unnamed), "sub_%" PRIx64, function->address);
	range.start = code->address;
	range.end = code->address + code->size;
	range.offset = function->address;
	range.name = function->name
			     ? image_demangle(module->image->names.items + function->name)
			     : memory_copy_string(unnamed);
	return range;
}

/* Names are kept, so that a file need not be open to name what was named before. */
static bool name_function(struct sample_module *module, uint64_t address,
			  struct sample_name *name)
{
	enum { RANGES_MAX = 1 << 15 };
	const struct sample_range *range;
	size_t at = search_first(module->ranges.count, i,
				 module->ranges.items[i].end <= address);

	if (at == module->ranges.count || module->ranges.items[at].start > address) {
		const struct sample_range found = find_range(module, address);

		if (module->ranges.count >= RANGES_MAX)
			clear_ranges(module);
		at = search_first(module->ranges.count, i,
				  module->ranges.items[i].end <= found.start);
		vector_push(&module->ranges, found);
		memmove(module->ranges.items + at + 1, module->ranges.items + at,
			(module->ranges.count - 1 - at) * sizeof(found));
		module->ranges.items[at] = found;
	}
	range = &module->ranges.items[at];
	if (!range->name)
		return false;
	*name = (struct sample_name){memory_copy_string(range->name), range->offset};
	return true;
}

struct sample_name sample_module_name(struct sample_module *module, uint64_t address)
{
	const char *path = module->path;
	struct sample_name name = {.offset = address};
	struct text text = {0};

	if (module->is_listed && !is_kernel(module)
		    ? name_generated(module, address, &name)
		    : name_function(module, address, &name))
		return name;
	if ((is_kernel(module) && !module->function_count) ||
	    !strcmp(path, SAMPLE_TRAMMEL))
		return (struct sample_name){memory_copy_string(path), 0};
	if (*path == '[')
		text_format(&text, "%.*s+0x%" PRIx64 "]", (int)strcspn(path, "]"), path,
			    address);
	else
		text_format(&text, "[%s+0x%" PRIx64 "]", path_name(path), address);
	name.function = text.data;
	return name;
}
