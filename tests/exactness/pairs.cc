// Left in every way: by exceptions, longjmp, cancellation, exit and fork; in threads.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <semaphore.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT __attribute__((noinline))

enum { THREADS = 4, ROUNDS = 300 };
static sem_t waiting;

struct Shape {
	virtual ~Shape()
	{
	}
	virtual int area(int side) const = 0;
};
struct Square : Shape {
	int area(int side) const override
	{
		return side * side;
	}
};
struct Strip : Shape {
	int area(int side) const override
	{
		return 3 * side;
	}
};

static const Square square;
static const Strip strip;

KEPT static int leaf(int number)
{
	__asm__ volatile("");
	return number * 3 + 1;
}

KEPT static int recursive(int depth)
{
	return depth ? recursive(depth - 1) + leaf(depth) : 1;
}

KEPT static int chosen(int number)
{
	switch (number % 7) {
	case 0:
		return leaf(number);
	case 1:
		return 5;
	case 2:
		return number / 2;
	case 3:
		return leaf(number) - leaf(1);
	case 4:
		return ~number;
	case 5:
		return number ^ 9;
	default:
		return number * 11;
	}
}

KEPT static int thrower(int number)
{
	if (number % 3 == 0)
		throw std::runtime_error("thrown");
	return leaf(number);
}

KEPT static int catcher(int number)
{
	try {
		return thrower(number);
	} catch (const std::runtime_error &) {
		return leaf(-number);
	}
}

KEPT static void jumper(std::jmp_buf &back, int number)
{
	if (leaf(number) % 2)
		std::longjmp(back, 1);
}

KEPT static int jumps(int number)
{
	std::jmp_buf back;

	if (setjmp(back))
		return 1;
	jumper(back, number);
	return 2;
}

KEPT static long work(int seed)
{
	const Shape *const shapes[] = {&square, &strip};
	long sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		sum += chosen(i + seed) + catcher(i) + jumps(i) + recursive(i % 5);
		sum += shapes[(i + seed) % 2]->area(i % 10);
	}
	return sum;
}

static void *run(void *seed)
{
	return reinterpret_cast<void *>(
		work(static_cast<int>(reinterpret_cast<long>(seed))));
}

struct Left {
	~Left()
	{
		leaf(7);
	}
};

KEPT static void cancelled_here()
{
	Left left;

	sem_post(&waiting);
	for (;;)
		pause();
}

static void *wait_for_it(void *)
{
	cancelled_here();
	return nullptr;
}

KEPT static void end(long sum)
{
	std::printf("%ld\n", sum);
	std::exit(leaf(0) + 2);
}

int main()
{
	pthread_t threads[THREADS], waiter;
	long sum = 0;
	int status;

	sem_init(&waiting, 0, 0);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], nullptr, run, reinterpret_cast<void *>(i));
	for (pthread_t thread : threads) {
		void *result;

		pthread_join(thread, &result);
		sum += reinterpret_cast<long>(result);
	}
	pthread_create(&waiter, nullptr, wait_for_it, nullptr);
	sem_wait(&waiting);
	pthread_cancel(waiter);
	pthread_join(waiter, nullptr);
	pid_t child = fork();

	if (!child)
		_exit(static_cast<int>(work(9) % 50));
	waitpid(child, &status, 0);
	end(sum + WEXITSTATUS(status));
}
