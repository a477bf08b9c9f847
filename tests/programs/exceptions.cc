// build: g++ -O2
// build(O0): g++ -O0
// build(O3): g++ -O3 -fno-plt
// build(clang): clang++ -O2
// build(static): g++ -O2 -static
// build(static-pie): g++ -O2 -static-pie
// output: caught 5000 of 5000
// expect: function="thrower(int)" calls=5100
// expect: function="middle(int)" calls=5000
// expect: function="outer(int)" calls=5000
// expect: function=Guard::~Guard() calls=10000
// expect: function="rethrower(int)" calls=100
// expect: function="nested_levels(int)" calls=606
/* Exceptions through several frames with clean-ups, rethrown, nested, in constructors. */
#include "lib/test.h"

#include <exception>
#include <stdexcept>
#include <string>

static long guards;

struct Guard {
	Guard()
	{
		guards++;
	}
	KEPT ~Guard();
};

Guard::~Guard()
{
	guards--;
}

KEPT int thrower(int n)
{
	if (n % 2)
		throw std::runtime_error("odd");
	throw n;
}

KEPT int middle(int n)
{
	Guard guard;
	return thrower(n) + 1;
}

KEPT int outer(int n)
{
	Guard guard;
	return middle(n) + 1;
}

KEPT int rethrower(int n)
{
	try {
		return thrower(n);
	} catch (const std::exception &) {
		throw;
	} catch (int value) {
		throw std::to_string(value);
	}
}

/* Throws a new exception while one is handled, at each level. */
KEPT int nested_levels(int depth)
{
	if (depth == 0)
		throw depth;
	try {
		return nested_levels(depth - 1);
	} catch (int level) {
		throw level + 1;
	}
}

struct Member {
	explicit Member(int n)
	{
		if (n == 3)
			throw std::logic_error("member");
	}
};

struct Constructed {
	std::string text;
	Member member;
	explicit Constructed(int n)
	try : text("constructed"), member(n) {
	} catch (const std::logic_error &error) {
		throw std::runtime_error(std::string("constructor: ") + error.what());
	}
};

static void count_all(void)
{
	int caught = 0;

	for (int i = 0; i < 5000 - 100; i++) {
		try {
			outer(i);
		} catch (const std::runtime_error &error) {
			caught += error.what() == std::string("odd");
		} catch (int value) {
			caught += value == i;
		}
	}
	for (int i = 0; i < 100; i++) {
		try {
			outer(i);
		} catch (...) {
			CHECK(std::uncaught_exceptions() == 0);
			caught++;
		}
	}
	std::printf("caught %d of 5000\n", caught);
}

int main()
{
	count_all();
	for (int i = 0; i < 100; i++) {
		try {
			rethrower(i);
		} catch (const std::string &text) {
			CHECK(text == std::to_string(i));
		} catch (const std::runtime_error &) {
			CHECK(i % 2);
		}
	}
	for (int i = 0; i < 6; i++) {
		try {
			nested_levels(100);
		} catch (int level) {
			CHECK(level == 100);
		}
	}
	try {
		Constructed good(1), bad(3);
	} catch (const std::runtime_error &error) {
		std::printf("%s\n", error.what());
	}
	CHECK(guards == 0);
	return 0;
}
