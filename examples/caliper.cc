/*
 * The same in C++, with a configuration that the program controls.
 *
 *     g++ -O2 -I../include caliper.cc -ltrammel-cali -o caliper
 *     ./caliper 'runtime-report(output=stdout)'
 */
#include <caliper/cali-manager.h>
#include <caliper/cali.h>

#include <iostream>
#include <stdexcept>

static int divide(int a, int b)
{
	CALI_CXX_MARK_FUNCTION;
	if (!b)
		throw std::domain_error("division by 0"); /* the region ends, too */
	return a / b;
}

int main(int count, char **words)
{
	cali::ConfigManager manager;
	int sum = 0;

	if (count > 1)
		manager.add(words[1]);
	if (manager.error())
		std::cerr << manager.error_msg() << std::endl;
	manager.start();
	{
		CALI_CXX_MARK_FUNCTION;
		CALI_CXX_MARK_LOOP_BEGIN(loop, "divisors");
		for (int i = 0; i < 10; i++) {
			CALI_CXX_MARK_LOOP_ITERATION(loop, i);
			try {
				sum += divide(100, i);
			} catch (const std::domain_error &) {
				CALI_CXX_MARK_SCOPE("caught");
				cali::Annotation("divisor").begin(i).end();
			}
		}
		CALI_CXX_MARK_LOOP_END(loop);
	}
	std::cout << sum << std::endl;
	manager.flush();
	return 0;
}
