// C++ exceptions under upcalls: thrown through many frames, by several threads, and out
// of signal handlers, which is where unwinders walk through frames that no call made.
#include "must.h"

#include <csetjmp>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static volatile uint64_t upcalls_so_far;
static thread_local volatile uint64_t own_upcalls;

static void look(struct trm_upcall *upcall)
{
	__atomic_add_fetch(&upcalls_so_far, 1, __ATOMIC_RELAXED);
	own_upcalls = own_upcalls + 1;
	(void)upcall;
}

struct counted {
	uint64_t *count;
	explicit counted(uint64_t *count) : count(count)
	{
	}
	~counted()
	{
		++*count;
	}
};

static __attribute__((noinline)) void descend(int depth, uint64_t *ends)
{
	counted guard(ends);

	if (!depth)
		throw std::runtime_error("the bottom " + std::to_string(*ends));
	descend(depth - 1, ends);
	__asm__ volatile("");
}

static void throw_many()
{
	uint64_t ends = 0, caught = 0;

	for (int i = 0; i < 3000; i++)
		try {
			descend(i % 50, &ends);
		} catch (const std::exception &exception) {
			caught += std::string(exception.what()).rfind("the bottom ", 0) ==
				  0;
		}
	must(caught == 3000);
	must(ends == 60 * (50 * 51 / 2));
	must(own_upcalls > 0);
}

__attribute__((unused)) static void on_fault(int)
{
	throw std::runtime_error("a fault");
}

static __attribute__((noinline, unused)) void fault(volatile int *place, uint64_t *ends)
{
	counted guard(ends);

	*place = 1;
}

static char alternate[1 << 16];

static __attribute__((unused)) void throw_from_handlers(int flags)
{
	struct sigaction action = {};
	const stack_t stack = {alternate, 0, sizeof(alternate)};
	uint64_t ends = 0, caught = 0, before = own_upcalls;

	must(!sigaltstack(&stack, nullptr));
	action.sa_handler = on_fault;
	action.sa_flags = SA_NODEFER | flags;
	must(!sigaction(SIGSEGV, &action, nullptr));
	for (int i = 0; i < 3000; i++)
		try {
			fault(nullptr, &ends);
		} catch (const std::exception &exception) {
			caught += std::string(exception.what()) == "a fault";
		}
	must(caught == 3000 && ends == 3000);
	must(own_upcalls > before);
}

int main()
{
	trm_upcall_options options = usual_options(look);
	std::vector<std::thread> threads;

	enable(&options);
	throw_many();
#ifndef __clang__ // which calls no landing pads for faults
	throw_from_handlers(0);
	throw_from_handlers(SA_ONSTACK);
#endif
	for (int i = 0; i < 4; i++)
		threads.emplace_back(throw_many);
	for (auto &thread : threads)
		thread.join();
	puts("done");
	return 0;
}
