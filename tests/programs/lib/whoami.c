/* Says whose rights it has. */
#include "test.h"

#include <sys/auxv.h>
#include <unistd.h>

int main(void)
{
	printf("real %d, effective %d, secure %ld\n", getuid(), geteuid(),
	       getauxval(AT_SECURE));
	return 0;
}
