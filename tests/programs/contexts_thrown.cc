// build: g++ -O2
// build(O0): clang++ -O0
// output: caught 400
// expect-context: path=main/catches(int)/throws(int) calls=400
// expect-context: path=main/catches(int)/throws(int)/thrower(int) calls=400
// expect-context: path=main/catches(int)/leaf(int) calls=400
// expect-context: path=main/catches(int)/throws(int)/Guard::~Guard()/leaf(int) calls=400
/* Exceptions leave functions; calls made afterwards belong to the function that caught
 * them. */
#include "lib/test.h"

KEPT int leaf(int n);
KEPT int leaf(int n)
{
	ROOM();
	return n & 7;
}

struct Guard {
	KEPT ~Guard();
};

static volatile int guards;

Guard::~Guard()
{
	guards = guards + leaf(1);
}

KEPT int thrower(int n);
KEPT int thrower(int n)
{
	if (n >= 0)
		throw n;
	return 1;
}

KEPT int throws(int n);
KEPT int throws(int n)
{
	Guard guard;
	int all = thrower(n) + 1;

	ROOM();
	return all;
}

KEPT int catches(int n);
KEPT int catches(int n)
{
	try {
		int all = throws(n);

		ROOM();
		return all;
	} catch (int caught) {
		return leaf(caught) < 8;
	}
}

int main()
{
	int caught = 0;

	for (int i = 0; i < 400; i++)
		caught += catches(i);
	printf("caught %d\n", caught);
}
