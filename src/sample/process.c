#include "sample/process.h"

#include "base/cleanup.h"
#include "base/search.h"
#include "sample/jit.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t add_image(struct sample_processes *processes, uint32_t pid,
			  uint32_t parent)
{
	const uint32_t index = (uint32_t)processes->images.count;
	struct sample_image *image = vector_add(&processes->images);

	image->pid = pid;
	image->parent = parent;
	image->begin_ns = processes->now_ns;
	*table_insert(&processes->by_pid, pid, NULL) = index + 1;
	return index;
}

uint32_t sample_processes_find(struct sample_processes *processes, uint32_t pid)
{
	uint64_t index;

	if (table_find(&processes->by_pid, pid, &index) && index)
		return (uint32_t)index - 1;
	return add_image(processes, pid, 0);
}

void sample_processes_execute(struct sample_processes *processes, uint32_t pid)
{
	const uint32_t before = sample_processes_find(processes, pid);
	struct sample_image *old = &processes->images.items[before];
	const uint32_t parent = old->parent;

	/* The first exec of all comes before anything else of the process is seen. */
	if (!old->maps.count && !old->threads && !old->program)
		return;
	old->executed = true;
	add_image(processes, pid, parent);
}

void sample_processes_fork(struct sample_processes *processes, uint32_t pid,
			   uint32_t parent)
{
	uint32_t from, index;
	uint64_t known;

	if (pid == parent)
		return;
	/* A pid can come again. */
	if (table_find(&processes->by_pid, pid, &known) && known)
		processes->images.items[known - 1].ended = true;
	from = sample_processes_find(processes, parent);
	index = add_image(processes, pid, parent);
	struct sample_image *image = &processes->images.items[index];
	const struct sample_image *old = &processes->images.items[from];

	image->program = old->program ? memory_copy_string(old->program) : NULL;
	if (!old->maps.count)
		return;
	vector_reserve(&image->maps, old->maps.count);
	memcpy(image->maps.items, old->maps.items,
	       old->maps.count * sizeof(*old->maps.items));
	image->maps.count = old->maps.count;
}

void sample_processes_thread(struct sample_processes *processes, uint32_t pid,
			     uint32_t tid)
{
	const uint32_t image = sample_processes_find(processes, pid);
	bool made;

	table_insert(&processes->threads, (uint64_t)image << 32 | tid, &made);
	processes->images.items[image].threads += made;
}

uint64_t sample_processes_kind(const struct sample_processes *processes, uint32_t index)
{
	const struct sample_image *image = &processes->images.items[index];
	const char *program = image->program ? image->program : "";
	/* Zero is none. */
	uint64_t kind = hash_bytes(program, strlen(program)) | 1;

	if (image->kind)
		return image->kind;
	for (size_t i = 0; i < image->maps.count; i++) {
		const struct sample_module *module =
			processes->modules.items.items[image->maps.items[i].module];

		/* A file is mapped in several parts. */
		if (module->is_other && (!i || image->maps.items[i - 1].module !=
						       image->maps.items[i].module))
			kind ^= module->identity << 1;
	}
	return kind;
}

void sample_processes_end(struct sample_processes *processes, uint32_t pid)
{
	/* Which may make an image, and so move them all. */
	const uint32_t index = sample_processes_find(processes, pid);
	struct sample_image *image = &processes->images.items[index];

	image->ended = true;
	/* Threads can outlive the first one. */
	if (!kill((pid_t)pid, 0) || errno == EPERM)
		return;
	image->kind = sample_processes_kind(processes, index);
	vector_deinit(&image->maps);
}

/* Takes [start, end) out of what is mapped. */
static void cut_out(struct sample_maps *maps, uint64_t start, uint64_t end)
{
	struct sample_maps kept = {0};

	for (size_t i = 0; i < maps->count; i++) {
		const struct sample_map map = maps->items[i];
		struct sample_map part = map;

		if (map.end <= start || map.start >= end) {
			vector_push(&kept, map);
			continue;
		}
		part.end = start;
		if (map.start < start)
			vector_push(&kept, part);
		part = map;
		part.start = end;
		if (map.end > end)
			vector_push(&kept, part);
	}
	vector_deinit(maps);
	*maps = kept;
}

static bool any_within(const struct sample_maps *maps, uint64_t start, uint64_t end)
{
	size_t at = search_first(maps->count, i, maps->items[i].end <= start);

	return at < maps->count && maps->items[at].start < end;
}

static void insert_map(struct sample_maps *maps, struct sample_map map)
{
	size_t at;

	if (any_within(maps, map.start, map.end))
		cut_out(maps, map.start, map.end);
	at = search_first(maps->count, i, maps->items[i].start < map.start);
	vector_push(maps, map);
	memmove(maps->items + at + 1, maps->items + at,
		(maps->count - 1 - at) * sizeof(*maps->items));
	maps->items[at] = map;
}

static bool is_file(const char *name)
{
	return (name[0] == '/' && name[1] != '/' && strncmp(name, "/memfd:", 7) != 0 &&
		strncmp(name, "/dev/zero", 9) != 0 && strncmp(name, "/SYSV", 5) != 0) ||
	       !strcmp(name, "[vdso]");
}

static uint32_t generated_module(struct sample_processes *processes, uint32_t index,
				 const char *path)
{
	const uint32_t module =
		sample_modules_generated(&processes->modules, index, path);

	processes->modules.items.items[module]->pid = processes->images.items[index].pid;
	return module;
}

