// build: g++ -O2
// status: signal SIGABRT
// expect: function="deeper(int)" calls=11
/* An uncaught exception: the message of terminate, and the signal. */
#include "lib/test.h"

#include <stdexcept>

KEPT int deeper(int depth)
{
	if (depth == 0)
		throw std::out_of_range("nobody catches this");
	int result = deeper(depth - 1);
	__asm__ volatile("" : "+r"(result)); /* no loop instead of the call */
	return result + 1;
}

int main()
{
	return deeper(10);
}
