// build: gcc -O2
// build(O1): gcc -O1
// build(clang): clang -O2
// build(fixed): gcc -O2 -no-pie
// output: jumped 3003000
// output: threaded 2002000
// output: differences 0
// output: mixed 1000 texts of 5000
// output: kept 1000
// expect: function=jump calls=1000
// expect: function=thread calls=1000
/* Tables of labels that are jumped through, and some that are read for other reasons. */
#include "lib/test.h"

enum { A, B, C, END };
static volatile int one = 1;

/* Nothing but jumps: with calls between, so that the table stays in a register. */
KEPT static long add(long a, long b)
{
	ROOM();
	return a + b;
}

KEPT static long jump(const int *code, long n)
{
	ROOM();
	static void *const labels[] = {&&a, &&b, &&c, &&end};
	long sum = 0;

	goto *labels[*code++];
a:
	sum = add(sum, n);
	goto *labels[*code++];
b:
	sum = add(sum, 2 * n);
	goto *labels[*code++];
c:
	sum += 3;
	goto *labels[*code++];
end:
	return sum;
}

/* The labels are put into the code of another machine. */
KEPT static long thread(const int *code, long n)
{
	ROOM();
	static void *const labels[] = {&&a, &&b, &&c, &&end};
	void *threaded[8], **next = threaded;
	long sum = 0;

	for (int i = 0; i < 4; i++)
		threaded[i] = labels[code[i]];
	goto **next++;
a:
	sum = add(sum, n);
	goto **next++;
b:
	sum = add(sum, n);
	goto **next++;
c:
	sum += 2;
	goto **next++;
end:
	return sum;
}

/* How far apart the labels lie is known elsewhere, too. */
KEPT static int compare(int start)
{
	ROOM();
	static char *const labels[] = {&&a, &&b, &&end};
	static const int distances[] = {0, &&b - &&a, &&end - &&a};
	int other = 0;

	for (int i = 0; i < 3; i++)
		other += labels[i * one] - labels[0] != distances[i];
	goto *labels[start];
a:
	other = add(other, 0);
	goto *labels[1 * one];
b:
	other = add(other, 0);
	goto *labels[2 * one];
end:
	return other;
}

/* Labels, nothing, and what is no label in one table. */
KEPT static int read_mixed(int index, int *texts)
{
	ROOM();
	static const void *const table[] = {&&a, 0, &&b, "text", (void *)5};
	const void *found = table[index];

	if (!found)
		return 0;
	if (index == 3)
		*texts += *(const char *)found == 't';
	if (index > 2)
		return index == 3 ? 0 : (int)(long)found;
	goto *found;
a:
	return (int)add(0, 0);
b:
	return (int)add(0, 0);
}

/* A label comes back to the caller. */
KEPT static const void *keep(int index)
{
	ROOM();
	static const void *const table[] = {&&a, &&b, &&end};

	goto *table[index];
a:
	add(1, 1);
	return table[1 * one];
b:
	add(1, 2);
end:
	return table[index];
}

int main(void)
{
	static const int code[] = {A, B, C, END};
	long jumped = 0, threaded = 0, mixed = 0, differences = 0, kept = 0;
	int texts = 0;

	for (int i = 0; i < 1000; i++) {
		jumped += jump(code, 1000);
		threaded += thread(code, 1000);
		differences += compare(0);
		for (int k = 0; k < 5; k++)
			mixed += read_mixed(k, &texts);
		kept += keep(0) == keep(1);
	}
	printf("jumped %ld\nthreaded %ld\ndifferences %ld\n", jumped, threaded,
	       differences);
	printf("mixed %d texts of %ld\nkept %ld\n", texts, mixed, kept);
	return 0;
}
