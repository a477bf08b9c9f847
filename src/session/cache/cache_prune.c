#include "session/cache/cache_prune.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "session/cache/cache.h"
#include "session/cache/cache_seal.h"
#include "session/cache/module_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Bytes that may lie in the folder; $TRAMMEL_CACHE_LIMIT has MiB. All of clang with edges
 * takes half a GiB, and is not to be planned anew whenever it was measured otherwise. */
#define LIMIT_DEFAULT (4096ull << 20)

/* Files being written are moved into place in seconds: older ones were left behind. */
#define LEFT_BEHIND_SECONDS 3600

struct entry {
	char *name;
	uint64_t size;
	struct timespec used;
};
struct entries VECTOR(struct entry);

static uint64_t size_limit(void)
{
	const char *text = getenv("TRAMMEL_CACHE_LIMIT");
	char *end;
	unsigned long long mebibytes;

	if (!text || !*text)
		return LIMIT_DEFAULT;
	mebibytes = strtoull(text, &end, 10);
	return *end ? LIMIT_DEFAULT : mebibytes << 20;
}

static bool is_left_behind(const struct stat *status)
{
	return status->st_mtim.tv_sec + LEFT_BEHIND_SECONDS < time(NULL);
}

/* A seal goes with its file. */
static bool is_seal_of_a_file(int folder, const char *name)
{
	scoped_free char *plan = memory_copy_string(name);

	if (!text_glob("*.plan" SEAL_SUFFIX, name))
		return false;
	plan[strlen(name) - strlen(SEAL_SUFFIX)] = '\0';
	return !faccessat(folder, plan, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* When a file was used last, its seal says. */
static struct timespec last_use(int folder, const char *name, const struct stat *status)
{
	struct text seal = {0};
	struct stat own;

	text_format(&seal, "%s" SEAL_SUFFIX, name);
	bool sealed = !fstatat(folder, seal.data, &own, AT_SYMLINK_NOFOLLOW);

	text_deinit(&seal);
	return sealed && own.st_mtim.tv_sec > status->st_mtim.tv_sec ? own.st_mtim
								     : status->st_mtim;
}

static bool delete (int folder, const char *name)
{
	struct text seal = {0};

	text_format(&seal, "%s" SEAL_SUFFIX, name);
	unlinkat(folder, seal.data, 0);
	text_deinit(&seal);
	return !unlinkat(folder, name, 0);
}

/* What runs use; what else has such a name is a seal, or being written. */
static bool is_whole(const char *name)
{
	return text_glob("*.plan", name) || text_glob("*.throws", name) ||
	       text_glob("*.frequencies", name);
}

static void list_entries(DIR *folder, struct entries *entries)
{
	const struct dirent *item;
	struct stat status;

	while ((item = readdir(folder))) {
		bool whole = is_whole(item->d_name);

		if ((!whole && !text_glob("*.plan*", item->d_name) &&
		     !text_glob("*.frequencies*", item->d_name)) ||
		    fstatat(dirfd(folder), item->d_name, &status, AT_SYMLINK_NOFOLLOW))
			continue;
		if (!whole) {
			if (is_left_behind(&status) &&
			    !is_seal_of_a_file(dirfd(folder), item->d_name))
				unlinkat(dirfd(folder), item->d_name, 0);
			continue;
		}
		*vector_add(entries) = (struct entry){
			memory_copy_string(item->d_name), (uint64_t)status.st_size,
			last_use(dirfd(folder), item->d_name, &status)};
	}
}

COMPARE_BY_TWO(oldest_first, struct entry, used.tv_sec, used.tv_nsec);

void cache_prune(const struct cache *cache)
{
	struct entries entries = {0};
	uint64_t total = 0, most = size_limit();
	DIR *folder = cache_grew(cache) ? opendir(cache_folder(cache)) : NULL;

	if (!folder)
		return;
	list_entries(folder, &entries);
	vector_for_each (&entries, entry)
		total += entry->size;
	/* To three quarters, so that not every run has something to do. A file that a
	 * program has mapped lives on without its name. */
	if (total > most) {
		qsort(entries.items, entries.count, sizeof(*entries.items), oldest_first);
		most -= most / 4;
	}
	vector_for_each (&entries, entry) {
		if (total > most && delete (dirfd(folder), entry->name))
			total -= entry->size;
		free(entry->name);
	}
	vector_deinit(&entries);
	closedir(folder);
}
