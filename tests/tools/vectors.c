/* Functions that are called with numbers in vector registers, in regions of the program's
 * own. */
#include <trammel/annotate.h>

#include <pthread.h>
#include <stdio.h>

#define CALLED __attribute__((noinline, noclone, used))

CALLED double add_doubles(double left, float right)
{
	__asm__ volatile("" ::: "memory");
	return left + (double)right;
}

/* xmm9 has the bytes 0 to 15; with AVX the other half of ymm9 has 16 to 31. */
CALLED void look_at_bytes(void)
{
	__asm__ volatile(".rept 12\n\tnop\n\t.endr" ::: "memory");
}

__attribute__((target("avx"))) static void look_wide(const unsigned char *bytes)
{
	__asm__ volatile(
		"vmovdqu (%0), %%ymm9\n\tcall look_at_bytes\n\tvzeroupper" ::"r"(bytes)
		: "memory", "xmm9", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
		  "r11", "cc");
}

static void look_narrow(const unsigned char *bytes)
{
	__asm__ volatile("movdqu (%0), %%xmm9\n\tcall look_at_bytes" ::"r"(bytes)
			 : "memory", "xmm9", "rax", "rcx", "rdx", "rsi", "rdi", "r8",
			   "r9", "r10", "r11", "cc");
}

CALLED void work(int number)
{
	__asm__ volatile(".rept 12\n\tnop\n\t.endr" ::"r"(number) : "memory");
}

static void work_in(const char *region, int times)
{
	trm_begin("region", region);
	for (int i = 0; i < times; i++)
		work(i);
}

static void *run_thread(void *argument)
{
	work_in("thread", 30);
	trm_end("region");
	work(0);
	return argument;
}

int main(void)
{
	unsigned char bytes[32];
	pthread_t thread;
	double sum = 0;

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)i;
	for (int i = 0; i < 10; i++)
		sum += add_doubles(i * 1.5, (float)i / 4);
	if (__builtin_cpu_supports("avx"))
		look_wide(bytes);
	else
		look_narrow(bytes);
	work(1);
	work(2);
	work_in("outer", 5);
	work_in("inner", 7);
	trm_end("region");
	work(3);
	trm_end("region");
	pthread_create(&thread, NULL, run_thread, NULL);
	pthread_join(thread, NULL);
	printf("%.3f %d\n", sum, __builtin_cpu_supports("avx") ? 32 : 16);
	return 0;
}
