/*
 * step FILE PROGRAM ARGUMENT...: runs the program one instruction at a time and writes
 * how often each instruction ran, and each jump from one to another, in the format of
 * callgrind's output (instruction positions only); to FILE.ways how often each followed
 * which other one: module, address, module, address, count. It is the plainest truth
 * there is, on the real CPU with the real vDSO and loader, at some microseconds an
 * instruction. One thread, no children.
 */
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INSTRUCTION_BYTES_MAX = 15, MODULES_MAX = 256, PATH_BYTES = 512 };

/* A mapping that holds code. */
struct module {
	uint64_t start, end; /* run-time addresses */
	uint64_t bias;       /* run-time less link-time address */
	char path[PATH_BYTES];
};

/* Executions of `to` that followed `from`; of `to` alone where `from` is 0. A jump to
 * another place than the next instruction is one that is surely far. */
struct counter {
	uint64_t from, to, count;
};

static struct module modules[MODULES_MAX];
static size_t module_count;
static struct counter *counters;
static size_t counter_count, counter_capacity;

static void fail(const char *what)
{
	perror(what);
	exit(4);
}

static struct counter *find(struct counter *table, size_t capacity, uint64_t from,
			    uint64_t to)
{
	size_t at = (from * 31 + to) * 0x9e3779b97f4a7c15ull >> 20 & (capacity - 1);

	while (table[at].count && (table[at].from != from || table[at].to != to))
		at = (at + 1) & (capacity - 1);
	return &table[at];
}

static void grow(void)
{
	size_t capacity = counter_capacity ? counter_capacity * 2 : 1 << 16;
	struct counter *table = calloc(capacity, sizeof(*table));

	if (!table)
		fail("calloc");
	for (size_t i = 0; i < counter_capacity; i++)
		if (counters[i].count)
			*find(table, capacity, counters[i].from, counters[i].to) =
				counters[i];
	free(counters);
	counters = table;
	counter_capacity = capacity;
}

static void count(uint64_t from, uint64_t to)
{
	struct counter *counter;

	if (counter_count * 2 >= counter_capacity)
		grow();
	counter = find(counters, counter_capacity, from, to);
	if (!counter->count++) {
		counter->from = from;
		counter->to = to;
		counter_count++;
	}
}

/* The link-time address of what lies at `offset` in the file; -1 if it is not loaded. */
static uint64_t link_address(const char *path, uint64_t offset)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t address = (uint64_t)-1;
	Elf64_Ehdr head;
	Elf64_Phdr segment;

	if (fd < 0)
		return address;
	if (pread(fd, &head, sizeof(head), 0) == sizeof(head)) {
		for (int i = 0; i < head.e_phnum; i++) {
			off_t at = (off_t)(head.e_phoff + (uint64_t)i * sizeof(segment));

			if (pread(fd, &segment, sizeof(segment), at) == sizeof(segment) &&
			    segment.p_type == PT_LOAD && offset >= segment.p_offset &&
			    offset < segment.p_offset + segment.p_filesz)
				address = segment.p_vaddr + offset - segment.p_offset;
		}
	}
	close(fd);
	return address;
}

/* Takes in the mappings that are new. Old ones stay: a library may be unloaded meanwhile.
 */
static void read_maps(pid_t pid)
{
	char path[64], line[PATH_BYTES + 128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "re");
	if (!file)
		fail(path);
	while (fgets(line, sizeof(line), file) && module_count < MODULES_MAX) {
		struct module *module = &modules[module_count];
		uint64_t offset, address;
		char rights[8];

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %511s", &module->start,
			   &module->end, rights, &offset, module->path) != 5 ||
		    rights[2] != 'x' || module->path[0] != '/')
			continue;
		address = link_address(module->path, offset);
		module->bias = module->start - address;
		if (address != (uint64_t)-1)
			module_count++;
	}
	fclose(file);
}

