/* A tool that throws: what it catches, and what nobody does. */
#include <iostream>
#include <stdexcept>

extern "C" __attribute__((visibility("default"))) void _halt_startup(void)
{
	try {
		throw std::runtime_error("caught");
	} catch (const std::exception &e) {
		std::cout << e.what() << std::endl;
	}
	throw std::runtime_error("not caught");
}
