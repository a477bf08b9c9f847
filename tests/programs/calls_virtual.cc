// build: g++ -O2
// build(clang): clang++ -O2
// output: area 37650, caught 50
// expect-arc: function=Square::area() caller=add_up(Shape**,_int) calls=150 kind=indirect
// expect-arc: function=Circle::area() caller=add_up(Shape**,_int) calls=100 kind=indirect
// expect-arc: function=refuse(int) caller=attempt(int) calls=100 kind=direct
/* Calls through tables of virtual functions, and calls that are left by exceptions. */
#include "lib/test.h"

struct Shape {
	virtual ~Shape() = default;
	virtual int area() = 0;
};

struct Square : Shape {
	int side = 11;
	int area() override;
};

struct Circle : Shape {
	int radius = 10;
	int area() override;
};

KEPT int Square::area()
{
	return side * side;
}

KEPT int Circle::area()
{
	return 195 * radius / 10;
}

KEPT int add_up(Shape **shapes, int count);
KEPT int add_up(Shape **shapes, int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += shapes[i]->area();
	return sum;
}

KEPT int refuse(int n);
KEPT int refuse(int n)
{
	if (n % 2)
		throw n;
	return n;
}

KEPT int attempt(int n);
KEPT int attempt(int n)
{
	try {
		return refuse(n) < 0;
	} catch (int) {
		return 1;
	}
}

int main()
{
	Square square;
	Circle circle;
	Shape *shapes[] = {&square, &circle, &square, &circle, &square};
	int area = 0, caught = 0;

	for (int i = 0; i < 50; i++)
		area += add_up(shapes, 5);
	for (int i = 0; i < 100; i++)
		caught += attempt(i);
	printf("area %d, caught %d\n", area, caught);
	return 0;
}
