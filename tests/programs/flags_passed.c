// build: gcc -O2 lib/flags_passed.S
// output: flags 155510 998499 1000496 1002492 500
// expect: function=flagless calls=2000
// expect: function=carried calls=2997
// expect: function=returning calls=500
/* Assembly passes flags by branches on conditions, by jumps and by returns. */
#include "lib/test.h"

long flagless(long n), to_flagless(long n);
long to_carried(long n, long limit), to_passing(long n, long limit);
long to_branching(long n, long limit), take_returned(long n, long limit);

int main(void)
{
	long (*volatile call)(long n) = flagless;
	long plain = 0, carried = 0, passing = 0, branching = 0, returned = 0;

	for (long i = 0; i < 1000; i++) {
		plain += to_flagless(i % 100 + 50) + call(i % 100);
		carried += to_carried(i, 500);
		passing += to_passing(i, 500);
		branching += to_branching(i, 500);
		returned += take_returned(i, 500);
	}
	printf("flags %ld %ld %ld %ld %ld\n", plain, carried, passing, branching,
	       returned);
	return 0;
}
