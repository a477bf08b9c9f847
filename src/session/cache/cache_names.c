#include "session/cache/cache_names.h"

#include "base/cleanup.h"
#include "base/page.h"
#include "base/table.h"
#include "base/text.h"
#include "base/vector.h"
#include "session/cache/cache.h"
#include "session/cache/cache_key.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Modules with many counters begin at LARGE_START, so that banks of programs without any
 * stay small: a bank reaches to the last counter of a program, and takes addresses, but
 * memory only where something is counted.
 */
#define LARGE_SIZE  (2u << 20)
#define LARGE_START (64u << 20)
#define LARGE_END   (1u << 30)

#define FORMAT "%016lx-%08x-%08x-%08x-%08x.plan"

struct name {
	struct cache_key key;
	uint32_t start, size, edition;
};

struct cache_names {
	const char *folder;
	pthread_mutex_t lock;
	bool grew; /* see cache_names_grew */
	struct VECTOR(struct name) known;
};

static char *path_of(const struct cache_names *names, const struct name *name)
{
	struct text path = {0};

	text_format(&path, "%s/" FORMAT, names->folder, name->key.key, name->key.kind,
		    name->start, name->size, name->edition);
	return path.data;
}

static bool is_same(const struct name *a, const struct name *b)
{
	return a->key.key == b->key.key && a->key.kind == b->key.kind &&
	       a->start == b->start && a->size == b->size && a->edition == b->edition;
}

static bool is_of(const struct name *name, struct cache_key key)
{
	return name->key.key == key.key && name->key.kind == key.kind;
}

