// build: gcc -O2
// plugin: libplugin1.so lib/plugin.c gcc -O2 -DNUMBER=1
// output: plugin 90
// expect: function=plugin_work calls=2
// expect: function=plugin_helper calls=20
/*
 * Libraries whose paths have a line end, which /proc/PID/maps writes as a number, the
 * number itself, and what it says of files that are gone.
 */
#include "lib/test.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

static void copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	CHECK(in >= 0 && out >= 0);
	while (sendfile(out, in, NULL, 1 << 20) > 0)
		;
	close(in);
	close(out);
}

static int work_of(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*work)(int);

	CHECK(library);
	*(void **)&work = dlsym(library, "plugin_work");
	return work(0);
}

int main(int count, char **arguments)
{
	static const char *const names[] = {"/two\nlines.so", "/a\\012b (deleted)"};
	char folder[4096], from[4200], to[4200];
	int sum = 0;

	(void)count;
	snprintf(folder, sizeof(folder), "%.4000s", arguments[0]);
	*strrchr(folder, '/') = '\0';
	snprintf(from, sizeof(from), "%s/libplugin1.so", folder);
	for (int i = 0; i < 2; i++) {
		snprintf(to, sizeof(to), "/tmp/trammel-odd.%d%s", (int)getpid(),
			 names[i]);
		*strrchr(to, '/') = '.';
		copy(from, to);
		sum += work_of(to);
		unlink(to);
	}
	printf("plugin %d\n", sum);
	return 0;
}
