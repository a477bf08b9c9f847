// build: g++ -O2
// library: libthrower.so lib/thrower.cc g++ -O2
// output: caught 3000, tokens 0
// expect: function=Exchange::throw_it(int) calls=2000 module=libthrower
// expect: function="Exchange::through(int (*)(int), int)" calls=3000
// expect: function=Exchange::Token::~Token() calls=3000 module=libthrower
// expect: function=call_back(int) calls=3000
/*
 * Exceptions thrown in a library, and thrown in the program through a library's frames.
 */
#include "lib/exchange.h"
#include "lib/test.h"

KEPT int call_back(int n)
{
	if (n % 3 == 0)
		throw Exchange::Error(n);
	return Exchange::throw_it(n);
}

int main()
{
	int caught = 0;

	for (int i = 0; i < 3000; i++) {
		try {
			Exchange::through(call_back, i);
		} catch (const Exchange::Error &error) {
			caught += error.value == i;
		}
	}
	std::printf("caught %d, tokens %d\n", caught, Exchange::Token::alive);
	return 0;
}
