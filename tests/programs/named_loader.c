// build: gcc -O2
// options: --only-program named_loader
// expect: function=work calls=100
// expect-process: program=ld-linux-x86-64.so.2 state="exited 0"
/* Runs itself once more by naming the loader, with options of the loader's. */
#include "lib/test.h"

#include <unistd.h>

KEPT static int work(int number)
{
	ROOM();
	return number + 1;
}

int main(int count, char **arguments)
{
	char loader[] = "/lib64/ld-linux-x86-64.so.2", option[] = "--argv0",
	     name[] = "other", inhibit[] = "--inhibit-cache", path[4096];
	char *words[] = {loader, inhibit, option, name, path, loader, NULL};
	int sum = 0;

	if (count == 1) {
		CHECK(realpath(arguments[0], path));
		execv(loader, words);
		SKIP("there is no such loader");
	}
	for (int i = 0; i < 100; i++)
		sum = work(sum);
	printf("%d %s\n", sum, arguments[0]);
	return 0;
}
