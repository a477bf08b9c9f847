/* Switches whose cases are counted by what is dispatched on, with tables near and far
 * from their jumps, shared bodies and holes. Prints for each switch how often the block
 * with a label was dispatched to. Labels are symbols of the program. */
#include <stdio.h>

#define LABEL(name) __asm__ volatile(".globl " #name "\n" #name ": nop")

enum { NEAR = 12, FAR = 8 };

static unsigned long near_counts[NEAR], far_counts[FAR];

/* 0, 2 and 5 share a body; 7 to 9 are the default's, by the table. */
__attribute__((noinline)) static int dispatch_near(unsigned value)
{
	switch (value) {
	case 0:
	case 2:
	case 5:
		LABEL(near_even);
		return 3;
	case 1:
		LABEL(near_1);
		return 5;
	case 3:
		LABEL(near_3);
		return 7;
	case 4:
		LABEL(near_4);
		return 1;
	case 6:
		LABEL(near_6);
		return 9;
	case 10:
		LABEL(near_10);
		return 2;
	case 11:
		LABEL(near_11);
		return 4;
	default:
		LABEL(near_default);
		return 0;
	}
}

/* The address of the table is loaded in front of the loop, where code is optimised. */
__attribute__((noinline)) static int dispatch_far(const unsigned char *codes, int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		switch (codes[i] & 7) {
		case 0:
			LABEL(far_0);
			sum += 3;
			break;
		case 1:
			LABEL(far_1);
			sum ^= 5;
			break;
		case 2:
		case 6:
			LABEL(far_2);
			sum -= i;
			break;
		case 3:
			LABEL(far_3);
			sum *= 3;
			break;
		case 4:
			LABEL(far_4);
			sum = -sum;
			break;
		case 5:
			LABEL(far_5);
			sum <<= 1;
			break;
		case 7:
			LABEL(far_7);
			sum += 2;
		}
	return sum;
}

static void print_row(const char *label, unsigned long count)
{
	if (count)
		printf("%s %lu\n", label, count);
}

int main(void)
{
	static unsigned char codes[5000];
	static const char *const names[NEAR] = {
		"near_even",    "near_1",       "near_even", "near_3",
		"near_4",       "near_even",    "near_6",    "near_default",
		"near_default", "near_default", "near_10",   "near_11"};
	static const char *const far_names[FAR] = {"far_0", "far_1", "far_2", "far_3",
						   "far_4", "far_5", "far_2", "far_7"};
	unsigned seed = 7;
	int sum = 0;

	for (int i = 0; i < 5000; i++) {
		seed = seed * 1103515245u + 12345u;
		codes[i] = (unsigned char)(seed >> 16 & seed >> 20);
		far_counts[codes[i] & 7]++;
		near_counts[(seed >> 8) % NEAR]++;
		sum += dispatch_near((seed >> 8) % NEAR);
	}
	sum += dispatch_far(codes, 5000);
	for (int i = 0; i < NEAR; i++)
		print_row(names[i], near_counts[i]);
	for (int i = 0; i < FAR; i++)
		print_row(far_names[i], far_counts[i]);
	fprintf(stderr, "%d\n", sum);
	return 0;
}
