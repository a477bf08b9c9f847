/*
 * Hash tables from a 64-bit key or a string to a 64-bit value: open addressing, linear
 * probing, load at most 1/2. All-zero is an empty table. Keys are never removed.
 */
#ifndef TRAMMEL_BASE_TABLE_H
#define TRAMMEL_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table {
	struct table_slot *slots;
	size_t count;
	size_t capacity;  /* a power of two, or 0 */
	uint64_t of_zero; /* value of the key 0 */
	bool has_zero;
};

/* Whether the key is there; writes its value to `ret_value` (may be NULL) if so. */
bool table_find(const struct table *table, uint64_t key, uint64_t *ret_value);

/* A pointer to the value of `key`, which is inserted with value 0 if it is new. Valid
 * until the next insertion. Writes to `ret_new` (may be NULL) whether it was inserted. */
uint64_t *table_insert(struct table *table, uint64_t key, bool *ret_new);

void table_deinit(struct table *table);

/* Distinct strings, numbered from 0 in order of first appearance. */
struct string_table {
	struct table by_hash;
	char **strings;
	size_t count;
	size_t capacity;
};

/* The number of `string`, which is copied if it is new. */
uint32_t string_table_intern(struct string_table *table, const char *string);

/* Whether the string is there; writes its number to `ret_number` if so. */
bool string_table_find(const struct string_table *table, const char *string,
		       uint32_t *ret_number);

void string_table_deinit(struct string_table *table);

/* A 64-bit hash of bytes (XXH3). */
uint64_t hash_bytes(const void *bytes, size_t size);

#endif
