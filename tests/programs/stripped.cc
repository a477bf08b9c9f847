// build: g++ -O2
// build(pie): g++ -O2 -static-pie
// strip: yes
// output: caught 1000
// expect: function=main calls=0
// expect-process: program=stripped state="exited 0"
/* Without symbols: functions are known by their call-frame information only. */
#include "lib/test.h"

KEPT int thrower(int n)
{
	throw n;
}

int main()
{
	int caught = 0;

	for (int i = 0; i < 1000; i++) {
		try {
			thrower(i);
		} catch (int n) {
			caught += n == i;
		}
	}
	std::printf("caught %d\n", caught);
	return 0;
}
