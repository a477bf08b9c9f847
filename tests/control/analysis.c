/* An analysis for labels of examples/control/calls_pass.py: how often each function began
 * and called in loops, to standard error when the program ends. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 256 };

static struct {
	const char *name;
	unsigned long entries, calls;
} counts[NAMES];

static int find(const char *name)
{
	int at = 0;

	while (at < NAMES - 1 && counts[at].name && strcmp(counts[at].name, name) != 0)
		at++;
	counts[at].name = name;
	return at;
}

__attribute__((visibility("default"))) void _record_entry(uint64_t id, const char *name)
{
	(void)id;
	counts[find(name)].entries++;
}

__attribute__((visibility("default"))) void _record_loop_call(uint64_t first, uint64_t id,
							      const char *name)
{
	(void)first;
	(void)id;
	counts[find(name)].calls++;
}

static void print(void)
{
	for (int i = 0; i < NAMES && counts[i].name; i++)
		fprintf(stderr, "%s %lu %lu\n", counts[i].name, counts[i].entries,
			counts[i].calls);
}

__attribute__((visibility("default"))) void _halt_startup(void);
__attribute__((visibility("default"))) void _halt_startup(void)
{
	atexit(print);
}
