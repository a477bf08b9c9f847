/* Calls forms(), written by forms.py, so many rounds; prints a hash of what it leaves. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AREA   4096
#define STATES 8

uint64_t area[AREA / 8] __attribute__((aligned(64)));
static uint64_t fresh[AREA / 8];
static uint64_t states[STATES][64] __attribute__((aligned(64)));

void forms(const uint64_t *state);

static uint64_t next(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return *random >> 16;
}

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 8;
	uint64_t random = 1, hash = 14695981039346656037u;

	for (int i = 0; i < AREA / 8; i++) {
		/* Doubles of a usual size, so that floating-point values are any. */
		double number = (double)(int64_t)(next(&random) % 2000) / 8 - 100;

		memcpy(fresh + i, &number, sizeof(number));
	}
	for (int s = 0; s < STATES; s++)
		for (int i = 0; i < 64; i++)
			states[s][i] = next(&random) << (i < 16 ? 16 : 0);
	for (unsigned long r = 0; r < rounds; r++) {
		memcpy(area, fresh, AREA);
		forms(states[r % STATES]);
		for (int i = 0; i < AREA / 8; i++)
			hash = (hash ^ area[i]) * 1099511628211u;
	}
	printf("%016lx\n", (unsigned long)hash);
	return 0;
}
