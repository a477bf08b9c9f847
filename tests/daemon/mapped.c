/* Code that the program copies to memory itself, for a daemon that is told of it. It says
 * where: "PID START SIZE +OFFSET FILE", and runs until it is killed. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern char __executable_start[], __etext[];

__attribute__((noinline, aligned(64))) unsigned long copied_loop(unsigned long n)
{
	for (unsigned long i = n; i; i--)
		__asm__ volatile("" : "+r"(n));
	return n;
}

int main(void)
{
	char path[4096];
	const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const uintptr_t page = (uintptr_t)copied_loop & ~4095ul;
	char *copy = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	unsigned long (*run)(unsigned long n);

	path[length] = '\0';
	memcpy(copy, (void *)page,
	       (uintptr_t)__etext - page < 8192 ? (uintptr_t)__etext - page : 8192);
	mprotect(copy, 8192, PROT_READ | PROT_EXEC);
	/* Text lies in the file as far from its start as in memory:
	 * -Wl,-z,noseparate-code. */
	printf("%d %lx 2000 +%lx %s\n", (int)getpid(), (unsigned long)copy,
	       (unsigned long)(page - (uintptr_t)__executable_start), path);
	fflush(stdout);
	*(void **)&run = copy + ((uintptr_t)copied_loop - page);
	for (;;)
		run(1000000);
}
