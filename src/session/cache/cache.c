#include "session/cache/cache.h"

#include "base/cleanup.h"
#include "base/page.h"
#include "base/text.h"
#include "session/cache/cache_key.h"
#include "session/cache/cache_names.h"
#include "wire/layout.h"
#include "wire/probes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cache {
	char *folder; /* NULL: nothing is kept */
	struct cache_names *names;
};

static char *folder_path(void)
{
	const char *chosen = getenv("TRAMMEL_CACHE_DIR");
	const char *base = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	struct text path = {0};

	if (chosen && *chosen)
		text_add(&path, chosen);
	else if (base && *base == '/')
		text_format(&path, "%s/trammel", base);
	else if (home && *home == '/')
		text_format(&path, "%s/.cache/trammel", home);
	return path.data;
}

static void make_folders(const char *path)
{
	scoped_free char *copy = memory_copy_string(path);

	for (char *c = copy + 1; *c; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		mkdir(copy, 0700);
		*c = '/';
	}
	mkdir(copy, 0700);
}

/* NULL if code from this folder may be run. */
static const char *folder_fault(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return strerror(errno);
	if (!S_ISDIR(status.st_mode))
		return "it is not a folder";
	if (status.st_uid != geteuid())
		return "it belongs to another user, and it holds code that will run";
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return "others may write to it, and it holds code that will run";
	if (access(path, R_OK | W_OK | X_OK))
		return strerror(errno);
	return NULL;
}

struct cache *cache_create(bool quiet)
{
	struct cache *cache = memory_allocate_zeroed(1, sizeof(*cache));
	scoped_free char *path = folder_path();

	if (!path)
		return cache;
	make_folders(path);
	const char *fault = folder_fault(path);

	if (fault && !quiet)
		fprintf(stderr,
			"trammel: cache folder '%s' is not used: %s; set "
			"TRAMMEL_CACHE_DIR "
			"to a folder of your own\n",
			path, fault);
	if (!fault)
		cache->folder = realpath(path, NULL);
	if (cache->folder)
		cache->names = cache_names_create(cache->folder);
	return cache;
}

void cache_destroy(struct cache *cache)
{
	if (!cache)
		return;
	cache_names_destroy(cache->names);
	free(cache->folder);
	free(cache);
}

const char *cache_folder(const struct cache *cache)
{
	return cache->folder;
}

bool cache_grew(const struct cache *cache)
{
	return cache->names && cache_names_grew(cache->names);
}

uint64_t cache_probes_area(const struct session_options *options)
{
	const struct collector_ops *const *ops = options->collector->ops;
	uint64_t end = WIRE_BANK_HEADER;

	for (; *ops; ops++)
		if ((*ops)->bank_bytes > end)
			end = (*ops)->bank_bytes;
	return page_round_up(end);
}

uint64_t cache_counters_reserved(const struct session_options *options)
{
	const uint64_t probes =
		options->probes ? page_round_up(sizeof(struct wire_probes)) : 0;

	return cache_probes_area(options) + probes - WIRE_BANK_HEADER;
}

uint64_t cache_counters_extent(const struct cache *cache,
			       const struct session_options *options)
{
	return cache->names ? cache_names_extent(cache->names, cache_kind(options)) : 0;
}

struct cache_names *cache_names(const struct cache *cache)
{
	return cache->names;
}
