/* A library whose functions throw, also through a callback into the program. */
#include "exchange.h"

int Exchange::throw_it(int n)
{
	throw Exchange::Error(n);
}

int Exchange::through(int (*callback)(int), int n)
{
	Exchange::Token token;
	return callback(n) + 1;
}

Exchange::Token::Token()
{
	alive++;
}

Exchange::Token::~Token()
{
	alive--;
}

int Exchange::Token::alive;
