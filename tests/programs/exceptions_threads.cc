// build: g++ -O2 -pthread
// output: caught 16000
// expect: function="thrower(int)" calls=16000
// expect: function="carry(int)" calls=16000
/* Exceptions in eight threads at once, and an exception that is carried to another
 * thread. */
#include "lib/test.h"

#include <atomic>
#include <exception>
#include <thread>
#include <vector>

static std::atomic<int> caught;

KEPT int thrower(int n)
{
	throw n;
}

KEPT int carry(int n)
{
	std::vector<int> memory(8, n);
	return thrower(memory[3]);
}

static void work()
{
	for (int i = 0; i < 2000 - 1; i++) {
		try {
			carry(i);
		} catch (int value) {
			caught += value == i;
		}
	}
}

int main()
{
	std::vector<std::thread> threads;
	std::vector<std::exception_ptr> carried(8);

	for (int i = 0; i < 8; i++) {
		threads.emplace_back([&carried, i] {
			work();
			try {
				carry(i);
			} catch (...) {
				carried[i] = std::current_exception();
			}
		});
	}
	for (auto &thread : threads)
		thread.join();
	for (int i = 0; i < 8; i++) {
		try {
			std::rethrow_exception(carried[i]);
		} catch (int value) {
			caught += value == i;
		}
	}
	std::printf("caught %d\n", caught.load());
	return 0;
}
