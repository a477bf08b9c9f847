// build: g++ -O2 -pthread
// library: liblife.so lib/life.cc g++ -O2
// status: exit 4
// expect: function=Global::Global(int) calls=3
// expect: function=Global::~Global() calls=3
// expect: function=Local::~Local() calls=6
// expect: function=at_exit() calls=1
// expect: function=library_start() calls=1 module=liblife
// expect: function=library_end() calls=1 module=liblife
/*
 * Code that runs before main and after it: constructors, destructors, thread-locals,
 * atexit.
 */
#include "lib/test.h"

#include <cstdlib>
#include <thread>

struct Global {
	int number;
	KEPT explicit Global(int n);
	KEPT ~Global();
};

Global::Global(int n) : number(n)
{
	std::printf("constructed %d\n", n);
}

Global::~Global()
{
	std::printf("destroyed %d\n", number);
}

static Global first(1), second(2);

struct Local {
	int used = 0;
	KEPT ~Local();
};

Local::~Local()
{
	std::printf("thread-local used %d\n", used);
}

static thread_local Local local;

KEPT void at_exit(void)
{
	std::printf("at exit\n");
}

int main()
{
	static Global third(3);

	std::atexit(at_exit);
	local.used = 100;
	for (int i = 0; i < 5; i++)
		std::thread([i] { local.used = i; }).join();
	std::exit(4);
}
