// build: gcc -O2 lib/tiny.S
// build(static): gcc -O2 -static lib/tiny.S
// output: sum 4012000
// expect: function=packed_1a calls=1000 or-skipped
// expect: function=packed_1b calls=1000 or-skipped
// expect: function=packed_1c calls=1000 or-skipped
// expect: function=packed_2 calls=1000 or-skipped
// expect: function=packed_3 calls=2000 or-skipped
// expect: function=packed_4 calls=1000 or-skipped
// expect: function=packed_4b calls=1000 or-skipped
// expect: function=packed_6 calls=2000
// expect: function=packed_jump calls=1000 or-skipped
// expect: function=padded_1 calls=1000
// expect: function=padded_2 calls=1000
// expect: function=padded_3 calls=2000
// expect: function=padded_4 calls=1000
// expect: function=marked calls=1000
// expect: function=marked_jump calls=1000
/* Functions of one to eight bytes: counted exactly, or left alone and said to be. */
#include "lib/test.h"

void packed_1a(void), packed_1b(void), packed_1c(void), packed_2(void);
int packed_3(int n), packed_4(int n), packed_6(void), packed_jump(int n);
long packed_4b(long n);
void padded_1(void), padded_2(void), marked(void);
int padded_3(int n), padded_4(int n), marked_jump(int n);

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++) {
		packed_1a();
		packed_1b();
		packed_1c();
		packed_2();
		padded_1();
		padded_2();
		marked();
		sum += packed_3(i) + packed_4(i) + packed_4b(i) + packed_6() +
		       packed_jump(i);
		sum += padded_3(i) + padded_4(i) + marked_jump(i) + packed_6() + i;
	}
	printf("sum %ld\n", sum);
	return 0;
}
