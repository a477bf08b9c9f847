// build(O0): gcc -O0 -fno-pic -no-pie -Wl,-z,noseparate-code
// build(clang): clang -O0 -fno-pic -no-pie -Wl,-z,noseparate-code
// build: gcc -O2 -fno-pic -no-pie -Wl,-z,noseparate-code
// build(static): gcc -O0 -fno-pic -static
// build(pie): clang -O1 -fPIE -pie
// expect: function=calls calls=5000
// expect: function=computed calls=5000
// expect: function=one calls=10257
// expect: function=note calls=57690
/*
 * Switches and computed gotos whose labels lie right behind calls, with tables that lie
 * in the segment of the code: nothing may be written over what a table leads to.
 */
#include "lib/test.h"

static volatile unsigned sink;
KEPT static unsigned one(unsigned x)
{
	return x + 1;
}
KEPT static void note(unsigned x)
{
	sink += x;
}
#define CASES(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define CASE(n)                                                                          \
	case n:                                                                          \
		note(x);                                                                 \
		break;
KEPT static unsigned calls(unsigned op, unsigned x)
{
	x = one(x);
	switch (op) {
		CASES(CASE) case 12 : note(2);
		note(x);
		return one(x);
	default:
		note(1);
	}
	return one(x);
}
KEPT static unsigned nested(unsigned op, unsigned x)
{
	for (unsigned i = 0; i < 3; i++)
		switch (op + i) {
			CASES(CASE) default : switch (x & 7)
			{
			case 0:
				note(4);
				break;
			case 1:
				note(5);
				break;
			case 2:
				note(8);
				break;
			case 3:
				continue;
			case 4:
				note(9);
				break;
			case 5:
				x = one(x);
				break;
			}
		}
	return x;
}
#define L(n)                                                                             \
	l##n : note(x);                                                                  \
	p++;                                                                             \
	goto *t[*p & 3];
KEPT static unsigned computed(const unsigned char *p, unsigned x)
{
	static void *const t[] = {&&l0, &&l1, &&l2, &&l3};
	goto *t[*p & 3];
	L(0) L(1) L(2) l3 : note(x);
	if (x > 77777)
		return one(x);
	return x;
}
int main(void)
{
	unsigned s = 0;
	static const unsigned char p[] = {0, 1, 2, 0, 2, 1, 1, 3};
	for (unsigned i = 0; i < 5000; i++) {
		s = s * 31 + calls(i % 15, i) + nested(i % 17, i) + computed(p, i);
	}
	printf("%u %u\n", s, sink);
	return 0;
}
