#include "code/points/point_data.h"

#include "base/table.h"
#include "base/vector.h"

#include <pthread.h>

struct point_data {
	pthread_mutex_t lock;
	uint32_t most; /* bytes */
	struct VECTOR(uint8_t) bytes;
	struct table places,
		texts; /* offsets + 1, by hash of address and size, or text */
	struct string_table modules;
};

struct point_data *point_data_create(void)
{
	struct point_data *data = memory_allocate_zeroed(1, sizeof(*data));

	data->most = POINT_DATA_MAX;
	pthread_mutex_init(&data->lock, NULL);
	return data;
}

void point_data_destroy(struct point_data *data)
{
	if (!data)
		return;
	pthread_mutex_destroy(&data->lock);
	vector_deinit(&data->bytes);
	table_deinit(&data->places);
	table_deinit(&data->texts);
	string_table_deinit(&data->modules);
	free(data);
}

/* Adds a piece, or finds the one that `table` has for the key. */
static bool add_piece(struct point_data *data, struct table *table, uint64_t key,
		      const void *bytes, size_t size, uint32_t *ret_offset)
{
	uint64_t offset;

	if (table_find(table, key, &offset)) {
		*ret_offset = (uint32_t)offset;
		return true;
	}
	offset = (data->bytes.count + POINT_DATA_ALIGN - 1) &
		 ~(uint64_t)(POINT_DATA_ALIGN - 1);
	if (size > data->most || offset > data->most - size)
		return false;
	vector_reserve(&data->bytes, offset + size);
	memset(data->bytes.items + data->bytes.count, 0, offset - data->bytes.count);
	memcpy(data->bytes.items + offset, bytes, size);
	data->bytes.count = offset + size;
	*table_insert(table, key, NULL) = offset;
	*ret_offset = (uint32_t)offset;
	return true;
}

bool point_data_add(struct point_data *data, const void *bytes, size_t size,
		    uint32_t *ret_offset)
{
	const struct {
		uint64_t address, size;
	} place = {(uintptr_t)bytes, size};
	bool added;

	pthread_mutex_lock(&data->lock);
	added = add_piece(data, &data->places, hash_bytes(&place, sizeof(place)), bytes,
			  size, ret_offset);
	pthread_mutex_unlock(&data->lock);
	return added;
}

bool point_data_add_text(struct point_data *data, const char *text, uint32_t *ret_offset)
{
	const size_t size = strlen(text) + 1;
	bool added;

	pthread_mutex_lock(&data->lock);
	added = add_piece(data, &data->texts, hash_bytes(text, size), text, size,
			  ret_offset);
	pthread_mutex_unlock(&data->lock);
	return added;
}

uint32_t point_data_limit(struct point_data *data, uint32_t size)
{
	uint32_t most;

	pthread_mutex_lock(&data->lock);
	if (size < data->most - data->bytes.count)
		data->most = (uint32_t)data->bytes.count + size;
	most = data->most;
	pthread_mutex_unlock(&data->lock);
	return most;
}

uint32_t point_data_size(struct point_data *data)
{
	uint32_t size;

	pthread_mutex_lock(&data->lock);
	size = (uint32_t)data->bytes.count;
	pthread_mutex_unlock(&data->lock);
	return size;
}

size_t point_data_read(struct point_data *data, uint32_t offset, void *to, size_t size)
{
	size_t left;

	pthread_mutex_lock(&data->lock);
	left = offset < data->bytes.count ? data->bytes.count - offset : 0;
	size = size < left ? size : left;
	if (size)
		memcpy(to, data->bytes.items + offset, size);
	pthread_mutex_unlock(&data->lock);
	return size;
}

uint32_t point_data_add_module(struct point_data *data, const char *path)
{
	uint32_t number;

	pthread_mutex_lock(&data->lock);
	number = string_table_intern(&data->modules, path);
	pthread_mutex_unlock(&data->lock);
	return number;
}

const char *point_data_module(struct point_data *data, uint32_t number)
{
	const char *path;

	pthread_mutex_lock(&data->lock);
	path = number < data->modules.count ? data->modules.strings[number] : NULL;
	pthread_mutex_unlock(&data->lock);
	return path;
}
