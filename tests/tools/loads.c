/* Loads the library that its argument names, twice, forks with it, and unloads it. */
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

static int use_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*work)(void) = library ? (void (*)(void))dlsym(library, "plugin_work") : 0;
	pid_t child;

	if (!work)
		return 1;
	work();
	child = fork();
	if (!child) {
		work();
		dlclose(library);
		_exit(0);
	}
	waitpid(child, 0, 0);
	return dlclose(library);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 0;
	return use_library(argv[1]) || use_library(argv[1]);
}
