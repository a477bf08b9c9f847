#include "control/remote.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "control/event.h"

#include <asm/prctl.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef PTRACE_ARCH_PRCTL
#define PTRACE_ARCH_PRCTL 30
#endif

/* Bytes; usual is a third. */
enum { STATUS_SIZE = 4096 };

static struct trm_error *check_result(long result, pid_t tid, const char *what)
{
	if (result >= 0)
		return NULL;
	if (errno == ESRCH)
		return trm_error_create(TRM_ERROR_GONE, "thread %d ended", tid);
	return trm_error_system(errno, "cannot %s thread %d", what, tid);
}

/* glibc wants enum __ptrace_request; a plain number serves both. */
static long trace_request(int request, pid_t tid, uintptr_t address, uintptr_t data)
{
	return ptrace((enum __ptrace_request)request, tid, address, data);
}

/* The registers that this thread read last; tid 0: none. They stay what they are until
 * the thread is resumed: its tracer alone can change them. */
static _Thread_local struct {
	pid_t tid;
	struct user_regs_struct registers;
} known;

void remote_forget_registers(pid_t tid)
{
	if (known.tid == tid)
		known.tid = 0;
}

struct trm_error *remote_get_registers(pid_t tid, struct user_regs_struct *ret_registers)
{
	struct iovec io = {&known.registers, sizeof(known.registers)};

	if (known.tid != tid) {
		known.tid = 0;
		TRM_TRY(check_result(
			trace_request(PTRACE_GETREGSET, tid, NT_PRSTATUS, (uintptr_t)&io),
			tid, "read registers of"));
		known.tid = tid;
	}
	*ret_registers = known.registers;
	return NULL;
}

struct trm_error *remote_set_registers(pid_t tid,
				       const struct user_regs_struct *registers)
{
	struct user_regs_struct copy = *registers;
	struct iovec io = {&copy, sizeof(copy)};

	remote_forget_registers(tid);
	return check_result(
		trace_request(PTRACE_SETREGSET, tid, NT_PRSTATUS, (uintptr_t)&io), tid,
		"set registers of");
}

struct trm_error *remote_get_vectors(pid_t tid, uint8_t bytes[REMOTE_VECTORS_MAX],
				     size_t *ret_size)
{
	struct iovec place = {bytes, REMOTE_VECTORS_MAX};

	TRM_TRY(check_result(
		trace_request(PTRACE_GETREGSET, tid, NT_X86_XSTATE, (uintptr_t)&place),
		tid, "read the registers of"));
	*ret_size = place.iov_len;
	return NULL;
}

struct trm_error *remote_set_vectors(pid_t tid, const uint8_t *bytes, size_t size)
{
	struct iovec place = {(void *)(uintptr_t)bytes, size};

	return check_result(
		trace_request(PTRACE_SETREGSET, tid, NT_X86_XSTATE, (uintptr_t)&place),
		tid, "set the registers of");
}

struct trm_error *remote_set_gs_base(pid_t tid, uint64_t base)
{
	remote_forget_registers(tid);
	return check_result(trace_request(PTRACE_ARCH_PRCTL, tid, base, ARCH_SET_GS), tid,
			    "set the GS base of");
}

struct trm_error *remote_get_mask(pid_t tid, uint64_t *ret_mask)
{
	return check_result(trace_request(PTRACE_GETSIGMASK, tid, sizeof(*ret_mask),
					  (uintptr_t)ret_mask),
			    tid, "read the signal mask of");
}

struct trm_error *remote_set_mask(pid_t tid, uint64_t mask)
{
	return check_result(
		trace_request(PTRACE_SETSIGMASK, tid, sizeof(mask), (uintptr_t)&mask),
		tid, "set the signal mask of");
}

struct trm_error *remote_get_signal(pid_t tid, siginfo_t *ret_info)
{
	return check_result(trace_request(PTRACE_GETSIGINFO, tid, 0, (uintptr_t)ret_info),
			    tid, "read the signal of");
}

struct trm_error *remote_set_signal(pid_t tid, const siginfo_t *info)
{
	siginfo_t copy = *info;

	return check_result(trace_request(PTRACE_SETSIGINFO, tid, 0, (uintptr_t)&copy),
			    tid, "set the signal of");
}

struct trm_error *remote_resume(pid_t tid, enum remote_resume how, int signal)
{
	static const int requests[] = {
		[REMOTE_RUN] = PTRACE_CONT,       [REMOTE_SYSCALL] = PTRACE_SYSCALL,
		[REMOTE_EMULATE] = PTRACE_SYSEMU, [REMOTE_LISTEN] = PTRACE_LISTEN,
		[REMOTE_DETACH] = PTRACE_DETACH,  [REMOTE_STEP] = PTRACE_SINGLESTEP,
	};