/* A process tells of a jitdump file by mapping it. */
static void open_dump(struct sample_processes *processes, uint32_t index,
		      const char *path)
{
	struct sample_image *image = &processes->images.items[index];
	FILE *file = image->dump ? NULL : fopen(path, "re");

	if (!file)
		return;
	image->dump = jit_dump_create(file);
	image->dump_module = generated_module(processes, index, path);
	/* Samples that come next may be of what it tells of already. */
	jit_dump_read(image->dump, processes->modules.items.items[image->dump_module]);
}

void sample_processes_read_dumps(struct sample_processes *processes)
{
	vector_for_each (&processes->images, image)
		if (image->dump)
			jit_dump_read(image->dump,
				      processes->modules.items.items[image->dump_module]);
}

void sample_processes_map(struct sample_processes *processes, uint32_t pid,
			  const struct sample_mapping *mapping)
{
	const uint32_t index = sample_processes_find(processes, pid);
	struct sample_image *image = &processes->images.items[index];
	struct sample_map map = {mapping->start, mapping->start + mapping->size, 0, 0};
	const struct sample_module *module;

	if (map.end <= map.start)
		return;
	if (jit_is_dump(mapping->name)) {
		open_dump(processes, index, mapping->name);
		return;
	}
	if (!strncmp(mapping->name, "/memfd:trammel ", 15)) {
		map.module = sample_modules_trammel(&processes->modules);
		insert_map(&image->maps, map);
		return;
	}
	if (!is_file(mapping->name)) {
		map.module = generated_module(processes, index, NULL);
		insert_map(&image->maps, map);
		return;
	}
	map.module = sample_modules_find(&processes->modules, (pid_t)pid, mapping->name,
					 mapping->inode);
	module = processes->modules.items.items[map.module];
	map.delta = sample_module_delta(module, mapping->start, mapping->size,
					mapping->file_offset);
	insert_map(&image->maps, map);
	/* The kernel maps the program before the loader. */
	if (!image->program && mapping->name[0] == '/')
		image->program = memory_copy_string(mapping->name);
}

/* A line of /proc/PID/maps: of code, or nothing. */
static bool read_line(char *line, struct sample_mapping *ret_mapping)
{
	struct sample_mapping mapping = {.name = "//anon"};
	uint64_t end;
	char rights[5];
	int name = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %n",
		   &mapping.start, &end, rights, &mapping.file_offset, &mapping.inode,
		   &name) < 5 ||
	    rights[2] != 'x' || end < mapping.start)
		return false;
	mapping.size = end - mapping.start;
	if (name && line[name])
		mapping.name = line + name;
	*ret_mapping = mapping;
	return true;
}

static ssize_t read_program(uint32_t tid, char program[PATH_MAX])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/exe", tid);
	return readlink(path, program, PATH_MAX - 1);
}

/* A thread of a process by which its memory can be asked about: not a first one that has
 * ended while others live on. */
static uint32_t living_thread(uint32_t pid, char program[PATH_MAX], ssize_t *ret_length)
{
	char path[64];
	struct dirent *entry;
	uint32_t tid = pid;

	*ret_length = read_program(pid, program);
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	DIR *folder = *ret_length > 0 ? NULL : opendir(path);

	while (folder && *ret_length <= 0 && (entry = readdir(folder))) {
		tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
		*ret_length = tid ? read_program(tid, program) : 0;
	}
	if (folder)
		closedir(folder);
	return tid;
}

void sample_processes_read(struct sample_processes *processes, uint32_t pid)
{
	char path[64], program[PATH_MAX];
	const uint32_t index = sample_processes_find(processes, pid);
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;
	const uint32_t tid = living_thread(pid, program, &length);

	if (length > 0) {
		program[length] = '\0';
		free(processes->images.items[index].program);
		processes->images.items[index].program = memory_copy_string(program);
	}
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", tid);
	scoped_file FILE *file = fopen(path, "re");

	while (file && getline(&line, &capacity, file) > 0) {
		struct sample_mapping mapping;

		if (read_line(line, &mapping))
			sample_processes_map(processes, pid, &mapping);
	}
	free(line);
}

/* The same from who knows better, of what a process has now. */
static bool ask_owner(struct sample_processes *processes, uint32_t index,
		      uint64_t address, struct sample_map *ret_map)
{
	const struct sample_owner *owner = &processes->owner;
	const uint32_t pid = processes->images.items[index].pid;
	uint64_t current, delta = 0;
	const char *path;

	if (!owner->find_module || !table_find(&processes->by_pid, pid, &current) ||
	    current != index + 1)
		return false;
	path = owner->find_module(owner->context, pid, address, &delta);
	if (!path)
		return false;
	*ret_map = (struct sample_map){
		.start = address,
		.end = address + 1,
		.delta = delta,
		.module = sample_modules_find(&processes->modules, (pid_t)pid, path, 0),
	};
	return true;
}

bool sample_processes_place(struct sample_processes *processes, uint32_t index,
			    uint64_t address, struct sample_map *ret_map)
{
	const struct sample_image *image = &processes->images.items[index];
	uint64_t linked;
	size_t at;

	if (ask_owner(processes, index, address, ret_map))
		return true;
	at = search_first(image->maps.count, i, image->maps.items[i].end <= address);
	if (at == image->maps.count || image->maps.items[at].start > address)
		return false;
	*ret_map = image->maps.items[at];
	if (image->dump &&
	    jit_dump_find(image->dump, processes->now_ns, address, &linked))
		*ret_map = (struct sample_map){address, address + 1, linked - address,
					       image->dump_module};
	return true;
}

void sample_processes_deinit(struct sample_processes *processes)
{
	vector_for_each (&processes->images, image) {
		free(image->program);
		vector_deinit(&image->maps);
		jit_dump_destroy(image->dump);
	}
	sample_modules_deinit(&processes->modules);
	vector_deinit(&processes->images);
	table_deinit(&processes->by_pid);
	table_deinit(&processes->threads);
}