static const struct module *module_of(uint64_t address)
{
	for (size_t i = module_count; i-- > 0;)
		if (address >= modules[i].start && address < modules[i].end)
			return &modules[i];
	return NULL;
}

/* The instruction behind a cpuid at `place`; 0: there is another one. */
static uint64_t behind_cpuid(pid_t pid, uint64_t place)
{
	enum { CPUID = 0xa20f, SIZE = 2 };

	return (ptrace(PTRACE_PEEKTEXT, pid, place, 0) & 0xffff) == CPUID ? place + SIZE
									  : 0;
}

static void count_step(uint64_t from, uint64_t to)
{
	count(0, to);
	if (from)
		count(from, to);
}

/* Steps the stopped process to its end; its wait status. */
static int step_all(pid_t pid)
{
	uint64_t missed = 0;
	uint64_t last = 0, behind = 0;
	int status, signal = 0;

	for (;;) {
		uint64_t place = (uint64_t)ptrace(
			PTRACE_PEEKUSER, pid, offsetof(struct user_regs_struct, rip), 0);

		/* The vDSO has no file: asked once a page, not at each of its
		 * instructions. */
		if (place >> 12 != missed && !module_of(place)) {
			read_maps(pid);
			missed = module_of(place) ? 0 : place >> 12;
		}
		/* Some hypervisors do cpuid themselves, and the step's trap comes one
		 * instruction later. */
		if (behind && place != behind) {
			count_step(last, behind);
			last = behind;
		}
		/* An instruction that faulted is no second time here. */
		if (module_of(place) && !(signal && place == last))
			count_step(last, place);
		last = place;
		behind = behind_cpuid(pid, place);
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, signal) ||
		    waitpid(pid, &status, 0) < 0)
			fail("step");
		if (!WIFSTOPPED(status))
			return status;
		signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	}
}

static void write_counter(FILE *out, const struct counter *counter)
{
	const struct module *to = module_of(counter->to);
	const struct module *from = counter->from ? module_of(counter->from) : NULL;

	if (!counter->from) {
		fprintf(out, "ob=%s\n0x%lx %lu\n", to->path, counter->to - to->bias,
			counter->count);
	} else if (from && counter->to - counter->from - 1 >= INSTRUCTION_BYTES_MAX) {
		fprintf(out, "ob=%s\ncob=%s\njump=%lu 0x%lx\n0x%lx\n", from->path,
			to->path, counter->count, counter->to - to->bias,
			counter->from - from->bias);
	}
}

static void write_all(const char *path)
{
	FILE *out = fopen(path, "we");
	uint64_t total = 0;

	if (!out)
		fail(path);
	fprintf(out, "# callgrind format\npositions: instr\nevents: Ir\n");
	for (size_t i = 0; i < counter_capacity; i++) {
		if (!counters[i].count)
			continue;
		total += counters[i].from ? 0 : counters[i].count;
		write_counter(out, &counters[i]);
	}
	fprintf(out, "totals: %lu\n", total);
	if (fclose(out))
		fail(path);
}

static void write_ways(const char *path)
{
	char name[PATH_BYTES];
	FILE *out;

	snprintf(name, sizeof(name), "%s.ways", path);
	out = fopen(name, "we");
	if (!out)
		fail(name);
	for (size_t i = 0; i < counter_capacity; i++) {
		const struct counter *counter = &counters[i];
		const struct module *from =
			counter->from ? module_of(counter->from) : NULL;
		const struct module *to = module_of(counter->to);

		if (counter->count && from)
			fprintf(out, "%s\t%lx\t%s\t%lx\t%lu\n", from->path,
				counter->from - from->bias, to->path,
				counter->to - to->bias, counter->count);
	}
	if (fclose(out))
		fail(name);
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: step FILE PROGRAM ARGUMENT...\n");
		return 2;
	}
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[2], argv + 2);
		fail(argv[2]);
	}
	if (waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
		return 4;
	status = step_all(pid);
	write_all(argv[1]);
	write_ways(argv[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}
