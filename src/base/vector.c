#include "base/vector.h"

#include <stdio.h>

static void *checked(void *memory)
{
	if (!memory) {
		fputs("trammel: out of memory\n", stderr);
		abort();
	}
	return memory;
}

void *vector_reserve_(void *items, size_t item_size, size_t count, size_t *capacity)
{
	size_t wanted = *capacity, bytes;

	if (count <= *capacity)
		return items;
	while (wanted < count)
		wanted = wanted ? wanted * 2 : 8;
	if (__builtin_mul_overflow(wanted, item_size, &bytes))
		return checked(NULL);
	*capacity = wanted;
	return checked(realloc(items, bytes));
}

void *memory_allocate(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *memory_allocate_zeroed(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

char *memory_copy_string(const char *text)
{
	return checked(strdup(text));
}
