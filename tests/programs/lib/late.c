/* Functions of which one instruction takes long, and that are left where no counter need
 * be: then the C library sleeps. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLEEP_US = 30000, BYTES = 64 << 20 };

typedef void at_exit(int status, void *context);

static const char *bytes;
static volatile int never, often;

static inline __attribute__((always_inline)) void work(void)
{
	const char *from = bytes;
	long count = BYTES;

	__asm__ volatile("rep lodsb" : "+S"(from), "+c"(count) : : "rax", "memory");
}

static void goes_by(void)
{
	work();
	if (never)
		never--;
}

static void takes_it(void)
{
	work();
	if (!never)
		often++;
}

static void goes_on(void)
{
	do
		work();
	while (never);
}

int main(void)
{
	static void (*const all[])(void) = {goes_by, takes_it, goes_on};
	at_exit *sleeps = (at_exit *)(void *)usleep;

	bytes = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 3; i++) {
		on_exit(sleeps, NULL);
		atexit(all[i]);
	}
	exit(SLEEP_US);
}
