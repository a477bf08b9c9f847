/*
 * Functions whose rare parts the compiler puts elsewhere, and that use them: on
 * conditions, for exceptions that are thrown, caught, and passed through, and in the
 * middle of loops.
 */
#include <cstdio>
#include <cstdlib>
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
/* Landing pads so close to each other that their calls have to make room; what these call
 * throws itself, at times, so that they return to where an unwinder saw them. */
APART void drop(long *held)
{
	sink = sink + *held;
	if (*held % 4 == 1) {
		try {
			throw *held;
		} catch (long thrown) {
			sink = sink - thrown;
		}
	}
}
struct holder {
	long *held;
	~holder()
	{
		drop(held);
	}
};
APART void step(long n, long at)
{
	sink = sink + at;
	if (n % 6 == at)
		throw n;
}
APART long tight(long n, long *values)
{
	holder one{values};
	step(n, 0);
	holder two{values + n % 3};
	step(n, 1);
	{
		holder three{values + n % 5};
		step(n, 2);
	}
	holder four{values + n % 7};
	step(n, 3);
	holder five{values + 1};
	step(n, 4);
	return n;
}
APART long loosened(long n, long *values)
{
	try {
		return tight(n, values);
	} catch (long thrown) {
		return -thrown;
	}
}
/* rare [TIMES]: how often all is done that single steps take long for. */
int main(int argc, char **argv)
{
	long sum = 0, values[8] = {3, 1, 4, 1, 5, 9, 2, 6};
	const long times = argc > 1 ? std::atol(argv[1]) : 3;
	for (long i = 0; i < 14 * times; i++)
		sum += loosened(i, values);
	for (long i = 0; i < 40 * times; i++) {
		sum += error_path(i);
		sum += catcher(i);
	}
	std::printf("sum %ld sink %ld\n", sum, (long)sink);
	return 0;
}
