/* A library with an indirect function that its users and itself call. */
int lib_pick(int n), lib_twice(int n);

static __attribute__((used, noipa)) int lib_pick_first(int n)
{
	return n + 1;
}

static __attribute__((used, noipa)) int lib_pick_second(int n)
{
	return n + 2;
}

static int (*lib_resolve(void))(int)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("sse2") ? lib_pick_second : lib_pick_first;
}

int lib_pick(int n) __attribute__((ifunc("lib_resolve")));

int lib_twice(int n)
{
	return lib_pick(lib_pick(n));
}
