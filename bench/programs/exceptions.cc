// Throws and catches through several frames with destructors, some of them rethrown.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#define APART __attribute__((noinline, noclone))

static long cleanups;

struct Guard {
	~Guard()
	{
		cleanups++;
	}
};

struct Refusal : std::runtime_error {
	long code;
	explicit Refusal(long c) : std::runtime_error("refused"), code(c)
	{
	}
};

APART static long decide(long n)
{
	Guard guard;

	switch (n % 6) {
	case 0:
		throw Refusal(n);
	case 1:
		throw n;
	case 2:
		throw std::string("odd");
	default:
		return n & 15;
	}
}

APART static long descend(long n, long depth)
{
	Guard guard;

	return depth ? descend(n, depth - 1) + 1 : decide(n);
}

APART static long translate(long n)
{
	try {
		return descend(n, n % 5);
	} catch (const std::string &) {
		throw Refusal(n / 2);
	}
}

APART static long attempt(long n)
{
	try {
		return translate(n);
	} catch (const Refusal &refusal) {
		return refusal.code & 7;
	} catch (long value) {
		return value & 3;
	}
}

APART static long bounds(const std::vector<long> &list, long n)
{
	try {
		return list.at(static_cast<size_t>(n % 9));
	} catch (const std::out_of_range &) {
		return -1;
	}
}

int main(int argc, char **argv)
{
	long limit = argc > 1 ? atol(argv[1]) : 1000;
	std::vector<long> list(6, 1);
	long sum = 0;

	for (long n = 1; n <= limit; n++)
		sum += attempt(n) + bounds(list, n);
	printf("%ld %ld\n", sum, cleanups);
	return 0;
}
