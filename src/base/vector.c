#include "base/vector.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

/* The kernel gives memory out in such pieces where it is asked to and can: a page fault
 * for each, instead of 512. */
#define HUGE_PAGE (2ul << 20)
#define HUGE_MIN  (2 * HUGE_PAGE) /* bytes of a block from which on it is asked */

static void *advise_huge_pages(void *memory, size_t size)
{
	uintptr_t start = ((uintptr_t)memory + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	uintptr_t end = ((uintptr_t)memory + size) & ~(HUGE_PAGE - 1);

	if (size >= HUGE_MIN)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
	return memory;
}

static void *check_memory(void *memory)
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
		return check_memory(NULL);
	*capacity = wanted;
	return advise_huge_pages(check_memory(realloc(items, bytes)), bytes);
}

void *memory_allocate(size_t size)
{
	return advise_huge_pages(check_memory(malloc(size ? size : 1)), size);
}

void *memory_allocate_zeroed(size_t count, size_t size)
{
	return advise_huge_pages(check_memory(calloc(count ? count : 1, size ? size : 1)),
				 count * size);
}

char *memory_copy_string(const char *text)
{
	return check_memory(strdup(text));
}
