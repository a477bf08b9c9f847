// build: gcc -O2 lib/odd.S
// build(static): gcc -O2 -static lib/odd.S
// output: right 23000 of 23000
// expect: function=loop_short calls=1000 or-skipped
// expect: function=loop_long calls=1000 or-skipped
// expect: function=loop_jump calls=1000 or-skipped
// expect: function=loop_loop calls=1000 or-skipped
// expect: function=loop_second calls=1000 or-skipped
// expect: function=starts_call calls=1000
// expect: function=starts_sub_call calls=1000
// expect: function=starts_call_memory calls=1000
// expect: function=starts_jrcxz calls=1000 or-skipped
// expect: function=starts_loop calls=1000 or-skipped
// expect: function=starts_jcc calls=1000
// expect: function=starts_get_pc calls=1000 or-skipped
// expect: function=starts_relative calls=1000
// expect: function=starts_relative_store calls=1000
// expect: function=starts_rep calls=1000 or-skipped
// expect: function=starts_syscall calls=1000
// expect: function=starts_push calls=1000
// expect: function=jumped_to calls=1000
// expect: function=jumps_to calls=2000
// expect: function=jumped_into calls=1000 or-skipped
// expect: function=jumps_into calls=1000
// expect: function=entered_behind calls=1000
// expect: function=enters_behind calls=1000
// expect: function=odd_helper calls=3000
/* Functions whose first instructions are hard to move, or are the target of a branch. */
#include "lib/test.h"

#include <unistd.h>

int loop_short(int n), loop_long(int n), loop_jump(int n);
int loop_loop(long a, long b, long c, long n);
int loop_second(int n), starts_call(void), starts_sub_call(void),
	starts_call_memory(void);
int starts_jrcxz(long a, long b, long c, long d),
	starts_loop(long a, long b, long c, long d);
int starts_jcc(int n), starts_relative(void), starts_relative_store(void);
long starts_get_pc(void);
int starts_rep(void *to, long unused, long unused2, long count), starts_syscall(void);
void *starts_push(void);
int jumps_to(int n), jumped_into(int n), jumps_into(int n);
int entered_behind(int n), enters_behind(int n);
extern int odd_word;
extern char __executable_start[], etext[];

/* Calls a function with %eax set to 0, which the loops add to. */
static int from_zero(int (*function)(int), int n)
{
	int result = 0;

	__asm__ volatile("call *%2"
			 : "+a"(result), "+D"(n)
			 : "r"(function)
			 : "memory", "cc");
	return result;
}

static int right_loops(int n)
{
	int right = 0, zero = 0;
	long count = n;

	right += from_zero(loop_short, n) == n;
	right += from_zero(loop_long, n) == n;
	right += from_zero(loop_jump, n) == 0;
	__asm__ volatile("call loop_loop" : "+a"(zero), "+c"(count) : : "memory", "cc");
	right += zero == n;
	right += loop_second(n) == n;
	return right;
}

static int right_starts(int n)
{
	char bytes[16] = {0};
	char *address, *to = bytes;
	int right = 0, result;
	long count = sizeof(bytes);

	right += starts_call() == 42;
	right += starts_sub_call() == 41;
	right += starts_call_memory() == 43;
	right += starts_jrcxz(0, 0, 0, n % 2) == 1 + n % 2;
	right += starts_loop(0, 0, 0, 1 + n % 2) == 2 - n % 2;
	right += starts_jcc(n % 2) == 1 + n % 2;
	right += starts_get_pc() == 0;
	odd_word = 76 + n % 2;
	right += starts_relative() == n % 2;
	right += starts_relative_store() == 77;
	result = 'x';
	__asm__ volatile("call starts_rep"
			 : "+a"(result), "+D"(to), "+c"(count)
			 :
			 : "memory");
	right += result == 5 && bytes[0] == 'x' && bytes[15] == 'x';
	right += starts_syscall() == getpid();
	address = starts_push();
	right += address > __executable_start && address < etext;
	return right;
}

static int right_jumps(int n)
{
	int right = 0;

	right += jumps_to(n + 1) == n + 4;
	right += jumps_to(0) == 3;
	right += jumped_into(n) == n + 4;
	right += jumps_into(n) == n + 104;
	right += entered_behind(n) == (n % 2 ? 3 * n + 1 : n / 2);
	right += enters_behind(n) == (n % 2 ? n / 2 + 1 : 3 * n + 4);
	return right;
}

int main(void)
{
	int right = 0;

	for (int i = 0; i < 1000; i++)
		right += right_loops(i % 7 + 1) + right_starts(i) + right_jumps(i);
	printf("right %d of 23000\n", right);
	return 0;
}
