/*
 * For the rule `exceptions`. HIT: a number that is none is told by an exception, which is
 * every other one; MENDED: by a value. MISS: exceptions that are rare.
 *
 * build: g++ -O2 -g -std=c++17
 * measure: -m blocks,calls
 * finding: exceptions
 */
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

__attribute__((noinline)) static long parse(const char *text)
{
	char *end;
	const long number = strtol(text, &end, 10);

	if (*end)
		throw std::runtime_error("no number");
	return number;
}

__attribute__((noinline)) static std::optional<long> try_parse(const char *text)
{
	char *end;
	const long number = strtol(text, &end, 10);

	if (*end)
		return std::nullopt;
	return number;
}

__attribute__((noinline)) static long read_one(const char *text)
{
	try {
		return parse(text);
	} catch (const std::runtime_error &) {
		return -1;
	}
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 4000;
#ifdef MISS
	const int every = 500;
#else
	const int every = 2;
#endif
	long sum = 0;

	for (int i = 0; i < rounds; i++) {
		const char *text = i % every ? "123" : "x";

#ifdef MENDED
		sum += try_parse(text).value_or(-1);
#else
		sum += read_one(text);
#endif
	}
	if (argc > 5)
		sum += *try_parse(argv[4]);
	printf("%ld\n", sum);
	return 0;
}
