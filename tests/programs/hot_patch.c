// build: gcc -O2 -pthread
// library: libhot_patch.so lib/hot_patch.c gcc -O2
// args: all
// output: ways 9 of 9
// expect: function=in_parent calls=900
// expect-process: program=hot_patch state=released count=11 reason=the.code.of
// expect-process: program=hot_patch state="exited 0" count=1
/*
 * Programs that overwrite entries of functions, each in a process of its own and each by
 * another way of getting at the code: they must find the bytes of their files there, in
 * the program and in its libraries, and what they write must run, however it is called.
 * Threads are at work in other functions meanwhile. The parent does nothing of this and
 * is measured to its end. With `wait` it begins when it has read a line. With `alone` the
 * first process does it, in one way.
 */
#include "lib/test.h"

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE    4096
#define THREADS 3
#define ROUNDS  200

int of_library(void);

/* Alone in its page. */
int patched(void);
int other(void);
__asm__(".pushsection .text\n"
	".p2align 12\n"
	".globl patched\n"
	".type patched, @function\n"
	"patched:\n"
	"	movl $1, %eax\n"
	"	ret\n"
	".size patched, . - patched\n"
	".p2align 12, 0\n" /* zeros, as in a new page */
	".globl other\n"
	".type other, @function\n"
	"other:\n"
	"	movl $2, %eax\n"
	"	ret\n"
	".size other, . - other\n"
	".p2align 12\n"
	".popsection\n");

static const uint8_t original[] = {0xb8, 1, 0, 0, 0, 0xc3};
static int (*volatile pointer)(void) = patched;
static volatile int going = 1;
static char stack[65536] __attribute__((aligned(16)));

KEPT static int direct(void)
{
	return patched() + 0;
}

KEPT static int in_parent(int n)
{
	return n + 1;
}

/* So that a release finds threads in trampolines, hooks and the loader. */
KEPT static int leaf(int n)
{
	ROOM();
	return n + 1;
}

static void *work(void *argument)
{
	volatile int n = 0;
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	while (going) {
		n = leaf(n);
		if (mprotect(page, PAGE, PROT_READ | PROT_WRITE))
			exit(3);
	}
	return argument;
}

static void *nothing(void *argument)
{
	return argument;
}

/* So that a release finds threads and processes that were made just then. */
static void *make_others(void *argument)
{
	pthread_t thread;
	int status;

	for (int i = 0; going; i++) {
		pid_t pid = i % 8 ? 0 : fork();

		if (i % 8 == 0 && pid == 0)
			_exit(9);
		if (pthread_create(&thread, NULL, nothing, NULL) ||
		    pthread_join(thread, NULL) ||
		    (pid &&
		     (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 9)))
			exit(4);
	}
	return argument;
}

/* The code segments of a module are as in its file. */
static int compare(struct dl_phdr_info *info, size_t size, void *problems)
{
	const char *name = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
	int fd = open(name, O_RDONLY);

	(void)size;
	for (int i = 0; i < info->dlpi_phnum && fd >= 0; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type != PT_LOAD || !(header->p_flags & PF_X))
			continue;
		void *file = malloc(header->p_filesz);

		if (pread(fd, file, header->p_filesz, (off_t)header->p_offset) !=
			    (ssize_t)header->p_filesz ||
		    memcmp(file, (void *)(info->dlpi_addr + header->p_vaddr),
			   header->p_filesz))
			++*(int *)problems;
		free(file);
	}
	if (fd >= 0)
		close(fd);
	return 0;
}

