/* Calls leaf 4,950 times, from 100 calls of middle. Prints "490050 7". */
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
__attribute__((noinline)) int leaf(int x)
{
	return x * 3 + 1;
}
__attribute__((noinline)) int middle(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += leaf(i);
	return sum;
}
int main(int argc, char **argv)
{
	int total = 0;
	for (int i = 0; i < 100; i++)
		total += middle(i);
	char a[64], b[64];
	memset(a, 7, sizeof(a));
	memcpy(b, a, sizeof(b));
	printf("%d %d\n", total, b[3]);
	return 0;
}
