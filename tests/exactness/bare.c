/*
 * A program without libraries: all that runs is here, so that the sums of all loads and
 * stores can be compared. Built for the plainest processor, with loops of scalars and
 * vectors, recursion, and one string instruction of REPEATED passes.
 */
enum { TABLE = 4096, REPEATED = 300 };

static int table[TABLE];
static double sums[256];
static volatile long sink;

__attribute__((noinline)) static long mix(long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++) {
		sum += table[i % TABLE];
		if (sum & 8)
			table[i & 63] ^= (int)i;
	}
	return sum;
}

__attribute__((noinline)) static double series(int count)
{
	double x = 0;

	for (int i = 0; i < count; i++) {
		x = x * 0.5 + i;
		sums[i & 255] += x;
	}
	return x;
}

__attribute__((noinline)) static void triple(int *restrict to, const int *restrict from,
					     int count)
{
	for (int i = 0; i < count; i++)
		to[i] = from[i] * 3;
}

__attribute__((noinline)) static void descend(int depth)
{
	if (!depth)
		return;
	descend(depth - 1);
	sink++;
}

__attribute__((noreturn, force_align_arg_pointer)) void _start(void)
{
	char bytes[REPEATED];
	char *to = bytes;
	long count = REPEATED;

	for (int j = 0; j < 500; j++) {
		table[j] = j;
		sink += mix(j);
	}
	sink += (long)series(1000);
	for (int i = 0; i < 50; i++)
		triple(table, table + TABLE / 2, TABLE / 8);
	descend(100);
	__atomic_fetch_add(&sink, 1, __ATOMIC_SEQ_CST);
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(0) : "memory");
	__asm__ volatile("syscall" : : "a"(231 /* exit_group */), "D"(0));
	__builtin_unreachable();
}
