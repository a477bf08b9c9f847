// build: gcc -O2
// plugin: libplugin1.so lib/plugin.c gcc -O2 -DNUMBER=1
// output: work 45
// expect: function=plugin_helper calls=10 module=libplugin1
/* Asking about system call filters installs none: libraries loaded afterwards are
 * measured. */
#include "lib/ask_filters.h"
#include "lib/beside.h"

int main(int count, char **arguments)
{
	int (*work)(int);

	CHECK(count == 1);
	ask_filters();
	work = (int (*)(int))load_beside(arguments[0], "libplugin1.so", "plugin_work");
	printf("work %d\n", work(0));
	return 0;
}