/* Takes so many digits as "%x" writes them, and what follows them. */
static bool take_number(const char **text, unsigned int digits, const char *behind,
			uint64_t *ret_number)
{
	uint64_t number = 0;

	for (; digits; digits--, ++*text) {
		char c = **text;

		if ((c < '0' || c > '9') && (c < 'a' || c > 'f'))
			return false;
		number = number << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	*ret_number = number;
	if (strncmp(*text, behind, strlen(behind)) != 0)
		return false;
	*text += strlen(behind);
	return true;
}

/* By hand: each run reads the names of all files. */
static bool parse_name(const char *text, struct name *ret_name)
{
	uint64_t key, kind, start, size, edition;

	if (!take_number(&text, 16, "-", &key) || !take_number(&text, 8, "-", &kind) ||
	    !take_number(&text, 8, "-", &start) || !take_number(&text, 8, "-", &size) ||
	    !take_number(&text, 8, ".plan", &edition) || *text)
		return false;
	*ret_name = (struct name){{key, (uint32_t)kind},
				  (uint32_t)start,
				  (uint32_t)size,
				  (uint32_t)edition};
	return true;
}

static void add_name(struct cache_names *names, const struct name *name)
{
	vector_for_each (&names->known, known)
		if (is_same(known, name))
			return;
	vector_push(&names->known, *name);
}

/* Whether a name is not in a table yet, where it is from then on. */
static bool is_new(struct table *table, const struct name *name)
{
	const uint64_t words[] = {name->key.key,
				  name->key.kind | (uint64_t)name->start << 32,
				  name->size | (uint64_t)name->edition << 32};
	bool new;

	table_insert(table, hash_bytes(words, sizeof(words)), &new);
	return new;
}

/* Other runs may have added files. What they deleted does no harm. A program with many
 * modules has this done for each of them. */
static void read_folder(struct cache_names *names)
{
	DIR *folder = opendir(names->folder);
	const struct dirent *item;
	struct table table = {0};
	struct name name;

	vector_for_each (&names->known, known)
		is_new(&table, known);
	while (folder && (item = readdir(folder)))
		if (parse_name(item->d_name, &name) && is_new(&table, &name))
			vector_push(&names->known, name);
	table_deinit(&table);
	if (folder)
		closedir(folder);
}

struct cache_names *cache_names_create(const char *folder)
{
	struct cache_names *names = memory_allocate_zeroed(1, sizeof(*names));

	names->folder = folder;
	pthread_mutex_init(&names->lock, NULL);
	read_folder(names);
	return names;
}

void cache_names_destroy(struct cache_names *names)
{
	if (!names)
		return;
	pthread_mutex_destroy(&names->lock);
	vector_deinit(&names->known);
	free(names);
}

static const struct name *find_name(const struct cache_names *names, struct cache_key key)
{
	const struct name *found = NULL;

	vector_for_each (&names->known, name)
		if (is_of(name, key) && (!found || name->edition > found->edition))
			found = name;
	return found;
}

char *cache_names_find(struct cache_names *names, struct cache_key key)
{
	pthread_mutex_lock(&names->lock);
	const struct name *name = find_name(names, key);

	if (!name) {
		read_folder(names);
		name = find_name(names, key);
	}
	char *path = name ? path_of(names, name) : NULL;

	pthread_mutex_unlock(&names->lock);
	return path;
}

/* Deletes the files with this key that are known, but those with these paths. */
static void drop_name(struct cache_names *names, struct cache_key key, const char *kept,
		      const char *kept_too)
{
	for (size_t i = names->known.count; i-- > 0;) {
		const struct name *name = &names->known.items[i];

		if (!is_of(name, key))
			continue;
		scoped_free char *path = path_of(names, name);

		if (!strcmp(path, kept) || !strcmp(path, kept_too))
			continue;
		unlink(path);
		vector_remove_swap(&names->known, i);
	}
}

void cache_names_drop_others(struct cache_names *names, struct cache_key key,
			     const char *kept, const char *kept_too)
{
	pthread_mutex_lock(&names->lock);
	read_folder(names);
	drop_name(names, key, kept, kept_too);
	pthread_mutex_unlock(&names->lock);
}

void cache_names_drop(struct cache_names *names, struct cache_key key)
{
	pthread_mutex_lock(&names->lock);
	drop_name(names, key, "", "");
	pthread_mutex_unlock(&names->lock);
}

/* The end of a file's part that reaches into [start, start + size); 0: none does. */
static uint64_t end_of_taken(const struct cache_names *names, uint32_t kind,
			     uint64_t start, uint64_t size)
{
	vector_for_each (&names->known, name)
		if (name->key.kind == kind && name->start < start + size &&
		    start < (uint64_t)name->start + name->size)
			return (uint64_t)name->start + name->size;
	return 0;
}

/* The first free part; where all is taken one that is shared. */
static uint32_t choose_start(const struct cache_names *names, uint32_t kind,
			     uint64_t size)
{
	const uint64_t first = size < LARGE_SIZE ? 0 : LARGE_START;
	const uint64_t end = size < LARGE_SIZE ? LARGE_START : LARGE_END;
	uint64_t start = first, taken;

	while (start + size <= end && (taken = end_of_taken(names, kind, start, size)))
		start = page_round_up(taken);
	return (uint32_t)(start + size <= end ? start : first);
}

char *cache_names_choose(struct cache_names *names, struct cache_key key,
			 struct cache_name wanted, uint32_t *ret_start)
{
	struct name name = {
		.key = key, .size = (uint32_t)wanted.size, .edition = wanted.edition};

	pthread_mutex_lock(&names->lock);
	name.start = choose_start(names, key.kind, wanted.size);
	add_name(names, &name);
	names->grew = true;
	pthread_mutex_unlock(&names->lock);
	*ret_start = name.start;
	return path_of(names, &name);
}

uint32_t cache_names_reserve(struct cache_names *names, uint32_t kind, uint64_t size)
{
	struct name name = {.key = {0, kind}, .size = (uint32_t)size};

	pthread_mutex_lock(&names->lock);
	name.start = choose_start(names, kind, size);
	add_name(names, &name);
	pthread_mutex_unlock(&names->lock);
	return name.start;
}

uint32_t cache_names_generation(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct name name;

	return slash && parse_name(slash + 1, &name) ? name.edition : 0;
}

bool cache_names_grew(struct cache_names *names)
{
	pthread_mutex_lock(&names->lock);
	bool grew = names->grew;

	pthread_mutex_unlock(&names->lock);
	return grew;
}

uint64_t cache_names_extent(struct cache_names *names, uint32_t kind)
{
	uint64_t extent = 0;

	pthread_mutex_lock(&names->lock);
	vector_for_each (&names->known, name) {
		uint64_t end = (uint64_t)name->start + name->size;

		if (name->key.kind == kind && end <= LARGE_START && end > extent)
			extent = end;
	}
	pthread_mutex_unlock(&names->lock);
	return extent;
}
