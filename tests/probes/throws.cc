/* Exceptions through probed functions: what is kept for a return must be the call's own.
 */
#include <cstdio>
#include <string>

#ifdef __clang__
#define PROBED __attribute__((noinline))
#else
#define PROBED __attribute__((noinline, noclone))
#endif

struct thing {
	int number;
	std::string text;
	PROBED long method(long value) const
	{
		__asm__ volatile("" : : : "memory");
		if (value % 5 == 0)
			throw value;
		return value + number;
	}
};

PROBED long outer(const thing &to, long value)
{
	long result = to.method(value);

	__asm__ volatile("" : : : "memory");
	return result * 2;
}

int main()
{
	thing to{7, "text"};
	long entries = 0, returned = 0, results = 0, numbers = 0;

	for (long i = 0; i < 500; i++) {
		entries++;
		numbers += to.number;
		try {
			results += outer(to, i);
			returned += i;
		} catch (long) {
		}
	}
	std::printf("= entries hits %ld\n= kept sum %ld\n= kept lost 0\n", entries,
		    returned);
	std::printf("= results sum %ld\n= numbers sum %ld\n", results, numbers);
	return 0;
}
