#include "sample/forget.h"

#include "base/cleanup.h"
#include "sample/jit.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define GONE UINT32_MAX

static bool is_running(const struct sample_processes *processes, uint32_t index)
{
	const struct sample_image *image = &processes->images.items[index];
	uint64_t current;

	return table_find(&processes->by_pid, image->pid, &current) &&
	       current == index + 1 && !image->executed &&
	       (!kill((pid_t)image->pid, 0) || errno == EPERM);
}

static void free_parts(struct sample_image *image)
{
	vector_deinit(&image->maps);
	jit_dump_destroy(image->dump);
	image->dump = NULL;
}

/* Whether there are sums of each image. */
static bool *find_sampled(const struct sampler *sampler)
{
	bool *sampled = memory_allocate_zeroed(sampler->processes.images.count + 1, 1);

	vector_for_each (&sampler->sums.sums, sum)
		sampled[sum->image] = true;
	return sampled;
}

/* Writes the number that each image gets: GONE, that of the first ended one of its kind,
 * or its own; and moves those that stay. */
static void renumber_images(struct sampler *sampler, uint32_t *numbers)
{
	struct sample_processes *processes = &sampler->processes;
	scoped_free bool *sampled = find_sampled(sampler);
	struct table by_kind = {0}, by_pid = {0};
	size_t kept = 0;

	for (uint32_t i = 0; i < processes->images.count; i++) {
		struct sample_image image = processes->images.items[i];
		const bool running = is_running(processes, i);
		uint64_t *first = NULL;

		image.threads = 0;
		if (!running)
			image.kind = sample_processes_kind(processes, i);
		if (!running && sampled[i])
			first = table_insert(&by_kind, image.kind, NULL);
		numbers[i] = first && *first    ? (uint32_t)*first - 1
			     : running || first ? (uint32_t)kept
						: GONE;
		if (!running)
			free_parts(&image);
		if (numbers[i] != kept) {
			free(image.program);
			continue;
		}
		if (first)
			*first = kept + 1;
		if (running)
			*table_insert(&by_pid, image.pid, NULL) = kept + 1;
		processes->images.items[kept++] = image;
	}
	processes->images.count = kept;
	table_deinit(&by_kind);
	table_deinit(&processes->by_pid);
	processes->by_pid = by_pid;
}

/* Modules that images have mapped, or generate. */
static bool *find_mapped(const struct sample_processes *processes)
{
	bool *mapped = memory_allocate_zeroed(processes->modules.items.count + 1, 1);

	vector_for_each (&processes->images, image) {
		vector_for_each (&image->maps, map)
			mapped[map->module] = true;
		if (image->dump)
			mapped[image->dump_module] = true;
	}
	return mapped;
}

/* Who generates code has another number now, which is part of the module's key. */
static void change_owner(struct sample_module *module, const uint32_t *numbers)
{
	uint32_t owner;

	if (!module->owner)
		return;
	owner = numbers[module->owner - 1];
	module->owner = owner == GONE ? 0 : owner + 1;
	module->key = owner == GONE
			      ? 1ull << 63 | module->serial
			      : sample_module_key(
					owner, strcmp(module->path, "[generated]") != 0);
}

static void drop_modules(struct sampler *sampler, const uint32_t *numbers)
{
	struct sample_processes *processes = &sampler->processes;
	struct sample_modules *modules = &processes->modules;
	scoped_free bool *mapped = find_mapped(processes);
	scoped_free uint32_t *moved =
		memory_allocate((modules->items.count + 1) * sizeof(*moved));
	const bool all = sampler->sums.nodes.count > 1; /* they refer to modules */
	size_t kept = 0;

	table_deinit(&modules->by_file);
	for (size_t i = 0; i < modules->items.count; i++) {
		struct sample_module *module = modules->items.items[i];

		change_owner(module, numbers);
		if (!all && !mapped[i] && strcmp(module->path, "[kernel]") != 0) {
			sample_module_destroy(module);
			continue;
		}
		sample_module_release(module);
		moved[i] = (uint32_t)kept;
		modules->items.items[kept++] = module;
		/* A file that was changed is behind the one that it was. */
		*table_insert(&modules->by_file, module->key, NULL) = kept;
	}
	modules->items.count = kept;
	vector_for_each (&processes->images, image) {
		vector_for_each (&image->maps, map)
			map->module = moved[map->module];
		if (image->dump)
			image->dump_module = moved[image->dump_module];
	}
}

void sampler_forget(struct sampler *sampler)
{
	struct sample_processes *processes = &sampler->processes;
	scoped_free uint32_t *numbers =
		memory_allocate((processes->images.count + 1) * sizeof(*numbers));

	renumber_images(sampler, numbers);
	sample_sums_renumber(&sampler->sums, numbers);
	drop_modules(sampler, numbers);
	table_deinit(&processes->threads);
}
