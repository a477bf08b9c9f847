/* A program that looks at itself: in which of its functions is the time spent?
 *
 *     cc -O2 hot.c -ltrammel -lm -o hot && ./hot
 *
 * At each interrupt the handler notes where the thread was; that is all that it does,
 * since it may be in the midst of anything. The sums are made at the end. */
#include <trammel/upcall.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLACES_MAX = 100000, ROUNDS = 60 };

static uint64_t places[PLACES_MAX];
static uint32_t place_count;

static void note_place(struct trm_upcall *upcall)
{
	uint32_t at = __atomic_fetch_add(&place_count, 1, __ATOMIC_RELAXED);

	if (at < PLACES_MAX)
		places[at] = upcall->pc;
}

static __attribute__((noinline)) double sum_roots(int count)
{
	double sum = 0;

	for (int i = 1; i < count; i++)
		sum += sqrt(i) / i;
	return sum;
}

static __attribute__((noinline)) int count_primes(int below)
{
	int count = 0;

	for (int number = 2, divisor; number < below; number++) {
		for (divisor = 2; divisor * divisor <= number; divisor++)
			if (number % divisor == 0)
				break;
		count += divisor * divisor > number;
	}
	return count;
}

/* How many places are in these bytes of code. */
static uint32_t count_in(uintptr_t begin, uintptr_t end)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < place_count && i < PLACES_MAX; i++)
		found += places[i] >= begin && places[i] < end;
	return found;
}

int main(void)
{
	const struct trm_upcall_options options = {.size = sizeof(options),
						   .handler = note_place};
	struct trm_upcall_statistics statistics = {.size = sizeof(statistics)};
	uint32_t roots, primes;
	trm_upcall_id id;
	const char *trouble = trm_upcall_enable(&options, &id);
	double sum = 0;
	int count = 0;

	if (trouble) {
		fprintf(stderr, "no upcalls: %s\n", trouble);
		return 1;
	}
	for (int i = 0; i < ROUNDS; i++) {
		sum += sum_roots(1000000);
		count += count_primes(20000);
	}
	trm_upcall_statistics(id, &statistics);
	trm_upcall_disable(id);
	roots = count_in((uintptr_t)sum_roots, (uintptr_t)sum_roots + 128);
	primes = count_in((uintptr_t)count_primes, (uintptr_t)count_primes + 128);
	printf("%.3f, %d primes\n", sum, count);
	printf("sum_roots %u, count_primes %u, elsewhere %u of %llu upcalls by %s\n",
	       roots, primes, place_count - roots - primes,
	       (unsigned long long)statistics.upcalls, statistics.events[0].source);
	return 0;
}
