// build: gcc -O2 -pthread
// build(static): gcc -O2 -pthread -static
// output: protected 5000, remapped 500, moved 100
// expect: function=counted calls=5600
// expect-process: program=protect_data state="exited 0" count=1
/*
 * Changes of mappings that are not the program's code, and of code without a right to
 * write: the program is measured to its end.
 */
#include "lib/test.h"

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

static char data[4 * PAGE] __attribute__((aligned(PAGE)));

KEPT static int counted(int n)
{
	ROOM();
	return n + 1;
}

static char *map(size_t size)
{
	char *made = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	CHECK(made != MAP_FAILED);
	return made;
}

/* As JIT compilers do; and the text of this program, made readable, which it is. */
static int protect(void)
{
	char *text = (char *)((uintptr_t)counted & ~(uintptr_t)(PAGE - 1));
	char *code = map(PAGE);
	int n = 0;

	for (int i = 0; i < 1000; i++) {
		CHECK(!mprotect(code, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC));
		code[0] = (char)0xc3;
		CHECK(!mprotect(code, PAGE, PROT_READ | PROT_EXEC));
		((void (*)(void))code)();
		CHECK(!mprotect(data, sizeof(data), i % 2 ? PROT_READ : PROT_WRITE));
		CHECK(!mprotect(text, PAGE, PROT_READ | PROT_EXEC));
		CHECK(!syscall(SYS_mprotect, data, PAGE, PROT_READ | PROT_WRITE));
		for (int k = 0; k < 5; k++)
			n = counted(n);
	}
	/* Ranges that are none: the kernel's answer, and nothing of ours. */
	CHECK(mprotect((char *)1, PAGE, PROT_WRITE) < 0);
	CHECK(mprotect((char *)(uintptr_t)-PAGE, SIZE_MAX, PROT_WRITE) < 0);
	CHECK(!munmap(code, PAGE));
	return n;
}

static int remap(void)
{
	char *place = map(4 * PAGE);
	int n = 0;

	for (int i = 0; i < 500; i++) {
		CHECK(mmap(place + PAGE, PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			   0) == place + PAGE);
		place[PAGE] = 1;
		n = counted(n);
	}
	CHECK(!munmap(place, 4 * PAGE));
	return n;
}

/* mremap, by realloc of large blocks and to a given place. */
static int move(void)
{
	char *block = malloc(1 << 20), *from, *to = map(PAGE);
	int n = 0;

	for (size_t i = 1; i <= 100; i++) {
		block = realloc(block, (1 << 20) + i * (1 << 18));
		CHECK(block);
		from = map(PAGE);
		CHECK(mremap(from, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
		n = counted(n);
	}
	free(block);
	return n;
}

/* An arena of malloc's grows by mprotect. */
static void *fill_arena(void *argument)
{
	for (int i = 0; i < 2000; i++)
		if (!memset(malloc(1000), 1, 1000))
			return NULL;
	return argument;
}

int main(void)
{
	pthread_t threads[4];
	int protected, remapped;

	for (int i = 0; i < 4; i++)
		CHECK(pthread_create(&threads[i], NULL, fill_arena, NULL) == 0);
	protected = protect();
	remapped = remap();
	printf("protected %d, remapped %d, moved %d\n", protected, remapped, move());
	for (int i = 0; i < 4; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	return 0;
}
