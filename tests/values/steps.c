/*
 * Single-steps a program and counts the values of registers and memory behind (or in
 * front of) instructions: what values of -m values are compared with. It decodes nothing.
 *
 * Usage: steps REQUESTS RESULTS PROGRAM ARGUMENT...
 *
 * REQUESTS has lines "ADDRESS after rax", "ADDRESS before 0xMEMORY SIZE", "ADDRESS after
 * 0xMEMORY SIZE", "ADDRESS next", with run-time addresses: which register, memory, or
 * next address. RESULTS gets the line again with a value and how often it was, a line for
 * each.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <search.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANY 64 /* values of a request that are told apart */

struct request {
	struct request *next; /* of the same address */
	unsigned long address, memory, size;
	int before, to;
	char what[16], line[80];
	unsigned long values[MANY], counts[MANY], other;
};

static const char *const names[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
				      "rsi", "rdi", "r8",  "r9",  "r10", "r11",
				      "r12", "r13", "r14", "r15"};
static struct request *table[1 << 16];
static unsigned char state[16384];
static unsigned int high_vectors, masks;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static struct request **place_of(unsigned long address)
{
	return &table[(address ^ address >> 16) & 0xffff];
}

static void read_requests(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[80], when[16];

	if (!file)
		fail(path);
	while (fgets(line, sizeof(line), file)) {
		struct request *request = calloc(1, sizeof(*request));

		line[strcspn(line, "\n")] = '\0';
		strcpy(request->line, line);
		if (sscanf(line, "%lx %15s %15s %lu", &request->address, when,
			   request->what, &request->size) < 2)
			fail(line);
		request->before = !strcmp(when, "before");
		request->to = !strcmp(when, "next");
		request->memory = strtoul(request->what, NULL, 0);
		request->next = *place_of(request->address);
		*place_of(request->address) = request;
	}
	fclose(file);
}

static unsigned long word_at(unsigned int offset)
{
	unsigned long word;

	memcpy(&word, state + offset, sizeof(word));
	return word;
}

static unsigned long register_named(const struct user_regs_struct *r, const char *name)
{
	const unsigned long general[16] = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp,
					   r->rsi, r->rdi, r->r8,  r->r9,  r->r10, r->r11,
					   r->r12, r->r13, r->r14, r->r15};
	unsigned int number = 0;
	long double wide = 0;
	double narrow;
	unsigned long bits;

	for (int i = 0; i < 16; i++)
		if (!strcmp(name, names[i]))
			return general[i];
	if (sscanf(name, "xmm%u", &number) == 1)
		return number < 16 ? word_at(160 + 16 * number)
				   : word_at(high_vectors + 64 * (number - 16));
	if (name[0] == 'k')
		return word_at(masks + 8 * (unsigned int)atoi(name + 1)) & 0xffff;
	if ((word_at(40) & 0xffff) == 0xffff)
		return word_at(32);
	memcpy(&wide, state + 32, 10);
	narrow = (double)wide;
	memcpy(&bits, &narrow, sizeof(bits));
	return bits;
}

static void count(struct request *request, unsigned long value)
{
	int i = 0;

	while (i < MANY && request->counts[i] && request->values[i] != value)
		i++;
	if (i == MANY) {
		request->other++;
		return;
	}
	request->values[i] = value;
	request->counts[i]++;
}

/* Memory that is elsewhere in this run (the stack) is not compared. */
static void count_memory(pid_t pid, struct request *request)
{
	unsigned long value = 0;
	struct iovec own = {&value, request->size < 8 ? request->size : 8},
		     far = {(void *)request->memory, own.iov_len};

	if (process_vm_readv(pid, &own, 1, &far, 1, 0) < 0)
		request->other++;
	else
		count(request, value);
}

static void read_state(pid_t pid)
{
	struct iovec vector = {state, sizeof(state)};

	if (ptrace(PTRACE_GETREGSET, pid, NT_X86_XSTATE, &vector))
		fail("PTRACE_GETREGSET");
}

static void look(pid_t pid, unsigned long address, int before,
		 const struct user_regs_struct *registers)
{
	int have = 0;

	for (struct request *r = *place_of(address); r; r = r->next) {
		if (r->address != address || (r->before != before))
			continue;
		if (r->to) {
			count(r, registers->rip);
		} else if (r->size) {
			count_memory(pid, r);
		} else {
			if (r->what[0] != 'r' && !have++)
				read_state(pid);
			count(r, register_named(registers, r->what));
		}
	}
}

static void step_through(pid_t pid)
{
	struct user_regs_struct registers;
	unsigned long last = 0;
	int status;

	for (;;) {
		if (ptrace(PTRACE_GETREGS, pid, 0, &registers))
			fail("PTRACE_GETREGS");
		/* A repeated instruction has a step for each of its rounds. */
		if (last && registers.rip != last)
			look(pid, last, 0, &registers);
		if (registers.rip != last)
			look(pid, registers.rip, 1, &registers);
		last = registers.rip;
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0))
			fail("PTRACE_SINGLESTEP");
		if (waitpid(pid, &status, 0) != pid || WIFEXITED(status))
			return;
		if (WIFSIGNALED(status) || WSTOPSIG(status) != SIGTRAP) {
			fprintf(stderr, "status %x\n", status);
			exit(1);
		}
	}
}

static void write_results(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		fail(path);
	for (int i = 0; i < 1 << 16; i++)
		for (struct request *r = table[i]; r; r = r->next) {
			for (int v = 0; v < MANY && r->counts[v]; v++)
				fprintf(file, "%s = %lu %lu\n", r->line, r->values[v],
					r->counts[v]);
			if (r->other)
				fprintf(file, "%s = other %lu\n", r->line, r->other);
		}
	fclose(file);
}

int main(int argc, char **argv)
{
	unsigned int a, b, c, d;
	int status;

	if (argc < 4)
		return 2;
	if (__get_cpuid_count(0xd, 7, &a, &b, &c, &d))
		high_vectors = b;
	if (__get_cpuid_count(0xd, 5, &a, &b, &c, &d))
		masks = b;
	read_requests(argv[1]);
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[3], argv + 3);
		fail(argv[3]);
	}
	waitpid(pid, &status, 0);
	step_through(pid);
	write_results(argv[2]);
	return 0;
}
