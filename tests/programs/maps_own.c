// build: gcc -O2 -fno-plt
// build(no-pie): gcc -O2 -fno-plt -no-pie -fno-pie
// build(static): gcc -O2 -static -DALONE
// plugin: libplugin1.so lib/plugin.c gcc -O2 -DNUMBER=1
// expect: function=named calls=3
/*
 * The contents of /proc/self/maps for the program's code: file and offset of some
 * addresses, the rights, and the number of lines of each file. Profilers and crash
 * handlers name addresses by it.
 */
#include "lib/test.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct mapping {
	unsigned long start, end, offset, inode;
	char rights[8], path[600];
};

static bool next_mapping(FILE *maps, struct mapping *ret)
{
	char line[1000];

	*ret = (struct mapping){0};
	return fgets(line, sizeof(line), maps) &&
	       sscanf(line, "%lx-%lx %7s %lx %*s %lu %599[^\n]", &ret->start, &ret->end,
		      ret->rights, &ret->offset, &ret->inode, ret->path) >= 4;
}

static const char *name_of(const struct mapping *mapping)
{
	const char *slash = strrchr(mapping->path, '/');

	return slash ? slash + 1 : mapping->path;
}

/* Lines of one file, and whether the file there is the one that is mapped. */
static void tell_file(const struct mapping *wanted)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	struct mapping mapping;
	struct stat status;
	int lines = 0;

	while (next_mapping(maps, &mapping))
		lines += !strcmp(mapping.path, wanted->path);
	fclose(maps);
	bool same = !stat(wanted->path, &status) && status.st_ino == wanted->inode;

	printf("  %d lines, %s\n", lines, same ? "the same file" : "another file");
}

KEPT static void named(const char *what, uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	struct mapping mapping;

	while (next_mapping(maps, &mapping)) {
		if (address < mapping.start || address >= mapping.end)
			continue;
		printf("%s: %s+0x%lx %s\n", what, name_of(&mapping),
		       address - mapping.start + mapping.offset, mapping.rights);
		tell_file(&mapping);
	}
	fclose(maps);
}

/* An address in another library. */
static uintptr_t elsewhere(const char *program)
{
#ifdef ALONE
	(void)program;
	return (uintptr_t)strtol;
#else
	char path[4200];
	void *library;

	snprintf(path, sizeof(path), "%.4000s", program);
	strcpy(strrchr(path, '/') + 1, "libplugin1.so");
	library = dlopen(path, RTLD_NOW);
	CHECK(library);
	return (uintptr_t)dlsym(library, "plugin_work");
#endif
}

int main(int count, char **arguments)
{
	(void)count;
	named("main", (uintptr_t)main);
	named("qsort", (uintptr_t)qsort);
	named("elsewhere", elsewhere(arguments[0]));
	return 0;
}
