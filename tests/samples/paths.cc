// Call paths through virtual calls, recursion and a signal's handler:
// `= path SHARE FUNCTION FUNCTION ...`, the outermost first.
#include <csignal>
#include <cstdio>

extern "C" {
#include "work.h"
}

static volatile unsigned long sink;

extern "C" __attribute__((noinline)) void deep_step()
{
	for (int i = 0; i < 50000; i++)
		sink = sink + 3;
}

extern "C" __attribute__((noinline)) void handler_step()
{
	for (int i = 0; i < 50000; i++)
		sink = sink ^ 5;
}

struct worker {
	virtual ~worker()
	{
	}
	virtual void work(int depth) = 0;
};

struct deep_worker : worker {
	__attribute__((noinline)) void work(int depth) override
	{
		if (depth)
			work(depth - 1);
		else
			WORK_FOR(0.2, deep_step());
		sink = sink + 1;
	}
};

static volatile sig_atomic_t handled;

extern "C" void on_signal(int)
{
	WORK_FOR(0.2, handler_step());
	handled = 1;
}

extern "C" __attribute__((noinline)) void interrupted()
{
	raise(SIGUSR1);
	sink = sink + 1;
}

int main()
{
	deep_worker worker;

	signal(SIGUSR1, on_signal);
	static_cast<struct worker *volatile>(&worker)->work(5);
	interrupted();
	puts("= path 50 main deep_worker::work(int) deep_worker::work(int) "
	     "deep_worker::work(int) deep_step");
	puts("= path 50 main interrupted on_signal handler_step");
	return handled ? 0 : 1;
}
