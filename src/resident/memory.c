/* Functions that compilers call to copy and clear structures: freestanding code must
 * provide them. */
#include "resident/memory.h"

void *memcpy(void *to, const void *from, size_t size)
{
	void *start = to;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
	return start;
}

void *memset(void *to, int byte, size_t size)
{
	void *start = to;

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
	return start;
}
