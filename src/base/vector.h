/*
 * Growing arrays: `struct things VECTOR(struct thing)` has .items, .count, .capacity.
 * All-zero is an empty vector. Growth that finds no memory ends the program: the
 * tracer then leaves the measured program running on, as after any other death of it.
 */
#ifndef TRAMMEL_BASE_VECTOR_H
#define TRAMMEL_BASE_VECTOR_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define VECTOR(type)                                                                     \
	{                                                                                \
		type *items;                                                             \
		size_t count;                                                            \
		size_t capacity;                                                         \
	}

/* Makes room for `count` items of `item_size` bytes in all; prints and aborts when there
 * is no memory. Returns the items, writes *capacity. */
void *vector_reserve_(void *items, size_t item_size, size_t count, size_t *capacity);

#define vector_reserve(vector, wanted)                                                   \
	((wanted) <= (vector)->capacity                                                  \
		 ? (vector)->items                                                       \
		 : ((vector)->items =                                                    \
			    vector_reserve_((vector)->items, sizeof(*(vector)->items),   \
					    (wanted), &(vector)->capacity)))

/* A pointer to a new item at the end, all bytes 0. Valid until the next growth. */
#define vector_add(vector)                                                               \
	({                                                                               \
		vector_reserve((vector), (vector)->count + 1);                           \
		__typeof__((vector)->items + 0) added_ =                                 \
			&(vector)->items[(vector)->count++];                             \
		memset(added_, 0, sizeof(*added_));                                      \
		added_;                                                                  \
	})

#define vector_push(vector, value)                                                       \
	do {                                                                             \
		vector_reserve((vector), (vector)->count + 1);                           \
		(vector)->items[(vector)->count++] = (value);                            \
	} while (0)

/* Removes item `index`; the last item takes its place. */
#define vector_remove_swap(vector, index)                                                \
	((vector)->items[(index)] = (vector)->items[--(vector)->count])

#define vector_deinit(vector)                                                            \
	do {                                                                             \
		free((vector)->items);                                                   \
		(vector)->items = NULL;                                                  \
		(vector)->count = (vector)->capacity = 0;                                \
	} while (0)

#define vector_for_each(vector, item)                                                    \
	for (__typeof__((vector)->items + 0) item = (vector)->items;                     \
	     item && item < (vector)->items + (vector)->count; item++)

/* malloc, calloc, strdup that abort with a message when there is no memory. */
void *memory_allocate(size_t size) __attribute__((malloc, warn_unused_result));
void *memory_allocate_zeroed(size_t count, size_t size)
	__attribute__((malloc, warn_unused_result));
char *memory_copy_string(const char *text) __attribute__((malloc, warn_unused_result));

#endif
