/* Touches 4,000 pages for the first time, each by a fault of its own. */
#include <stdio.h>
#include <sys/mman.h>

enum { PAGES = 4000, PAGE = 4096 };

int main(void)
{
	char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
	for (int i = 0; i < PAGES; i++)
		((volatile char *)memory)[i * PAGE] = 1;
	return 0;
}
