/* What a program of the tests in C++ demands; it ends with `failures != 0`. */
#ifndef TRAMMEL_TESTS_MUST_H
#define TRAMMEL_TESTS_MUST_H

#include <iostream>

static int failures;

static void must(bool condition, const char *what)
{
	if (condition)
		return;
	std::cerr << what << std::endl;
	failures++;
}

#endif
