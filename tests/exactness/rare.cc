/*
 * Functions whose rare parts the compiler puts elsewhere, and that use them: on
 * conditions, for exceptions that are thrown, caught, and passed through, and in the
 * middle of loops.
 */
#include <cstdio>
#include <stdexcept>
#include <string>
#define APART __attribute__((noinline, noclone))
volatile long sink;
APART __attribute__((cold)) void report(long n)
{
	sink = sink + n;
}
APART long error_path(long n)
{
	if (__builtin_expect(n % 7 == 3, 0)) {
		for (long i = 0; i < n % 5; i++) {
			if (i & 1)
				report(i);
			else
				sink = sink - 1;
		}
		return sink & 15;
	}
	return n + 1;
}
APART long thrower(long n)
{
	std::string text = "value " + std::to_string(n);
	if (__builtin_expect(n % 3 == 0, 0)) {
		sink = sink + 1;
		throw std::runtime_error(text);
	}
	return (long)text.size();
}
APART long cleaner(long n)
{
	std::string one(n % 40, 'x');
	try {
		return thrower(n) + (long)one.size();
	} catch (const std::logic_error &error) {
		return -1;
	}
}
APART long catcher(long n)
{
	try {
		return cleaner(n);
	} catch (const std::runtime_error &error) {
		if (n % 2)
			report(n);
		return error.what()[0];
	}
}
int main()
{
	long sum = 0;
	for (long i = 0; i < 120; i++) {
		sum += error_path(i);
		sum += catcher(i);
	}
	std::printf("sum %ld sink %ld\n", sum, (long)sink);
	return 0;
}
