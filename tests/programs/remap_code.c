// build: gcc -O2
// output: 200
// expect: function=counted calls=100 at-least
// expect-process: program=remap_code state="released" reason="maps something else over"
/*
 * A program copies its code to other memory and moves that into its place, as libraries
 * do that put code into large pages: it runs on as it would, and is measured until then.
 */
#include "lib/test.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

KEPT static long counted(long value)
{
	ROOM();
	return value + 1;
}

static long (*volatile call)(long) = counted;

static long count_all(long sum)
{
	for (int i = 0; i < 100; i++)
		sum = call(sum);
	return sum;
}

static void find_code(uintptr_t *ret_start, uintptr_t *ret_end)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[1000];

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 &&
		    start <= (uintptr_t)counted && (uintptr_t)counted < end) {
			*ret_start = start;
			*ret_end = end;
		}
	fclose(maps);
}

int main(void)
{
	uintptr_t start = 0, end = 0;
	long sum = count_all(0);

	find_code(&start, &end);
	CHECK(start && end > start);
	void *copy = mmap(NULL, end - start, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(copy != MAP_FAILED);
	memcpy(copy, (void *)start, end - start);
	CHECK(!mprotect(copy, end - start, PROT_READ | PROT_EXEC));
	CHECK(mremap(copy, end - start, end - start, MREMAP_MAYMOVE | MREMAP_FIXED,
		     (void *)start) == (void *)start);
	printf("%ld\n", count_all(sum));
	return 0;
}
