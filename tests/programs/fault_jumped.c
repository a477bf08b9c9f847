// build: gcc -O2 lib/faults.S
// build(static): gcc -O2 -static lib/faults.S
// output: left by siglongjmp 1200
// expect: function=fault_1 calls=400
// expect: function=fault_2 calls=400
// expect: function=fault_3 calls=400
/* A fault that the handler leaves with siglongjmp. */
#include "lib/test.h"

#include <setjmp.h>
#include <signal.h>

int fault_1(const int *word), fault_2(const int *word), fault_3(const int *word);

static sigjmp_buf buffer;

static void handle(int number)
{
	siglongjmp(buffer, number);
}

static int caught(int (*function)(const int *))
{
	int number = sigsetjmp(buffer, 1);

	if (number == 0)
		return function((const int *)16);
	return number == SIGSEGV;
}

int main(void)
{
	int count = 0;

	signal(SIGSEGV, handle);
	for (int i = 0; i < 400; i++)
		count += caught(fault_1) + caught(fault_2) + caught(fault_3);
	printf("left by siglongjmp %d\n", count);
	return 0;
}
