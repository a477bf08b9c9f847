// build: g++ -O2 -freorder-blocks-and-partition
// output: rare 100
// expect: function="work(int)" calls=10000
// expect: function="report(int)" calls=100
// expect-absent: work(int) [clone .cold]
// expect-absent: _Z4worki.cold
/* Functions whose rare part the compiler puts elsewhere: no function of its own. */
#include "lib/test.h"

static int rare;

__attribute__((cold)) KEPT void report(int n)
{
	rare += n > 0;
}

KEPT int work(int n)
{
	if (__builtin_expect(n % 100 == 99, 0)) {
		report(n);
		if (n == 9999)
			throw n;
		return n * 2;
	}
	return n + 1;
}

int main()
{
	volatile int sum = 0;

	try {
		for (int i = 0; i < 10000; i++)
			sum = sum + work(i);
	} catch (int n) {
		CHECK(n == 9999);
	}
	std::printf("rare %d\n", rare);
	return 0;
}
