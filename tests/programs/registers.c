// build: gcc -O2 lib/registers.S
// output: kept 10000
// expect: function=registers_kept calls=10000
// expect: function=through calls=10000
// expect: function=through_2 calls=10000
/* A call changes no register, and nothing below the stack pointer. */
#include "lib/test.h"

int registers_kept(void);

int main(void)
{
	int kept = 0;

	for (int i = 0; i < 10000; i++)
		kept += registers_kept();
	printf("kept %d\n", kept);
	return 0;
}
