/* What exceptions_library.cc and its library share. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

namespace Exchange
{
struct Error {
	int value;
	explicit Error(int n) : value(n)
	{
	}
	virtual ~Error()
	{
	}
};

struct Token {
	static int alive;
	Token();
	~Token();
};

[[noreturn]] int throw_it(int n);
int through(int (*callback)(int), int n);
} // namespace Exchange

#endif
