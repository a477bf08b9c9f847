// build: gcc -O2
// build(now): gcc -O2 -Wl,-z,now
// build(clang): clang -O2
// library: liblinked.so lib/linked.c gcc -O2 -Wl,-z,lazy
// output: sum 30300
// expect: function=linked_taken calls=100
// expect-arc: function=linked_own caller=linked_work calls=100 kind=plt
// expect-arc: function=linked_own caller=linked_tail calls=100 kind=jump
// expect-arc: function=linked_own caller=linked_pointer calls=100 kind=indirect
// expect-arc: function=linked_own calls=300
// expect-arc: function=linked_taken caller=linked_work calls=100 kind=plt
// expect-arc: function=linked_tail caller=linked_work calls=100 kind=plt
/* A library calls its own functions through the linkage table, and one of them is the
 * program's instead. */
#include "lib/test.h"

int linked_work(int count);
int linked_taken(int value);

KEPT int linked_taken(int value)
{
	ROOM();
	return value + 100;
}

int main(void)
{
	printf("sum %d\n", linked_work(100));
	return 0;
}
