/* A library with a constructor and a destructor. */
#include "test.h"

__attribute__((constructor)) KEPT void library_start()
{
	std::printf("library starts\n");
}

__attribute__((destructor)) KEPT void library_end()
{
	std::printf("library ends\n");
}
