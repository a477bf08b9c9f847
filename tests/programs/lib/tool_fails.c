/* A tool that fails as $HOW says: see failure/tools.py. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end(void)
{
	puts("ended");
}

static void fault(void)
{
	*(volatile int *)8 = 1;
}

static void stop(void)
{
	__builtin_trap();
}

static void divide(void)
{
	volatile int zero = 0;

	printf("%d\n", 7 / zero);
}

static void fail_assertion(void)
{
	assert(!"so it is");
}

static void leave(void)
{
	exit(3);
}

static void leave_now(void)
{
	_exit(3);
}

static void loop(void)
{
	for (;;)
		__asm__ volatile("");
}

static void wait_forever(void)
{
	for (;;)
		sleep(1000);
}

static volatile int deeper = 1;

static int dive(int depth)
{
	volatile char room[4096];

	memset((char *)(unsigned long)room, depth, sizeof(room));
	return deeper ? dive(depth + 1) + room[0] : 0;
}

static void overflow(void)
{
	dive(0);
}

void _halt_startup(void);

__attribute__((visibility("default"))) void _halt_startup(void)
{
	static const struct {
		const char *name;
		void (*act)(void);
	} ways[] = {
		{"fault", fault},           {"stop", stop},
		{"divide", divide},         {"abort", abort},
		{"assert", fail_assertion}, {"exit", leave},
		{"_exit", leave_now},       {"loop", loop},
		{"wait", wait_forever},     {"overflow", overflow},
	};
	const char *how = getenv("HOW");

	atexit(end);
	for (size_t i = 0; how && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(how, ways[i].name))
			ways[i].act();
}
