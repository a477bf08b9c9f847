// Throws through frames that count, often enough to be known for it.
#include <cstdio>

static long unwound;

struct Guard {
	~Guard()
	{
		unwound++;
	}
};

__attribute__((noinline)) static void descend(int number, int depth)
{
	Guard guard;

	if (!depth)
		throw number;
	descend(number, depth - 1);
}

int main()
{
	long sum = 0;

	for (int i = 0; i < 20000; i++) {
		try {
			descend(i, i % 4);
		} catch (int number) {
			sum += number;
		}
	}
	printf("%ld %ld\n", sum, unwound);
	return 0;
}
