/* Prints "before", and reads address 16 in poke. */
#include <stdio.h>
__attribute__((noinline)) int poke(int *p)
{
	return *p + 1;
}
int main(int c, char **v)
{
	(void)v;
	printf("before\n");
	fflush(stdout);
	return poke(c > 1 ? &c : (int *)16);
}
