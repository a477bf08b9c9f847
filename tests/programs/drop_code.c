// build: gcc -O2
// build(static): gcc -O2 -static
// output: 600
// expect: function=counted calls=600
// expect-process: program=drop_code state="exited 0" count=1
/*
 * A program drops the pages of its code (MADV_DONTNEED), all of them or some, with other
 * memory and without: it goes on being counted, and the other memory is dropped.
 */
#include "lib/test.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

KEPT static long counted(long value)
{
	ROOM();
	return value + 1;
}

static long (*volatile call)(long) = counted;

/* The executable mapping that holds the program's code. */
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

static long count_all(void)
{
	long sum = 0;

	for (int i = 0; i < 100; i++)
		sum = call(sum);
	return sum;
}

/* The page in front of the code, whose last byte is changed; and what that was. */
static char *change_in_front(uintptr_t start, char *ret_was)
{
	char *page = (char *)(start - PAGE);

	CHECK(!mprotect(page, PAGE, PROT_READ | PROT_WRITE));
	*ret_was = page[PAGE - 1];
	page[PAGE - 1] ^= 1;
	return page;
}

int main(void)
{
	uintptr_t start = 0, end = 0;
	long sum = count_all();

	find_code(&start, &end);
	CHECK(start && end > start);
	CHECK(!madvise((void *)start, end - start, MADV_DONTNEED));
	sum += count_all();
	CHECK(!madvise((void *)((uintptr_t)counted & -(uintptr_t)PAGE), PAGE,
		       MADV_DONTNEED));
	sum += count_all();
	CHECK(!syscall(SYS_madvise, start, PAGE, MADV_DONTNEED));
	CHECK(!syscall(SYS_madvise, start, end - start, MADV_DONTNEED));
	sum += count_all();
	/* What the kernel refuses is refused. */
	CHECK(madvise((void *)(start + 1), PAGE, MADV_DONTNEED) && errno == EINVAL);
	char was, *page = change_in_front(start, &was);

	CHECK(page[PAGE - 1] != was);
	CHECK(!madvise(page, end - start + PAGE, MADV_DONTNEED));
	CHECK(page[PAGE - 1] == was);
	sum += count_all();
	CHECK(!madvise((void *)start, end - start, MADV_PAGEOUT) || errno == EINVAL);
	sum += count_all();
	printf("%ld\n", sum);
	return 0;
}
