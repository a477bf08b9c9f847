/*
 * For the rule `unused`. HIT: functions that nothing refers to; MENDED: they are gone.
 * MISS: functions that are not executed, but referred to.
 *
 * build: gcc -O2 -g
 * measure: -m functions
 * finding: unused
 */
#include <stdio.h>
#include <stdlib.h>

#ifndef MENDED
__attribute__((noinline)) int old_way(int a)
{
	return a * 3 + 1;
}

__attribute__((noinline)) int older_way(const char *text)
{
	return puts(text);
}
#endif

int main(int argc, char **argv)
{
#ifdef MISS
	static int (*const ways[])(const char *) = {older_way};

	if (argc > 5)
		return ways[argc % 1](argv[1]) + old_way(argc);
#endif
	printf("%d %s\n", argc > 1 ? atoi(argv[1]) : 0, argv[0] ? "here" : "");
	return 0;
}
