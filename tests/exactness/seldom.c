/* Five hundred functions that take turns, so that none of them runs often, until its
 * input says what else to do, a letter each: "l" has each take a branch that none took
 * before, "f" forks fifty children, of which each runs all. What was done is said in a
 * line. */
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 20000, CHILDREN = 50 };

static volatile unsigned sum;

#define EACH_8(x, n) x(n##0) x(n##1) x(n##2) x(n##3) x(n##4) x(n##5) x(n##6) x(n##7)
#define EACH_64(x, n)                                                                    \
	EACH_8(x, n##0)                                                                  \
	EACH_8(x, n##1)                                                                  \
	EACH_8(x, n##2)                                                                  \
	EACH_8(x, n##3)                                                                  \
	EACH_8(x, n##4)                                                                  \
	EACH_8(x, n##5)                                                                  \
	EACH_8(x, n##6)                                                                  \
	EACH_8(x, n##7)
#define EACH(x)                                                                          \
	EACH_64(x, 0)                                                                    \
	EACH_64(x, 1)                                                                    \
	EACH_64(x, 2)                                                                    \
	EACH_64(x, 3)                                                                    \
	EACH_64(x, 4)                                                                    \
	EACH_64(x, 5)                                                                    \
	EACH_64(x, 6)                                                                    \
	EACH_64(x, 7)

#define WORK(n)                                                                          \
	__attribute__((noinline)) static void work_##n(unsigned rounds, unsigned late)   \
	{                                                                                \
		for (unsigned i = 0; i < rounds; i++) {                                  \
			if (i % 3)                                                       \
				sum += i;                                                \
			else                                                             \
				sum ^= 1##n;                                             \
			if (late && i == rounds / 2)                                     \
				sum *= 1##n;                                             \
		}                                                                        \
	}
EACH(WORK)

#define ROW(n) work_##n,
static void (*const work[])(unsigned, unsigned) = {EACH(ROW)};

__attribute__((noinline)) static void round_of(unsigned rounds, unsigned late)
{
	for (size_t i = 0; i < sizeof(work) / sizeof(work[0]); i++)
		work[i](rounds, late);
}

__attribute__((noinline)) static void fork_all(void)
{
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (!child) {
			round_of(6, 0);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

int main(void)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	char letter;

	for (;;) {
		round_of(ROUNDS, 0);
		if (!poll(&input, 1, 0))
			continue;
		if (read(0, &letter, 1) != 1)
			return 0;
		if (letter == 'f')
			fork_all();
		else
			round_of(6, 1);
		if (write(1, "done\n", 5) != 5)
			return 1;
	}
}
