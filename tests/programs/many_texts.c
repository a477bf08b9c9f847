// build: gcc -O2
// plugin: libhot_patch.so lib/hot_patch.c gcc -O2
// output: libraries 300, patched 3 of 3
// expect: function=of_library calls=300
// expect: function=protect calls=300
// expect-process: program=many_texts state="exited 0" count=1
// expect-process: program=many_texts state=released count=3 reason=the.code.of..copy
/*
 * More modules than the table of patched texts has rows: writes to code are noticed in
 * all of them, and data is not taken for code.
 */
#include "lib/test.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define COPIES 300
#define PAGE   4096

static int (*functions[COPIES])(void);

static void copy_file(const char *from, const char *to)
{
	static char bytes[1 << 20];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT, 0755);
	ssize_t size = read(in, bytes, sizeof(bytes));

	CHECK(in >= 0 && out >= 0 && size > 0 && write(out, bytes, (size_t)size) == size);
	close(in);
	close(out);
}

KEPT static void protect(char *page)
{
	CHECK(!mprotect(page, PAGE, PROT_READ));
	CHECK(!mprotect(page, PAGE, PROT_READ | PROT_WRITE));
}

static int patches(int index)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		char *entry = (char *)functions[index];
		int before = functions[index]();

		CHECK(!mprotect((char *)((uintptr_t)entry & ~(uintptr_t)(PAGE - 1)),
				2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC));
		CHECK(entry[0] == (char)0xb8 && entry[1] == 12);
		entry[1] = 13;
		_exit(before == 12 && functions[index]() == 13 ? 0 : 1);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int count, char **arguments)
{
	char *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char library[4096], copy[64];

	CHECK(count == 1 && page != MAP_FAILED);
	snprintf(library, sizeof(library), "%.*s/libhot_patch.so",
		 (int)(strrchr(arguments[0], '/') - arguments[0]), arguments[0]);
	for (int i = 0; i < COPIES; i++) {
		snprintf(copy, sizeof(copy), "./copy%d.so", i);
		copy_file(library, copy);
		void *handle = dlopen(copy, RTLD_NOW);

		CHECK(handle);
		*(void **)&functions[i] = dlsym(handle, "of_library");
		CHECK(functions[i]);
		protect(page);
	}
	for (int i = 3; i < COPIES; i++)
		CHECK(functions[i]() == 12);
	printf("libraries %d, patched %d of 3\n", COPIES,
	       patches(0) + patches(200) + patches(COPIES - 1));
	return 0;
}
