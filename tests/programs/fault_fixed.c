// build: gcc -O2 lib/faults.S
// output: fixed 8000, places right 8000
// expect: function=fault_1 calls=2000
// expect: function=fault_2 calls=2000
// expect: function=fault_3 calls=2000
// expect: function=fault_4 calls=2000
// expect: function=handle calls=8000
/*
 * A fault in the 1st to 4th instruction of a function; the handler makes the memory
 * readable and returns, and the instruction runs again. The handler must see the original
 * address.
 */
#include "lib/test.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { PAGE = 4096, ROUNDS = 2000 };

int fault_1(const int *word), fault_2(const int *word), fault_3(const int *word),
	fault_4(const int *word);

static int *page;
static const char *expected;
static volatile int places, addresses;

KEPT static void handle(int number, siginfo_t *info, void *context)
{
	const ucontext_t *machine = context;

	(void)number;
	places += (uintptr_t)machine->uc_mcontext.gregs[REG_RIP] == (uintptr_t)expected;
	addresses += info->si_addr == page;
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

/* `offset` is that of the instruction in the function that faults. */
static int fault(int (*function)(const int *), int offset, int value)
{
	*page = value;
	expected = (const char *)function + offset;
	CHECK(mprotect(page, PAGE, PROT_NONE) == 0);
	return function(page) == value + 7;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
	int fixed = 0;

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	CHECK(page != MAP_FAILED);
	CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
	for (int i = 0; i < ROUNDS; i++) {
		fixed += fault(fault_1, 0, i);
		fixed += fault(fault_2, 2, i);
		fixed += fault(fault_3, 7, i);
		fixed += fault(fault_4, 5, i);
	}
	CHECK(addresses == 4 * ROUNDS);
	printf("fixed %d, places right %d\n", fixed, places);
	return 0;
}
