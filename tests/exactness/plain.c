/*
 * A small program for counting by single steps: lazy binding, functions that glibc
 * chooses by CPU, the vDSO, a loop at a function's entry, recursion, a callback.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static __attribute__((noinline, noclone)) long gcd(long a, long b)
{
	return b ? gcd(b, a % b) : a;
}

static __attribute__((noinline, noclone)) long tree(int depth)
{
	return depth ? tree(depth - 1) + tree(depth - 1) + 1 : 1;
}

static int backwards(const void *a, const void *b)
{
	return strcmp(b, a);
}

int main(void)
{
	char words[][8] = {"beam", "net", "lever", "spring", "wheel", "arm", "pin"};
	struct timespec now;
	struct timeval same;
	size_t letters = 0;
	long divisors = 0;

	for (int i = 0; i < 3; i++)
		clock_gettime(CLOCK_REALTIME, &now);
	gettimeofday(&same, NULL);
	qsort(words, sizeof(words) / sizeof(words[0]), sizeof(words[0]), backwards);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		letters += strlen(words[i]) + (strchr(words[i], 'e') != NULL);
	for (long n = 1; n < 20; n++)
		divisors += gcd(n * 36, 60 + n);
	printf("%s %zu %ld %ld %d\n", words[0], letters, divisors, tree(5),
	       now.tv_sec > 0 && same.tv_sec > 0 && time(NULL) > 0);
	return 0;
}
