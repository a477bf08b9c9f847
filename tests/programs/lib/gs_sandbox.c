/*
 * Code that runs with the GS base at memory of its own, as sandboxes made of WebAssembly
 * do, and calls the C library there.
 */
#include "test.h"

#include <immintrin.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

KEPT static size_t work(char *memory, size_t size)
{
	size_t sum = 0;
	void *page;

	for (int i = 0; i < 1000; i++) {
		memset(memory, 0, size);
		sum += strlen(memory);
	}
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(page != MAP_FAILED && mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0 &&
	      munmap(page, 4096) == 0);
	return sum;
}

/* Returns how many bytes of the memory others wrote to. */
size_t sandbox_run(char *memory, size_t size)
{
	const uint64_t outside = _readgsbase_u64();
	size_t changed;

	memset(memory, 0, size);
	_writegsbase_u64((uint64_t)(uintptr_t)memory);
	changed = work(memory, 16);
	_writegsbase_u64(outside);
	for (size_t i = 0; i < size; i++)
		changed += memory[i] != 0;
	return changed;
}
