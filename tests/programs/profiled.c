// build: gcc -O1 -pg
// build(fixed): gcc -O1 -pg -fno-pie -no-pie
// build(fentry): gcc -O1 -pg -mfentry
// build(entries): gcc -O1 -pg -mfentry -fno-pie -no-pie
// output: 3001 calls
// expect: function=leaf calls=2000
// expect: function=middle calls=1000
// expect: function=work calls=1
/* A program built for gprof: its functions tell who calls them, found by return
 * addresses, and what was found is written at the end. */
#include "lib/test.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

extern char __executable_start[], etext[];
void _mcleanup(void);

KEPT long leaf(long number)
{
	__asm__ volatile("" : "+r"(number));
	return number + 1;
}

KEPT long middle(long number)
{
	return leaf(number) + leaf(number + 1);
}

KEPT long work(void)
{
	long sum = 0;

	for (long i = 0; i < 1000; i++)
		sum += middle(i);
	return sum;
}

/* Of <sys/gmon_out.h>, without padding: behind a byte that tells which it is. */
struct times {
	uint64_t low, high;
	uint32_t size, rate;
	char name[16];
} __attribute__((packed));
struct arc {
	uint64_t from, to;
	uint32_t count;
} __attribute__((packed));

enum { HEADER = 20, TIMES = 0, ARC = 1, BYTES_MAX = 1 << 20 };

/* Addresses are those of the file: in the program, less where it was loaded. */
static int is_own(uint64_t address)
{
	const uint64_t start = (uintptr_t)__executable_start, end = (uintptr_t)etext;

	return address - start < end - start || address < end - start;
}

static void read_arcs(const char *path)
{
	static char bytes[BYTES_MAX];
	int fd = open(path, O_RDONLY);
	ssize_t size = read(fd, bytes, sizeof(bytes)), at = HEADER;
	uint32_t calls = 0;
	struct times times;
	struct arc arc;

	while (at < size && bytes[at] == TIMES) {
		memcpy(&times, bytes + at + 1, sizeof(times));
		at += 1 + (ssize_t)sizeof(times) + 2 * (ssize_t)times.size;
	}
	for (; at < size && bytes[at] == ARC; at += 1 + (ssize_t)sizeof(arc)) {
		memcpy(&arc, bytes + at + 1, sizeof(arc));
		if (is_own(arc.from) && is_own(arc.to))
			calls += arc.count;
	}
	close(fd);
	unlink(path);
	printf("%u calls\n", calls);
}

int main(void)
{
	char prefix[PATH_MAX] = "/tmp/profiled.XXXXXX", path[PATH_MAX + 16];
	int fd = mkstemp(prefix);

	if (fd < 0 || setenv("GMON_OUT_PREFIX", prefix, 1) || !work())
		return 1;
	close(fd);
	unlink(prefix);
	_mcleanup();
	snprintf(path, sizeof(path), "%s.%d", prefix, getpid());
	read_arcs(path);
	return 0;
}
