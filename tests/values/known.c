/*
 * Values of known shares. build: gcc -O1 -g
 *
 * loads(): three of four loads are 7, one in sixteen branches is taken, addresses are 8
 * apart. partial(): 4 bytes are stored of the 8 that are loaded next. alias(): a store a
 * page away.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define KEPT __attribute__((noipa))

static uint64_t table[256];
static uint8_t pages[8192] __attribute__((aligned(4096)));

KEPT static uint64_t loads(uint64_t rounds)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		sum += table[i & 255] * 3;
		if ((i & 15) == 7)
			sum ^= i;
	}
	return sum;
}

KEPT static uint64_t partial(uint64_t rounds)
{
	uint64_t sum = 0;

	while (rounds--) {
		*(volatile uint32_t *)(pages + 64) = (uint32_t)rounds;
		sum += *(volatile uint64_t *)(pages + 64);
	}
	return sum;
}

KEPT static uint64_t alias(uint64_t rounds)
{
	uint64_t sum = 0;

	while (rounds--) {
		*(volatile uint64_t *)(pages + 128) = rounds;
		sum += *(volatile uint64_t *)(pages + 4096 + 128);
	}
	return sum;
}

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 256; i++)
		table[i] = i % 4 ? 7 : i + 1000;
	for (unsigned long r = 0; r < rounds; r++)
		sum += loads(4096) + partial(1024) + alias(1024);
	printf("%016lx\n", (unsigned long)sum);
	return 0;
}
