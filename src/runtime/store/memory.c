#include "runtime/store/memory.h"
#include "runtime/store/lock.h"

#include <sys/mman.h>
#include <sys/resource.h>

bool memory_is_modest(uint64_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	       size <= limit.rlim_cur / 8;
}

void *runtime_map(size_t size)
{
	void *memory = runtime_sealed || !memory_is_modest(size)
			       ? MAP_FAILED
			       : mmap(NULL, size, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void runtime_unmap(void *memory, size_t size)
{
	if (memory && !runtime_sealed)
		munmap(memory, size);
}
