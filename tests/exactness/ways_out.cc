// Functions that are left in all ways: returns.py has how often.
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
static jmp_buf buffer;
volatile int sink;
__attribute__((noinline)) int plain(int i)
{
	return sink + i;
}
__attribute__((noinline)) int thrower(int i)
{
	if (i % 3 == 0)
		throw i;
	sink = plain(i);
	return i;
}
__attribute__((noinline)) int between(int i)
{
	int r = thrower(i);
	sink = r;
	return r + 1;
}
__attribute__((noinline)) void jumper(int i)
{
	sink = plain(i);
	if (i % 5 == 0)
		longjmp(buffer, 1);
}
__attribute__((noinline)) int tail(int i)
{
	sink = i;
	return plain(i);
}
__attribute__((noinline)) void catcher(int i)
{
	try {
		between(i);
	} catch (int) {
		sink = 1;
	}
}
__attribute__((noinline)) void ender(void)
{
	plain(1);
	exit(0);
}
int main()
{
	for (int i = 0; i < 300; i++) {
		catcher(i);
		tail(i);
		if (!setjmp(buffer))
			jumper(i);
	}
	ender();
}
