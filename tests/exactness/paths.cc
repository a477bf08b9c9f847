// What paths have to do with: conditions, switches, loops with several entries,
// recursion, exceptions, longjmp, threads, signals, children, and an exit in the middle.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define KEPT __attribute__((noinline, noclone)) static

static jmp_buf place;

KEPT int thrower(int n)
{
	int sum = 0;

	for (int i = 0; i < n % 5; i++)
		sum += (i & 1) ? i : -i;
	if (n % 7 == 3)
		throw std::runtime_error("three");
	return sum + n;
}

KEPT int between(int n)
{
	int sum = 0;

	if (n & 1) {
		sum = thrower(n);
	} else {
		sum = thrower(n + 1);
		if (sum & 2)
			sum += thrower(n + 2);
	}
	return sum;
}

KEPT int catcher(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		try {
			sum += between(i);
		} catch (const std::exception &) {
			sum -= (i % 3) ? 1 : 2;
		}
		if (sum % 5 == 0)
			sum++;
	}
	return sum;
}

KEPT void jumper(int n)
{
	if (n % 3 == 0)
		longjmp(place, n ? n : 1);
	if (n & 1)
		jumper(n - 1);
	else if (n > 2)
		jumper(n - 3);
}

KEPT int jumps(int n)
{
	volatile int sum = 0;

	for (volatile int i = 1; i < n; i = i + 1) {
		if (setjmp(place) == 0) {
			jumper(i);
			sum = sum + 1;
		} else {
			sum = sum + 2;
		}
	}
	return sum;
}

KEPT int switches(int n)
{
	int sum = 0;

	while (n > 0) {
		switch (n % 9) {
		case 0:
			sum += 1;
			break;
		case 1:
			sum += 3;
			n--;
			__attribute__((fallthrough));
		case 2:
			sum *= 2;
			break;
		case 3:
			sum ^= 5;
			n -= 2;
			break;
		case 5:
		case 7:
			sum -= 1;
			break;
		case 8:
			if (sum & 1)
				return sum;
			sum += 7;
			break;
		default:
			sum += n;
		}
		n -= 3;
	}
	return sum;
}

/* A loop with two entries. */
KEPT int irregular(int n)
{
	int sum = 0;

	if (n & 1)
		goto second;
first:
	sum += n;
	if (n % 3 == 0)
		sum ^= 1;
second:
	n--;
	if (sum & 4)
		sum -= 2;
	if (n > 0) {
		if (n % 5 == 1)
			goto second;
		goto first;
	}
	return sum;
}

KEPT int recursive(int depth, int width)
{
	int sum = 0;

	for (int i = 0; i < width; i++) {
		if (depth > 0)
			sum += recursive(depth - 1, (i + depth) % 3 + 1);
		else if (i & 1)
			sum += 2;
		else
			sum += irregular(i);
	}
	return sum;
}

static volatile sig_atomic_t signals;

KEPT int handled(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		sum += i % 3 ? i : -1;
		if (sum % 7 == 0)
			raise(SIGUSR1);
	}
	return sum;
}

static void on_signal(int number)
{
	(void)number;
	signals = signals + 1;
	if (signals % 4 == 1)
		handled(5);
}

KEPT int children(int n)
{
	int sum = 0, status;

	for (int i = 0; i < n; i++) {
		fflush(stdout);
		pid_t pid = fork();

		if (!pid) {
			if (i & 1)
				_exit(switches(i) & 7);
			return 100 + i;
		}
		waitpid(pid, &status, 0);
		sum += WEXITSTATUS(status);
	}
	return sum;
}

KEPT int several_threads()
{
	std::vector<int> sums(4);
	std::vector<std::thread> threads;
	int sum = 0;

	for (int k = 0; k < 4; k++)
		threads.emplace_back([k, &sums] {
			int own = 0;

			for (int i = 0; i < 200; i++)
				own += switches(i * k) + recursive(3, k + 1);
			sums[(size_t)k] = own + catcher(100 + k);
		});
	for (auto &thread : threads)
		thread.join();
	for (int own : sums)
		sum += own;
	return sum;
}

KEPT void ender(int n)
{
	for (int i = 0;; i++) {
		if (i == n)
			exit(0);
		if (i % 4 == 0)
			switches(i);
	}
}

int main()
{
	int sum = catcher(500) + jumps(200);

	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 300; i++)
		sum += switches(i) + irregular(i);
	sum += recursive(6, 3) + handled(400) + children(6);
	if (sum % 1000 >= 0)
		sum += several_threads();
	printf("%d, %d signals\n", sum, (int)signals);
	ender(37);
}