	event_resuming(tid);
	remote_forget_registers(tid);
	return check_result(trace_request(requests[how], tid, 0, (uintptr_t)signal), tid,
			    "resume");
}

bool remote_is_entry(pid_t tid)
{
	struct __ptrace_syscall_info info = {0};

	return trace_request(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info),
			     (uintptr_t)&info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

bool remote_get_call(pid_t tid, struct remote_call *ret_call)
{
	struct __ptrace_syscall_info info = {0};
	struct remote_call call;

	if (trace_request(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), (uintptr_t)&info) <=
		    0 ||
	    (info.op != PTRACE_SYSCALL_INFO_ENTRY && info.op != PTRACE_SYSCALL_INFO_EXIT))
		return false;
	call = (struct remote_call){
		.entry = info.op == PTRACE_SYSCALL_INFO_ENTRY,
		.pc = info.instruction_pointer,
		.rsp = info.stack_pointer,
	};
	if (call.entry) {
		call.number = info.entry.nr;
		memcpy(call.arguments, info.entry.args, sizeof(call.arguments));
	} else {
		call.result = info.exit.rval;
	}
	*ret_call = call;
	return true;
}

static struct trm_error *memory_error(ssize_t result, uint64_t address, const char *what)
{
	if (result == 0 || errno == ESRCH)
		return trm_error_create(TRM_ERROR_GONE, "the process ended");
	return trm_error_system(errno, "cannot %s memory at 0x%lx", what, address);
}

struct trm_error *remote_read(int memory_fd, uint64_t address, void *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pread(memory_fd, (char *)bytes + done, size - done,
				  (off_t)(address + done));

		if (n <= 0)
			return memory_error(n, address + done, "read");
		done += (size_t)n;
	}
	return NULL;
}

struct trm_error *remote_write(int memory_fd, uint64_t address, const void *bytes,
			       size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pwrite(memory_fd, (const char *)bytes + done, size - done,
				   (off_t)(address + done));

		if (n <= 0)
			return memory_error(n, address + done, "write");
		done += (size_t)n;
	}
	return NULL;
}

void remote_read_mapped(int memory_fd, uint64_t address, void *bytes, size_t size)
{
	const size_t page = 4096;

	for (size_t done = 0; done < size;) {
		char *part = (char *)bytes + done;
		size_t piece = page - ((address + done) & (page - 1));

		if (piece > size - done)
			piece = size - done;
		struct trm_error *error =
			remote_read(memory_fd, address + done, part, piece);
		if (error)
			memset(part, 0, piece);
		trm_error_destroy(error);
		done += piece;
	}
}

struct trm_error *remote_read_string(int memory_fd, uint64_t address, char *text,
				     size_t capacity)
{
	size_t length = 0;

	while (length + 1 < capacity) {
		/* Not across a page: the next one may not be mapped. */
		size_t piece = 4096 - ((address + length) & 4095);

		if (piece > capacity - 1 - length)
			piece = capacity - 1 - length;
		TRM_TRY(remote_read(memory_fd, address + length, text + length, piece));
		if (memchr(text + length, '\0', piece))
			return NULL;
		length += piece;
	}
	text[length] = '\0';
	return NULL;
}

struct trm_error *remote_open(pid_t pid, const char *name, int flags, int *ret_fd)
{
	char path[PATH_MAX + 128];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0 && (errno == ENOENT || errno == ESRCH))
		return trm_error_create(TRM_ERROR_GONE, "process %d ended", pid);
	if (fd < 0)
		return trm_error_system(errno, "cannot open '%s'", path);
	*ret_fd = fd;
	return NULL;
}

/* One read is enough, except for processes with very many groups. */
static bool read_status(pid_t pid, struct text *text)
{
	char bytes[STATUS_SIZE];
	ssize_t length;
	int fd = -1;

	trm_error_destroy(remote_open(pid, "status", O_RDONLY, &fd));
	if (fd < 0)
		return false;
	do {
		length = read(fd, bytes, sizeof(bytes));
		if (length > 0)
			text_add_bytes(text, bytes, (size_t)length);
	} while (length == sizeof(bytes));
	close(fd);
	return text->length != 0;
}

static bool find_field(const char *text, const char *field, int base, uint64_t *ret_value)
{
	size_t length = strlen(field);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, field, length) || line[length] != ':')
			continue;
		*ret_value = strtoull(line + length + 1, NULL, base);
		return true;
	}
	return false;
}

void remote_read_program(pid_t pid, char *text, size_t capacity)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	ssize_t length = readlink(path, text, capacity - 1);

	text[length > 0 ? length : 0] = '\0';
}

bool remote_status(pid_t pid, const char *field, int base, uint64_t *ret_value)
{
	struct text text = {0};
	bool found =
		read_status(pid, &text) && find_field(text.data, field, base, ret_value);

	text_deinit(&text);
	return found;
}

