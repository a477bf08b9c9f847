/* Code made at run time, told by a map ("map") or a jitdump file ("dump"):
 * `= share FUNCTION PERCENT`. */
#include "work.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CODE_SIZE = 32 };

/* mov $50000, %ecx; loop: dec %ecx; jnz loop; ret */
static const uint8_t code[CODE_SIZE] = {0xb9, 0x50, 0xc3, 0x00, 0x00,
					0xff, 0xc9, 0x75, 0xfc, 0xc3};

struct load {
	uint32_t kind, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t at, start, code_size, number;
	char name[24];
	uint8_t code[CODE_SIZE];
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void tell_map(const char *path, void *start, const char *name)
{
	FILE *file = fopen(path, "a");

	fprintf(file, "%lx %x %s\n", (unsigned long)start, CODE_SIZE, name);
	fclose(file);
}

static void tell_dump(int fd, void *start, const char *name)
{
	struct load load = {.size = sizeof(load),
			    .time = now_ns(),
			    .pid = (uint32_t)getpid(),
			    .tid = (uint32_t)getpid(),
			    .at = (uint64_t)(uintptr_t)start,
			    .start = (uint64_t)(uintptr_t)start,
			    .code_size = CODE_SIZE,
			    .number = 1};

	strcpy(load.name, name);
	memcpy(load.code, code, sizeof(code));
	if (write(fd, &load, sizeof(load)) != sizeof(load))
		_exit(1);
}

static int begin_dump(const char *path)
{
	const uint32_t head[10] = {0x4a695444, 1, 40, 62, 0, 0};
	const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, head, sizeof(head)) != sizeof(head))
		_exit(1);
	/* This is how a profiler hears of it. */
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	return fd;
}

int main(int argc, char **argv)
{
	const int dumps = argc > 1 && !strcmp(argv[1], "dump");
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*run)(void);
	char path[64];
	int fd = -1;

	snprintf(path, sizeof(path), dumps ? "/tmp/jit-%d.dump" : "/tmp/perf-%d.map",
		 getpid());
	if (dumps)
		fd = begin_dump(path);
	memcpy(page, code, sizeof(code));
	*(void **)&run = page;
	if (dumps)
		tell_dump(fd, page, "made first");
	else
		tell_map(path, page, "made first");
	WORK_FOR(0.2, run());
	/* In a dump the second has the place of the first. */
	if (!dumps) {
		memcpy(page + 64, code, sizeof(code));
		*(void **)&run = page + 64;
		tell_map(path, page + 64, "made second");
	} else {
		tell_dump(fd, page, "made second");
	}
	WORK_FOR(0.2, run());
	printf("= share made_first 50\n= share made_second 50\n= file %s\n", path);
	return 0;
}
