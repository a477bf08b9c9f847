/* Functions and data whose types test_types.c asks for. */
#include <stdint.h>

enum typed_colour { TYPED_RED = -1, TYPED_GREEN };

struct typed_inner {
	char letter;
	unsigned short words[3];
};

struct typed_request {
	uint64_t id;
	const char *path;
	struct typed_request *next;
	unsigned int small : 3, large : 21;
	union {
		int number;
		float ratio;
	};
	struct typed_inner inner;
	enum typed_colour colour;
	int8_t signed_byte;
};

struct typed_pair {
	long first;
	int second;
};

struct typed_mixed {
	double ratio;
	long count;
};

struct typed_large {
	long words[4];
};

int typed_global = 17;
static struct typed_request typed_static;

long typed_take(struct typed_request *request, unsigned char byte, double ratio,
		struct typed_pair pair, struct typed_mixed mixed);
struct typed_large typed_return(long first, struct typed_large large, int a, int b, int c,
				int d, int e);
struct typed_request *typed_self(void);

__attribute__((noinline)) long typed_take(struct typed_request *request,
					  unsigned char byte, double ratio,
					  struct typed_pair pair,
					  struct typed_mixed mixed)
{
	return (long)request->id + byte + (long)ratio + pair.second + mixed.count;
}

__attribute__((noinline)) struct typed_large
typed_return(long first, struct typed_large large, int a, int b, int c, int d, int e)
{
	large.words[0] += first + a + b + c + d + e;
	return large;
}

struct typed_request *typed_self(void)
{
	typed_static.id = (uint64_t)typed_global;
	return &typed_static;
}
