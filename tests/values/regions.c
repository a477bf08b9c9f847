/*
 * One function whose second argument says in which region it is called.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <trammel/annotate.h>

#define KEPT __attribute__((noipa))

/* The argument is left in its register in each round. */
KEPT uint64_t multiply(uint64_t sum, uint64_t by)
{
	for (int i = 0; i < 400; i++) {
		__asm__ volatile("mov %0, %0" : "+S"(by));
		sum = sum * 5 + (by ^ sum >> 3);
	}
	return sum;
}

static void *elevens(void *rounds)
{
	uint64_t sum = 0;

	trm_begin("region", "elevens");
	for (unsigned long r = 0; r < 3 * (uintptr_t)rounds; r++)
		sum += multiply(r, 11);
	trm_end("region");
	return (void *)(uintptr_t)sum;
}

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	pthread_t thread;
	void *more;
	uint64_t sum = 0;

	pthread_create(&thread, NULL, elevens, (void *)(uintptr_t)rounds);
	for (unsigned long r = 0; r < rounds; r++) {
		trm_begin("region", "threes");
		sum += multiply(r, 3);
		trm_end("region");
		trm_begin("region", "fives");
		sum += multiply(r, 5);
		trm_begin("region", "sevens");
		sum += multiply(r, 7);
		trm_end("region");
		trm_end("region");
		sum += multiply(r, 2);
	}
	pthread_join(thread, &more);
	printf("%016lx\n", (unsigned long)(sum + (uintptr_t)more));
	return 0;
}
