/* What two units of tracefiles.py's program share: functions in a namespace and in a
 * class, some put into others, overloads, and templates of several parameters. */
#ifndef COVERED_H
#define COVERED_H

namespace shapes
{
struct Box {
	int width, height;
	int area() const
	{
		return width * height;
	}
};

template <class A, class B> __attribute__((noinline)) int mixed(A a, B b)
{
	return static_cast<int>(a) * 3 + static_cast<int>(b);
}
} // namespace shapes

static inline int twice(int number)
{
	int sum = number;

	for (int i = 0; i < number % 3; i++)
		sum += number - i;
	return sum;
}

int over(int a, int b);
double over(double a, int b);
int other(int rounds);

#endif
