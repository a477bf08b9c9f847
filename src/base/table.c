#include "base/table.h"

#include "base/vector.h"

#include <string.h>
#include <xxhash.h>

/* Key 0 is a free slot: its own value is in the table itself. */
struct table_slot {
	uint64_t key;
	uint64_t value;
};

uint64_t hash_bytes(const void *bytes, size_t size)
{
	return XXH3_64bits(bytes, size);
}

static struct table_slot *slot_of(const struct table *table, uint64_t key)
{
	/* Fibonacci hashing (Knuth, TAOCP 3, 6.4): the high bits are the well-mixed ones.
	 */
	size_t mask = table->capacity - 1;
	size_t at = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & mask;

	while (table->slots[at].key && table->slots[at].key != key)
		at = (at + 1) & mask;
	return &table->slots[at];
}

bool table_find(const struct table *table, uint64_t key, uint64_t *ret_value)
{
	if (!key) {
		if (table->has_zero && ret_value)
			*ret_value = table->of_zero;
		return table->has_zero;
	}
	if (!table->capacity)
		return false;
	const struct table_slot *slot = slot_of(table, key);

	if (slot->key && ret_value)
		*ret_value = slot->value;
	return slot->key != 0;
}

static void grow_table(struct table *table)
{
	struct table old = *table;

	table->capacity = old.capacity ? old.capacity * 2 : 16;
	table->slots = memory_allocate_zeroed(table->capacity, sizeof(*table->slots));
	for (size_t i = 0; i < old.capacity; i++)
		if (old.slots[i].key)
			*slot_of(table, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

uint64_t *table_insert(struct table *table, uint64_t key, bool *ret_new)
{
	if (!key) {
		if (ret_new)
			*ret_new = !table->has_zero;
		table->count += !table->has_zero;
		table->has_zero = true;
		return &table->of_zero;
	}
	if (table->count * 2 >= table->capacity)
		grow_table(table);
	struct table_slot *slot = slot_of(table, key);

	if (ret_new)
		*ret_new = !slot->key;
	if (!slot->key) {
		slot->key = key;
		table->count++;
	}
	return &slot->value;
}

void table_deinit(struct table *table)
{
	free(table->slots);
	*table = (struct table){0};
}

uint32_t string_table_intern(struct string_table *table, const char *string)
{
	uint64_t hash = hash_bytes(string, strlen(string));
	bool new;
	uint64_t *value = table_insert(&table->by_hash, hash, &new);

	while (!new) {
		if (!strcmp(table->strings[*value], string))
			return (uint32_t)*value;
		/* Two strings with one 64-bit hash: try the next key. */
		value = table_insert(&table->by_hash, ++hash, &new);
	}
	*value = table->count;
	table->strings = vector_reserve_(table->strings, sizeof(char *), table->count + 1,
					 &table->capacity);
	table->strings[table->count] = memory_copy_string(string);
	return (uint32_t)table->count++;
}

bool string_table_find(const struct string_table *table, const char *string,
		       uint32_t *ret_number)
{
	uint64_t hash = hash_bytes(string, strlen(string)), number;

	for (; table_find(&table->by_hash, hash, &number); hash++) {
		if (strcmp(table->strings[number], string) != 0)
			continue;
		*ret_number = (uint32_t)number;
		return true;
	}
	return false;
}

void string_table_deinit(struct string_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->strings[i]);
	free(table->strings);
	table_deinit(&table->by_hash);
	*table = (struct string_table){0};
}
