// build: gcc -O1 lib/behind_calls.S
// build(fixed): gcc -O2 -fno-pie -no-pie lib/behind_calls.S
// output: 95000
// expect: function=skip calls=1000
// expect: function=next calls=1000
// expect: function=text_of calls=2000
// expect: function=add_words calls=1000
// expect: function=jumps_there calls=1000
// expect: function=here calls=1000
// expect: function=over calls=1000
// expect: function=texts calls=1000
// expect: function=words calls=1000
// expect: function=place calls=1000
// expect: function=inside calls=1000
// expect: function=threaded calls=1000
// expect: function=count_up calls=1000
/* Calls behind which no code is: texts, numbers, entries and tables that the callee
 * reads, skips or is told the address of. Nothing may be written there, and the callee
 * must see it where it is. Also by way of jumps, and where bytes look like calls. */
#include "lib/test.h"

long over(long), texts(void), words(void), place(void), inside(void), threaded(void),
	unlisted(long);

KEPT long count_up(long sum)
{
	return sum + over(1) + texts() % 61 + words() % 31 + place() + inside() +
	       threaded() + unlisted(1) + unlisted(0);
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum = count_up(sum);
	printf("%ld\n", sum);
	return 0;
}