bool remote_get_signals(pid_t tid, struct remote_signals *signals)
{
	struct text text = {0};
	uint64_t shared = 0;
	bool found = read_status(tid, &text) &&
		     find_field(text.data, "SigPnd", 16, &signals->pending) &&
		     find_field(text.data, "ShdPnd", 16, &shared) &&
		     find_field(text.data, "SigBlk", 16, &signals->blocked) &&
		     find_field(text.data, "SigIgn", 16, &signals->ignored) &&
		     find_field(text.data, "SigCgt", 16, &signals->caught);

	signals->pending |= shared;
	text_deinit(&text);
	return found;
}

bool remote_ignores(pid_t tid, int signal, uint64_t other)
{
	static const uint64_t harmless = 1ull << (SIGCHLD - 1) | 1ull << (SIGCONT - 1) |
					 1ull << (SIGURG - 1) | 1ull << (SIGWINCH - 1);
	const uint64_t bit = 1ull << (signal - 1);
	struct remote_signals signals = {0};

	remote_get_signals(tid, &signals);
	return !(signals.caught & bit) && ((signals.ignored | harmless | other) & bit);
}

bool remote_has_variable(pid_t pid, const char *assignment)
{
	char path[64];
	char *entry = NULL;
	size_t capacity = 0;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	scoped_file FILE *file = fopen(path, "re");

	while (file && !found && getdelim(&entry, &capacity, '\0', file) > 0)
		found = !strncmp(entry, assignment, strlen(assignment));
	free(entry);
	return found;
}

bool remote_has_address_limit(pid_t pid)
{
	struct rlimit limit;

	return prlimit(pid, RLIMIT_AS, NULL, &limit) || limit.rlim_cur != RLIM_INFINITY;
}

uint64_t remote_auxiliary_value(pid_t pid, uint64_t type)
{
	Elf64_auxv_t values[64];
	scoped_fd int fd = -1;
	struct trm_error *error = remote_open(pid, "auxv", O_RDONLY, &fd);
	ssize_t got = error ? 0 : read(fd, values, sizeof(values));

	trm_error_destroy(error);
	for (ssize_t i = 0; i < got / (ssize_t)sizeof(*values); i++)
		if (values[i].a_type == type)
			return values[i].a_un.a_val;
	return 0;
}

uint64_t remote_ran_ns(pid_t tid)
{
	char text[64];
	ssize_t length;
	int fd;

	if (remote_failed(remote_open(tid, "schedstat", O_RDONLY, &fd)))
		return 0;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	return strtoull(text, NULL, 10);
}

uint64_t remote_filters(pid_t tid)
{
	uint64_t mode = 0, count = 0;

	if (!remote_status(tid, "Seccomp", 10, &mode))
		return UINT64_MAX;
	/* The count is told since Linux 5.9. */
	return remote_status(tid, "Seccomp_filters", 10, &count) ? count + (mode == 1)
								 : mode;
}

/* Reads the line of /proc/PID/stat. Returns what is behind the name of the program, which
 * may have spaces and parentheses in it; NULL: the thread is gone. */
static const char *read_stat(pid_t tid, char *line, size_t capacity)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	scoped_file FILE *file = fopen(path, "re");

	return file && fgets(line, (int)capacity, file) ? strrchr(line, ')') : NULL;
}

char remote_state(pid_t tid, unsigned int *ret_flags)
{
	char line[512], state = 0;
	const char *rest = read_stat(tid, line, sizeof(line));

	*ret_flags = 0;
	if (rest)
		sscanf(rest, ") %c %*d %*d %*d %*d %*d %u", &state, ret_flags);
	return state;
}

void remote_read_times(pid_t tid, struct remote_times *ret_times)
{
	char line[512];
	const char *rest = read_stat(tid, line, sizeof(line));

	*ret_times = (struct remote_times){0};
	if (rest)
		sscanf(rest,
		       ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64
		       " %" SCNu64,
		       &ret_times->state, &ret_times->user, &ret_times->system);
}

bool remote_ends(pid_t tid, int signal)
{
	static const uint64_t others = 1ull << (SIGCHLD - 1) | 1ull << (SIGCONT - 1) |
				       1ull << (SIGURG - 1) | 1ull << (SIGWINCH - 1) |
				       1ull << (SIGSTOP - 1) | 1ull << (SIGTSTP - 1) |
				       1ull << (SIGTTIN - 1) | 1ull << (SIGTTOU - 1);
	const uint64_t bit = 1ull << (signal - 1);
	struct remote_signals signals = {0};

	return !(others & bit) && remote_get_signals(tid, &signals) &&
	       !((signals.caught | signals.ignored) & bit);
}
