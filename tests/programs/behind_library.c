// build: gcc -O1 lib/behind_callers.S
// build(fixed): gcc -O1 -fno-pie -no-pie lib/behind_callers.S
// library: libbehind.so lib/behind_calls_called.S gcc -O1
// output: 1579000
/* A library's function that reads and skips a text behind the call: who calls it, by the
 * linkage table or by a pointer, is not known when code is planned. */
#include "lib/test.h"

long by_linkage(long), by_pointer(long, void (*)(void));
void shared_text(void);

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += by_linkage(i % 2) + by_pointer(i % 2, shared_text);
	printf("%ld\n", sum);
	return 0;
}
