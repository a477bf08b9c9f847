// build: g++ -O2 -fnon-call-exceptions -pthread
// output: 256 overflows, 256 caught
// expect: function=restart calls=256
// An overflow of the stack becomes an exception in the handler of SIGSEGV, as Ada's
// Storage_Error does. The handler's stack lies right below a hole below the thread's.
// Each overflow has another distance to the end of the stack, so that the first word
// which is not there is one of the program's or one of what counts its calls.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace
{

constexpr size_t page = 4096, size = 16 * page;
constexpr int overflows = 256;

struct Overflow {
};

int handled, caught;
volatile int sink;
char *guard;

void on_fault(int, siginfo_t *info, void *)
{
	const char *at = static_cast<char *>(info->si_addr);
	sigset_t set;

	if (++handled > overflows || at < guard || at >= guard + page)
		_exit(9);
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
	throw Overflow();
}

/* Small frames and larger ones, by calls and by calls in the first bytes. */
__attribute__((noinline)) int shallow(int n);

__attribute__((noinline)) int deep(int n)
{
	volatile char room[72];

	room[n & 63] = static_cast<char>(n);
	return (n & 3 ? shallow(n + 1) : deep(n + 1)) + room[n & 63];
}

__attribute__((noinline)) int shallow(int n)
{
	return deep(n + 1) + 1;
}

extern "C" __attribute__((noinline)) int restart(int n)
{
	auto *room = static_cast<volatile char *>(__builtin_alloca(16 + n * 16));

	room[0] = 1;
	try {
		return (n & 1 ? deep(n) : shallow(n)) + room[0];
	} catch (const Overflow &) {
		caught++;
		return room[0];
	}
}

void *work(void *stack)
{
	stack_t own = {};

	own.ss_sp = stack;
	own.ss_size = size;
	sigaltstack(&own, nullptr);
	for (int i = 0; i < overflows; i++)
		sink = sink + restart(i);
	return nullptr;
}

} // namespace

int main()
{
	struct sigaction action = {};
	pthread_attr_t attributes;
	pthread_t thread;
	char *stacks =
		static_cast<char *>(mmap(nullptr, 2 * size + page, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));

	guard = stacks + size;
	if (stacks == MAP_FAILED || munmap(guard, page))
		return 1;
	action.sa_sigaction = on_fault;
	action.sa_flags = SA_ONSTACK | SA_SIGINFO;
	sigaction(SIGSEGV, &action, nullptr);
	pthread_attr_init(&attributes);
	if (pthread_attr_setstack(&attributes, guard + page, size) ||
	    pthread_create(&thread, &attributes, work, stacks))
		return 1;
	pthread_join(thread, nullptr);
	printf("%d overflows, %d caught\n", handled, caught);
	return 0;
}