static void by_mprotect(char *page)
{
	CHECK(mprotect(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
}

static void by_two_steps(char *page)
{
	CHECK(mprotect(page, PAGE, PROT_READ | PROT_EXEC) == 0);
	CHECK(mprotect(page, PAGE + 1, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
}

static void by_key(char *page)
{
	CHECK(pkey_mprotect(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, -1) == 0);
}

static void by_number(char *page)
{
	CHECK(syscall(SYS_mprotect, page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
}

/* From the page in front, which is not the function's: the call covers both. */
static void by_wide_range(char *page)
{
	CHECK(mprotect(page - PAGE, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
}

static void by_mmap(char *page)
{
	CHECK(mmap(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page);
	memcpy(page, original, sizeof(original));
}

static void by_mremap(char *page)
{
	char *made = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(made, original, sizeof(original));
	CHECK(mremap(made, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page) == page);
}

/* A constant, by the function's own instruction. */
static void write_constant(char *entry, int32_t value)
{
	entry[0] = (char)0xb8;
	memcpy(entry + 1, &value, sizeof(value));
	entry[5] = (char)0xc3;
}

static void write_jump(char *entry, const void *target)
{
	int32_t distance = (int32_t)((intptr_t)target - (intptr_t)entry - 5);

	entry[0] = (char)0xe9;
	memcpy(entry + 1, &distance, sizeof(distance));
}

static int both(void)
{
	int value = direct();

	return value == pointer() ? value : -1;
}

static void patch_all(char *entry)
{
	CHECK(!memcmp(entry, original, sizeof(original)) && both() == 1);
	write_jump(entry, (const void *)other);
	CHECK(both() == 2);
	for (int i = 10; i < 10 + ROUNDS; i++) {
		write_constant(entry, i);
		CHECK(both() == i);
	}
	memcpy(entry, original, sizeof(original));
	CHECK(both() == 1);
}

/* Functions of a small library, and of a large one whose text is mapped from the cache.
 */
static void patch_libraries(void)
{
	char *functions[] = {(char *)of_library, (char *)getppid};
	char kept[8];

	for (int i = 0; i < 2; i++) {
		char *page = (char *)((uintptr_t)functions[i] & ~(uintptr_t)(PAGE - 1));
		int before = i ? getppid() : of_library();

		CHECK(mprotect(page, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
		memcpy(kept, functions[i], sizeof(kept));
		write_constant(functions[i], 4711);
		CHECK((i ? getppid() : of_library()) == 4711);
		memcpy(functions[i], kept, sizeof(kept));
		CHECK((i ? getppid() : of_library()) == before);
	}
}

static void with_threads(void (*open_page)(char *page))
{
	pthread_t threads[THREADS];
	int problems = 0;

	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, i ? work : make_others, NULL) ==
		      0);
	for (int i = 0; i < 1000; i++)
		CHECK(both() == 1);
	open_page((char *)patched);
	dl_iterate_phdr(compare, &problems);
	CHECK(problems == 0);
	patch_all((char *)patched);
	patch_libraries();
	going = 0;
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
}

/* In a process that shares the memory. */
static int in_other_process(void *way)
{
	((void (*)(char *))way)((char *)patched);
	write_constant((char *)patched, 77);
	return 5;
}

static void in_shared_memory(int flags)
{
	int status, child;

	CHECK(both() == 1);
	child = clone(in_other_process, stack + sizeof(stack), CLONE_VM | flags | SIGCHLD,
		      (void *)by_mprotect);
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
	CHECK(both() == 77);
	memcpy((char *)patched, original, sizeof(original));
	patch_all((char *)patched);
}

static int one(int number)
{
	static void (*const ways[])(char *) = {by_mprotect, by_two_steps, by_key,
					       by_number,   by_mmap,      by_wide_range,
					       by_mremap};
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (number < 7)
			with_threads(ways[number]);
		else
			in_shared_memory(number == 7 ? CLONE_VFORK : 0);
		exit(0);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int count, char **arguments)
{
	int good = 0, n = 0;

	CHECK(count == 2);
	if (!strcmp(arguments[1], "alone")) {
		with_threads(by_mprotect);
		return !puts("done");
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	if (!strcmp(arguments[1], "wait"))
		CHECK(printf("ready\n") && getchar() == '\n');
	for (int i = 0; i < 9; i++) {
		good += one(i);
		for (int k = 0; k < 100; k++)
			n = in_parent(n);
	}
	CHECK(n == 900);
	printf("ways %d of 9\n", good);
	return 0;
}
