/* Functions that a tool replaces: always, by what they are called with, and while a
 * timer's signals come, whose handler calls one of them, too. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/time.h>

#define CALLED __attribute__((noinline, noclone, used))

static volatile long bodies, handled, wrong;

/* Twice the number; by the tool three times it, if it is even. */
CALLED long twice(long number)
{
	bodies++;
	__asm__ volatile("" ::: "memory");
	return 2 * number;
}

/* Never runs: the tool says 7. */
CALLED long constant(long a, long b, long c)
{
	bodies += 1000000;
	return a + b + c;
}

/* With a variable number of arguments, al says how many are in vector registers. */
CALLED double add_all(int count, ...)
{
	double sum = 0;
	va_list list;

	va_start(list, count);
	while (count--)
		sum += va_arg(list, double);
	va_end(list);
	return sum;
}

static long right(long number)
{
	return number % 2 ? 2 * number : EXPECTED * number;
}

static void on_signal(int number)
{
	(void)number;
	handled++;
	wrong += twice(handled) != right(handled);
}

int main(void)
{
	const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	long odd = 0, sum = 0;

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; handled < 200; i++) {
		wrong += twice(i) != right(i);
		odd += i & 1;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < 100; i++)
		sum += constant(1, 2, 3);
	printf("%ld %ld %.1f %d\n", wrong, sum, add_all(3, 0.5, 1.0, 2.0),
	       bodies >= odd && bodies < 1000000000);
	return 0;
}
