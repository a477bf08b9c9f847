#include "daemon/watch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A value of `roots`: a process that may not be looked at. */
#define NOBODY UINT64_MAX

struct trm_error *watch_begin(struct watch *watch, struct sampler *sampler, bool all)
{
	*watch = (struct watch){.all = all};
	if (all)
		return sampler_watch_all(sampler);
	TRM_TRY(sampler_watch_some(sampler));
	/* A process is new when it is seen a second time: see follow_new. */
	watch_scan(watch, sampler);
	watch_scan(watch, sampler);
	return NULL;
}

/* The process whose events see a process that a sampled one made; 0: it is not known to
 * be made by one. Those between them may have ended meanwhile. */
static uint64_t root_of(const struct watch *watch, const struct sampler *sampler,
			uint32_t pid)
{
	const struct sample_processes *processes = &sampler->processes;
	uint64_t root, index;

	for (int depth = 0; depth < 64; depth++) {
		if (table_find(&watch->roots, pid, &root))
			return root;
		if (!table_find(&processes->by_pid, pid, &index) || !index ||
		    !processes->images.items[index - 1].parent)
			return 0;
		pid = processes->images.items[index - 1].parent;
	}
	return 0;
}

static bool is_own(long pid)
{
	char path[64];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%ld", pid);
	return pid != getpid() && !stat(path, &status) && status.st_uid == geteuid();
}

/* A process whose making was not told. When it is seen for the first time, the record of
 * that may be on its way; then it would be sampled twice. */
static uint64_t follow_new(struct watch *watch, struct sampler *sampler, long pid,
			   struct table *strange)
{
	struct trm_error *error;

	if (!is_own(pid))
		return NOBODY;
	if (!table_find(&watch->strange, (uint64_t)pid, NULL)) {
		table_insert(strange, (uint64_t)pid, NULL);
		return 0;
	}
	error = sampler_follow(sampler, (pid_t)pid);
	watch->followed += !error;
	const uint64_t root = error ? NOBODY : (uint64_t)pid;

	trm_error_destroy(error);
	return root;
}

/* Closes the events of processes that are gone, and with them all that they made. */
static void leave_gone(struct watch *watch, struct sampler *sampler,
		       const struct table *alive)
{
	for (size_t i = 0; i < sampler->source.opened.count; i++) {
		const uint32_t group = sampler->source.opened.items[i].group;

		if (!group || table_find(alive, group, NULL))
			continue;
		sampler_leave(sampler, (pid_t)group);
		watch->followed--;
		i--;
	}
}

void watch_scan(struct watch *watch, struct sampler *sampler)
{
	struct table roots = {0}, strange = {0}, alive = {0};
	struct dirent *entry;
	DIR *folder = watch->all ? NULL : opendir("/proc");
	size_t seen = 0;

	if (!folder)
		return;
	while ((entry = readdir(folder))) {
		const long pid = strtol(entry->d_name, NULL, 10);
		uint64_t root;

		if (pid <= 0)
			continue;
		root = root_of(watch, sampler, (uint32_t)pid);
		if (!root)
			root = follow_new(watch, sampler, pid, &strange);
		if (!root)
			continue;
		*table_insert(&roots, (uint64_t)pid, NULL) = root;
		if (root == NOBODY)
			continue;
		table_insert(&alive, root, NULL);
		seen++;
	}
	closedir(folder);
	leave_gone(watch, sampler, &alive);
	table_deinit(&alive);
	watch_deinit(watch);
	watch->roots = roots;
	watch->strange = strange;
	watch->seen = seen;
}

void watch_deinit(struct watch *watch)
{
	table_deinit(&watch->roots);
	table_deinit(&watch->strange);
}
