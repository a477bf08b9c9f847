/* HALT's routine for jumps through tables: counts by id and index. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { IDS = 8, TARGETS = 64 };

static uint64_t counts[IDS][TARGETS];

void _record_mbr(uint64_t index, uint64_t id);
void _record_mbr(uint64_t index, uint64_t id)
{
	if (id >= IDS || index >= TARGETS)
		abort();
	counts[id][index]++;
}

static void print_counts(void)
{
	for (int id = 0; id < IDS; id++)
		for (int index = 0; index < TARGETS; index++)
			if (counts[id][index])
				fprintf(stderr, "mbr %d %d %lu\n", id, index,
					(unsigned long)counts[id][index]);
}

void _halt_startup(void);
void _halt_startup(void)
{
	atexit(print_counts);
}
