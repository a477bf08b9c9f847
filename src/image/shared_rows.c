#include "image/shared_rows.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct shared {
	struct image_rows rows; /* the first member */
	char *path;
	unsigned char build_id[sizeof(((struct image *)NULL)->build_id)];
	size_t size;
	uint32_t users;
};

/* In a child of a fork another thread may hold the lock for ever: there each reads for
 * itself, and what is not given back stays. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct VECTOR(struct shared *) list;

static bool is_of(const struct shared *shared, const struct image *image)
{
	return shared->size == image->size && !strcmp(shared->path, image->path) &&
	       !memcmp(shared->build_id, image->build_id, sizeof(shared->build_id));
}

static struct shared *find_shared(const struct image *image)
{
	vector_for_each (&list, item)
		if (is_of(*item, image))
			return *item;
	return NULL;
}

static struct shared *read_rows(const struct image *image)
{
	struct shared *shared = memory_allocate_zeroed(1, sizeof(*shared));
	struct trm_error *error = image_rows_init(&shared->rows, image);

	if (error) {
		trm_error_destroy(error);
		free(shared);
		return NULL;
	}
	shared->path = memory_copy_string(image->path);
	memcpy(shared->build_id, image->build_id, sizeof(shared->build_id));
	shared->size = image->size;
	shared->users = 1;
	return shared;
}

const struct image_rows *shared_rows_get(const struct image *image)
{
	const bool locked = !pthread_mutex_trylock(&lock);
	struct shared *shared = locked ? find_shared(image) : NULL;

	if (shared) {
		shared->users++;
	} else {
		shared = read_rows(image);
		if (shared && locked)
			vector_push(&list, shared);
	}
	if (locked)
		pthread_mutex_unlock(&lock);
	return shared ? &shared->rows : NULL;
}

static void destroy_shared(struct shared *shared)
{
	image_rows_deinit(&shared->rows);
	free(shared->path);
	free(shared);
}

/* Takes it off the list, if it is there. */
static void forget_shared(const struct shared *shared)
{
	size_t kept = 0;

	vector_for_each (&list, item)
		if (*item != shared)
			list.items[kept++] = *item;
	list.count = kept;
	if (!kept)
		vector_deinit(&list);
}

void shared_rows_give_back(const struct image_rows *rows)
{
	struct shared *shared = (struct shared *)(uintptr_t)rows;

	if (!shared || pthread_mutex_trylock(&lock))
		return;
	if (!--shared->users) {
		forget_shared(shared);
		destroy_shared(shared);
	}
	pthread_mutex_unlock(&lock);
}
