// A C++ program whose calls take every usual form: virtual, through pointers, recursive,
// tail, inlined from templates into several, across libraries, and left by an exception.
// Output and counts are the same on every run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define APART __attribute__((noinline, noclone))

struct Shape {
	virtual ~Shape()
	{
	}
	virtual long area() const = 0;
};

struct Square : Shape {
	long side;
	APART explicit Square(long s) : side(s)
	{
	}
	APART long area() const override
	{
		return side * side;
	}
};

struct Strip : Shape {
	long width, height;
	APART Strip(long w, long h) : width(w), height(h)
	{
		if (w % 17 == 0)
			throw std::invalid_argument("too wide");
	}
	APART long area() const override
	{
		return width * height;
	}
};

// The compiler turns the call of itself into a branch to the first instruction.
APART static long gcd(long a, long b)
{
	return b ? gcd(b, a % b) : a;
}

APART static long ackermann(long m, long n)
{
	if (!m)
		return n + 1;
	return n ? ackermann(m - 1, ackermann(m, n - 1)) : ackermann(m - 1, 1);
}

static bool is_odd(unsigned n);
APART static bool is_even(unsigned n)
{
	return n ? is_odd(n - 1) : true;
}
APART static bool is_odd(unsigned n)
{
	return n ? is_even(n - 1) : false;
}

APART static int by_last_digit(const void *a, const void *b)
{
	int x = *static_cast<const int *>(a), y = *static_cast<const int *>(b);
	return x % 10 != y % 10 ? x % 10 - y % 10 : (x > y) - (x < y);
}

APART static std::unique_ptr<Shape> make(long n)
{
	if (n % 2)
		return std::make_unique<Square>(n);
	return std::make_unique<Strip>(n, n + 1);
}

APART static long total(long limit, long &failures)
{
	std::vector<std::unique_ptr<Shape>> shapes;
	long sum = 0;

	for (long n = 0; n < limit; n++) {
		try {
			shapes.push_back(make(n));
		} catch (const std::invalid_argument &) {
			failures++;
		}
	}
	for (const auto &shape : shapes)
		sum += shape->area();
	return sum;
}

APART static size_t words(long limit)
{
	std::map<std::string, long> counts;
	std::function<void(long)> add = [&counts](long n) {
		counts["key" + std::to_string(n % 97)] += n;
	};

	for (long n = 0; n < limit; n++)
		add(n);
	return counts.size();
}

int main()
{
	long failures = 0, divisors = 0;
	std::vector<int> numbers;

	printf("%ld\n", total(1000, failures));
	for (long n = 1; n < 400; n++)
		divisors += gcd(n * 7919, 360360 + n);
	for (int n = 0; n < 500; n++)
		numbers.push_back(n * 7919 % 1009);
	std::sort(numbers.begin(), numbers.end(), std::greater<int>());
	qsort(numbers.data(), numbers.size(), sizeof(int), by_last_digit);
	printf("%ld %ld %ld\n", failures, divisors, ackermann(2, 40));
	printf("%d %d %zu\n", is_even(2000), numbers[77], words(3000));
	return 0;
}
