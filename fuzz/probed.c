/*
 * Functions that probes are put on by probe_fuzz.c: with parameters of all kinds, loops,
 * calls and jumps to each other. A shared object without a C library.
 */
#include <stdint.h>

enum colour { RED = -1, GREEN };

struct inner {
	char letter;
	unsigned short words[3];
};

struct request {
	uint64_t id;
	const char *name;
	struct request *next;
	unsigned int kind : 3, length : 21;
	union {
		int number;
		float ratio;
	};
	struct inner inner;
	enum colour colour;
	double weight;
};

struct pair {
	long first;
	int second;
};

int shared = 17;
static struct request last;

long solve(struct request *request, unsigned char byte, double ratio, struct pair pair);
double scale(double number, float factor, long times);
long parse(const char *text, int count);
long tail(long number);
void store(long *to, const long *from, int count);

__attribute__((noinline)) long solve(struct request *request, unsigned char byte,
				     double ratio, struct pair pair)
{
	long sum = (long)request->id + byte + (long)ratio + pair.second;

	for (struct request *at = request; at; at = at->next) {
		sum += at->length;
		for (int i = 0; i < at->inner.words[1]; i++)
			sum += parse(at->name, i);
	}
	last = *request;
	return sum;
}

__attribute__((noinline)) double scale(double number, float factor, long times)
{
	while (times-- > 0)
		number *= (double)factor;
	return number;
}

__attribute__((noinline)) long parse(const char *text, int count)
{
	long sum = shared;

	while (*text && count--)
		sum = sum * 31 + *text++;
	return sum;
}

__attribute__((noinline)) long tail(long number)
{
	return number > 7 ? tail(number / 2) : parse("seven", (int)number);
}

__attribute__((noinline)) void store(long *to, const long *from, int count)
{
	for (int i = 0; i < count; i++)
		to[i] = from[i] + last.inner.letter;
}
