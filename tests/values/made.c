/* Runs code that it makes: a loop that adds threes, one that changes its own next number,
 * and one whose number another thread changes. Prints what they find, which is the same
 * whatever happens, and the address of the first. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef uint64_t routine(uint64_t rounds);

enum { PAGE = 4096 };

/* rax = 0; do rax += 3; while (--rdi); */
static const uint8_t threes[] = {
	0x31, 0xc0,             /* xor %eax, %eax */
	0x48, 0x83, 0xc0, 0x03, /* add $3, %rax */
	0x48, 0xff, 0xcf,       /* dec %rdi */
	0x75, 0xf7,             /* jne to the add */
	0xc3,
};

/* edx = 0; do { edx += 1000; ++(that 1000); } while (--rdi); return edx; */
static const uint8_t changing[] = {
	0x31, 0xd2,                         /* xor %edx, %edx */
	0xff, 0x05, 0x02, 0x00, 0x00, 0x00, /* incl in the next one */
	0x81, 0xc2, 0xe8, 0x03, 0x00, 0x00, /* add $1000, %edx */
	0x48, 0xff, 0xcf,                   /* dec %rdi */
	0x75, 0xef,                         /* jne to the incl */
	0x89, 0xd0, 0xc3,                   /* mov %edx, %eax; ret */
};

/* Waits until *rsi is edi, and returns a number that was written before that. */
static const uint8_t awaiting[] = {
	0x39, 0x3e,                   /* cmp %edi, (%rsi) */
	0x75, 0xfc,                   /* jne back to it */
	0x53, 0x31, 0xc0,             /* push %rbx; xor %eax, %eax */
	0x0f, 0xa2,                   /* cpuid: serializes */
	0x5b,                         /* pop %rbx */
	0xb8, 0x00, 0x00, 0x00, 0x00, /* mov $0, %eax */
	0xc3,
};

static uint8_t *page;
static volatile uint32_t asked, told;

static void *change_code(void *count)
{
	for (uint32_t i = 1; i <= *(uint32_t *)count; i++) {
		const uint32_t number = i * 7;

		while (__atomic_load_n(&asked, __ATOMIC_ACQUIRE) != i)
			continue;
		__atomic_store_n((uint32_t *)(page + 2048 + 11), number,
				 __ATOMIC_RELEASE);
		__atomic_store_n(&told, i, __ATOMIC_RELEASE);
	}
	return NULL;
}

static uint64_t exchange(uint32_t count)
{
	uint32_t (*await)(uint32_t, const volatile uint32_t *) = (void *)(page + 2048);
	pthread_t thread;
	uint64_t wrong = 0;

	if (pthread_create(&thread, NULL, change_code, &count))
		return 1;
	for (uint32_t i = 1; i <= count; i++) {
		__atomic_store_n(&asked, i, __ATOMIC_RELEASE);
		wrong += await(i, &told) != i * 7;
	}
	pthread_join(thread, NULL);
	return wrong;
}

int main(int argc, char **argv)
{
	const uint64_t rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;

	page = mmap((void *)0x100000000, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (page == MAP_FAILED)
		return 77;
	memcpy(page, threes, sizeof(threes));
	memcpy(page + 1024, changing, sizeof(changing));
	memcpy(page + 2048, awaiting, sizeof(awaiting));
	printf("%lu\n", (unsigned long)((routine *)(void *)page)(rounds * 10000));
	printf("%lu\n", (unsigned long)((routine *)(void *)(page + 1024))(rounds * 10));
	printf("%lu\n", (unsigned long)exchange((uint32_t)rounds / 8));
	return 0;
}
