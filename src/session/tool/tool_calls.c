#include "session/tool/tool_calls.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "control/remote.h"
#include "session/tool/tool_files.h"
#include "session/tool/tool_records.h"
#include "wire/bank.h"

#include <asm/prctl.h>
#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096u

#ifndef SYS_clone3
#define SYS_clone3 435
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* An argument of the request. */
#define ARGUMENT(request, number) (*(request)->arguments[number])

static uint64_t whole_pages(uint64_t size)
{
	return (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

uint64_t tool_calls_take(struct tool_space *tools, uint64_t size)
{
	uint64_t address = tools->next;

	size = whole_pages(size);
	vector_for_each (&tools->unmapped, range) {
		if (range->end - range->start < size)
			continue;
		address = range->start;
		range->start += size;
		return address;
	}
	if (size > tools->pool_end - address)
		return 0;
	tools->next += size;
	return address;
}

/* Gives addresses back. */
static void give_range(struct tool_space *tools, uint64_t start, uint64_t end)
{
	vector_for_each (&tools->unmapped, range) {
		if (range->start == range->end)
			*range = (struct tool_range){start, start};
		if (range->end == start) {
			range->end = end;
			return;
		}
		if (range->start == end) {
			range->start = start;
			return;
		}
	}
	vector_push(&tools->unmapped, ((struct tool_range){start, end}));
}

/* Whether a range is the tools' alone. */
static bool is_own(const struct tool_request *request, uint64_t start, uint64_t size)
{
	const struct tool_space *tools = request->space->tools;

	return tool_space_has(tools, start) && size <= tools->pool_end - start;
}

/* Whether memory would be writable and executable. */
static bool is_too_much(uint64_t rights)
{
	return (rights & (PROT_WRITE | PROT_EXEC)) == (PROT_WRITE | PROT_EXEC);
}

/* Bytes of addresses that malloc(3) keeps for each of its heaps: it can do without. */
#define HEAP_SIZE (64ull << 20)

/* Mappings of files become copies: nobody sees them in the list of mappings. */
static int64_t serve_mmap(struct tool_request *request)
{
	struct tool_pending *pending = &request->thread->tool_pending;
	const uint64_t flags = ARGUMENT(request, 3), size = ARGUMENT(request, 1);
	uint64_t address = ARGUMENT(request, 0);

	if (is_too_much(ARGUMENT(request, 2)))
		return -EACCES;
	if (ARGUMENT(request, 2) == PROT_NONE && size >= HEAP_SIZE &&
	    remote_has_address_limit(request->thread->process->pid))
		return -ENOMEM;
	if (!(flags & MAP_ANONYMOUS)) {
		pending->mapped = tool_files_find(request, (int)ARGUMENT(request, 4));
		pending->offset = ARGUMENT(request, 5);
		pending->size = size;
		if (!pending->mapped)
			return -EBADF;
	}
	if (!(flags & MAP_FIXED))
		address = tool_calls_take(request->space->tools, size);
	if (!address)
		return -ENOMEM;
	if (!is_own(request, address, whole_pages(size)))
		return -EPERM;
	ARGUMENT(request, 0) = address;
	ARGUMENT(request, 3) = MAP_PRIVATE | MAP_ANONYMOUS |
			       (flags & (MAP_NORESERVE | MAP_STACK)) |
			       (flags & MAP_FIXED ? MAP_FIXED : MAP_FIXED_NOREPLACE);
	ARGUMENT(request, 4) = UINT64_MAX;
	ARGUMENT(request, 5) = 0;
	return TOOL_CALL_MADE;
}

static int64_t serve_munmap(struct tool_request *request)
{
	const uint64_t start = ARGUMENT(request, 0),
		       size = whole_pages(ARGUMENT(request, 1));

	if (!is_own(request, start, size))
		return -EINVAL;
	/* Other threads may be in a routine, or the process go on unmeasured. */
	if (request->space->tools->ending)
		return 0;
	if (!request->space->tools->filtered)
		give_range(request->space->tools, start, start + size);
	return TOOL_CALL_MADE;
}

static int64_t serve_protect(struct tool_request *request)
{
	if (!is_own(request, ARGUMENT(request, 0), ARGUMENT(request, 1)))
		return -ENOMEM;
	return is_too_much(ARGUMENT(request, 2)) ? -EACCES : TOOL_CALL_MADE;
}

static int64_t serve_mremap(struct tool_request *request)
{
	const uint64_t old = ARGUMENT(request, 0),
		       old_size = whole_pages(ARGUMENT(request, 1)),
		       size = whole_pages(ARGUMENT(request, 2));
	uint64_t place;

	if (!is_own(request, old, old_size))
		return -EINVAL;
	if (request->space->tools->filtered)
		return -ENOMEM;
	if (size <= old_size) {
		give_range(request->space->tools, old + size, old + old_size);
		return TOOL_CALL_MADE;
	}
	place = ARGUMENT(request, 3) & MREMAP_MAYMOVE
			? tool_calls_take(request->space->tools, size)
			: 0;
	if (!place)
		return -ENOMEM;
	give_range(request->space->tools, old, old + old_size);
	ARGUMENT(request, 3) = MREMAP_MAYMOVE | MREMAP_FIXED;
	ARGUMENT(request, 4) = place;
	return TOOL_CALL_MADE;
}

static int64_t serve_nothing(struct tool_request *request)
{
	(void)request;
	return 0;
}

static int64_t serve_made(struct tool_request *request)
{
	(void)request;
	return TOOL_CALL_MADE;
}

/* Routines for threads that were there before run on one of them. */
static int64_t serve_gettid(struct tool_request *request)
{
	const pid_t acting = request->space->tools->acting;

	return acting ? acting : TOOL_CALL_MADE;
}

static int64_t serve_tid_address(struct tool_request *request)
{
	request->thread->tool.tid_address = ARGUMENT(request, 0);
	return request->thread->tid;
}

static int64_t serve_arch_prctl(struct tool_request *request)
{
	if (request->registers.rip == request->space->tools->table.back_call)
		request->event = TOOL_BACK;
	else if (ARGUMENT(request, 0) == ARCH_SET_FS &&
		 request->space->tools->phase == TOOL_LOADING)
		return TOOL_CALL_MADE;
	return -EINVAL;
}

/* The first thing that a thread runs, which the library makes; no thread is made. */
static int64_t make_thread(struct tool_request *request, const struct clone_args *how)
{
	struct tool_thread *made = request->space->tools->making;
	const int32_t tid = request->thread->tid;

	if (!made || !(how->flags & CLONE_THREAD))
		return -EAGAIN;
	made->waiting = request->registers;
	made->waiting.rax = 0;
	made->waiting.rsp = how->stack + how->stack_size;
	made->waiting.fs_base = made->thread_pointer = how->tls;
	made->tid_address = how->parent_tid;
	if (remote_failed(remote_write(request->space->memory_fd, how->parent_tid, &tid,
				       sizeof(tid))))
		return -EAGAIN;
	return tid;
}

static int64_t serve_clone3(struct tool_request *request)
{
	struct clone_args how = {0};

	if (remote_failed(remote_read(request->space->memory_fd, ARGUMENT(request, 0),
				      &how, CLONE_ARGS_SIZE_VER0)))
		return -EFAULT;
	return make_thread(request, &how);
}

static int64_t serve_clone(struct tool_request *request)
{
	const struct clone_args how = {
		.flags = ARGUMENT(request, 0),
		.stack = ARGUMENT(request, 1),
		.parent_tid = ARGUMENT(request, 2),
		.tls = ARGUMENT(request, 4),
	};

	return make_thread(request, &how);
}

static int64_t serve_exit(struct tool_request *request)
{
	request->event = TOOL_LEFT;
	return 0;
}

/* Signals that tools send: the one by which they end themselves, and none else. */
static int64_t serve_kill(struct tool_request *request)
{
	const int number = request->registers.orig_rax == SYS_tgkill ? 2 : 1;

	if (ARGUMENT(request, number) != SIGABRT)
		return -EPERM;
	request->event = TOOL_ABORTED;
	return 0;
}

/* Writes zeros to where a call's result goes. */
static int64_t give_zeros(const struct tool_request *request, uint64_t address,
			  size_t size)
{
	static const uint8_t zeros[64];

	return address && remote_failed(remote_write(request->space->memory_fd, address,
						     zeros, size))
		       ? -EFAULT
		       : 0;
}

static int64_t serve_mask(struct tool_request *request)
{
	return give_zeros(request, ARGUMENT(request, 2), sizeof(uint64_t));
}

static int64_t serve_action(struct tool_request *request)
{
	enum { KERNEL_SIGACTION = 32 };

	return give_zeros(request, ARGUMENT(request, 2), KERNEL_SIGACTION);
}

/* A process in which tools are loaded stands for another one. */
static int64_t serve_pid(struct tool_request *request)
{
	return request->space->tools->scratch ? request->thread->process->pid
					      : TOOL_CALL_MADE;
}

static int64_t serve_parent(struct tool_request *request)
{
	uint64_t parent;

	return request->space->tools->scratch &&
			       remote_status(request->thread->process->pid, "PPid", 10,
					     &parent)
		       ? (int64_t)parent
		       : TOOL_CALL_MADE;
}

static int64_t serve_limit(struct tool_request *request)
{
	return ARGUMENT(request, 2) ? -EPERM : TOOL_CALL_MADE;
}

static int64_t serve_word(struct tool_request *request)
{
	static const enum tool_event events[] = {
		[WIRE_TOOL_READY] = TOOL_READY,
		[WIRE_TOOL_REFUSED] = TOOL_REFUSED,
		[WIRE_TOOL_THREAD] = TOOL_WAITS,
	};

	if (ARGUMENT(request, 0) == WIRE_TOOL_RECORDS)
		tool_records_take(request->session, request->thread->process);
	else if (ARGUMENT(request, 0) == WIRE_TOOL_CODE)
		return (int64_t)tool_records_original(request->space,
						      ARGUMENT(request, 1));
	else if (ARGUMENT(request, 0) < array_count(events))
		request->event = events[ARGUMENT(request, 0)];
	return 0;
}

static const struct {
	uint32_t number;
	int64_t (*serve)(struct tool_request *request);
} servers[] = {
	{WIRE_TOOL_CALL, serve_word},
	{SYS_mmap, serve_mmap},
	{SYS_munmap, serve_munmap},
	{SYS_mprotect, serve_protect},
	{SYS_madvise, serve_nothing},
	{SYS_mremap, serve_mremap},
	{SYS_brk, serve_nothing}, /* its heap is mapped */
	{SYS_set_tid_address, serve_tid_address},
	{SYS_set_robust_list, serve_nothing},
	{SYS_arch_prctl, serve_arch_prctl},
	{SYS_clone3, serve_clone3},
	{SYS_clone, serve_clone},
	{SYS_exit, serve_exit},
	{SYS_exit_group, serve_exit},
	{SYS_kill, serve_kill},
	{SYS_tkill, serve_kill},
	{SYS_tgkill, serve_kill},
	{SYS_rt_sigprocmask, serve_mask},
	{SYS_rt_sigaction, serve_action},
	{SYS_prlimit64, serve_limit},
	{SYS_getrlimit, serve_made},
	{SYS_futex, serve_made},
	{SYS_nanosleep, serve_made},
	{SYS_clock_nanosleep, serve_made},
	{SYS_clock_gettime, serve_made},
	{SYS_clock_getres, serve_made},
	{SYS_gettimeofday, serve_made},
	{SYS_time, serve_made},
	{SYS_times, serve_made},
	{SYS_getrusage, serve_made},
	{SYS_getrandom, serve_made},
	{SYS_sched_yield, serve_made},
	{SYS_sched_getaffinity, serve_made},
	{SYS_getcpu, serve_made},
	{SYS_uname, serve_made},
	{SYS_sysinfo, serve_made},
	{SYS_getpid, serve_pid},
	{SYS_getppid, serve_parent},
	{SYS_gettid, serve_gettid},
	{SYS_getuid, serve_made},
	{SYS_geteuid, serve_made},
	{SYS_getgid, serve_made},
	{SYS_getegid, serve_made},
};

/* Memory that is mapped already: each part is given out once, and is 0. */
static int64_t take_reserve(struct tool_request *request)
{
	struct tool_space *tools = request->space->tools;
	const uint64_t size = whole_pages(ARGUMENT(request, 1));

	if (!(request->thread->tool_pending.before.r10 & MAP_ANONYMOUS) ||
	    request->thread->tool_pending.before.r10 & MAP_FIXED ||
	    size > tools->reserve_end - tools->reserve)
		return -ENOMEM;
	tools->reserve += size;
	return (int64_t)(tools->reserve - size);
}

static int64_t give_time(const struct tool_request *request)
{
	struct timespec now;

	if (clock_gettime((clockid_t)ARGUMENT(request, 0), &now))
		return -errno;
	return remote_failed(remote_write(request->space->memory_fd, ARGUMENT(request, 1),
					  &now, sizeof(now)))
		       ? -EFAULT
		       : 0;
}

/* Answers a call that else is made: the process has a filter, which may kill for it. Who
 * waits for a lock looks again and again. */
static int64_t serve_filtered(struct tool_request *request)
{
	const int operation = (int)ARGUMENT(request, 1) & FUTEX_CMD_MASK;

	switch (request->registers.orig_rax) {
	case SYS_mmap:
		return take_reserve(request);
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_sched_yield:
		return 0;
	case SYS_futex:
		return operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET
			       ? 0
			       : -EAGAIN;
	case SYS_clock_gettime:
		return give_time(request);
	case SYS_getpid:
		return request->thread->process->pid;
	case SYS_gettid:
		return request->thread->tid;
	default:
		return -EPERM;
	}
}

static int64_t serve_call(struct tool_request *request)
{
	int64_t result = TOOL_CALL_MADE;
	size_t i = 0;

	while (i < array_count(servers) &&
	       servers[i].number != request->registers.orig_rax)
		i++;
	result = i < array_count(servers) ? servers[i].serve(request)
					  : tool_files_serve(request);
	return result == TOOL_CALL_MADE && request->space->tools->filtered
		       ? serve_filtered(request)
		       : result;
}

/* Has the kernel make no call. Where a filter looks at calls, it would look at the number
 * of none, too: then a harmless one is made. */
static void make_none(const struct thread *thread, struct user_regs_struct *registers,
		      bool emulated)
{
	registers->orig_rax = (unsigned long long)-1;
	if (emulated || !thread->bank || !thread->bank->shared->quiet)
		return;
	registers->orig_rax = SYS_write;
	registers->rdi = (unsigned long long)-1;
	registers->rsi = registers->rdx = 0;
}

void tool_calls_make(struct user_regs_struct *registers)
{
	enum { CALL_SIZE = 2 };

	registers->rip -= CALL_SIZE;
	registers->rax = registers->orig_rax;
	registers->orig_rax = (unsigned long long)-1;
}

enum tool_event tool_calls_enter(struct session *session, struct thread *thread,
				 bool emulated)
{
	struct tool_pending *pending = &thread->tool_pending;
	struct tool_request request = {
		.session = session,
		.thread = thread,
		.space = thread->process->space,
	};
	struct user_regs_struct *registers = &request.registers;

	if (remote_failed(remote_get_registers(thread->tid, registers)))
		return TOOL_GOES_ON;
	request.arguments[0] = (uint64_t *)&registers->rdi;
	request.arguments[1] = (uint64_t *)&registers->rsi;
	request.arguments[2] = (uint64_t *)&registers->rdx;
	request.arguments[3] = (uint64_t *)&registers->r10;
	request.arguments[4] = (uint64_t *)&registers->r8;
	request.arguments[5] = (uint64_t *)&registers->r9;
	*pending = (struct tool_pending){.entered = true, .before = *registers};

	int64_t result = serve_call(&request);

	pending->given = result != TOOL_CALL_MADE;
	pending->result = result;
	if (request.event != TOOL_GOES_ON) {
		pending->entered = false;
		return request.event;
	}
	if (pending->given) {
		registers->rax = (unsigned long long)result;
		make_none(thread, registers, emulated);
		pending->entered = !emulated;
	} else if (emulated) {
		tool_calls_make(registers);
	}
	trm_error_destroy(remote_set_registers(thread->tid, registers));
	return TOOL_GOES_ON;
}

enum tool_event tool_calls_see(struct session *session, struct thread *thread,
			       bool emulated)
{
	struct tool_pending *pending = &thread->tool_pending;

	if (!pending->entered)
		return tool_calls_enter(session, thread, emulated);
	/* Between the two comes the exit from the call that was not made. */
	if (pending->made || !emulated)
		tool_calls_leave(thread);
	else
		pending->made = remote_is_entry(thread->tid);
	return TOOL_GOES_ON;
}

/* Fills a new mapping with what the file has. */
static void fill_mapping(const struct thread *thread, uint64_t address)
{
	enum { PIECE = 1 << 20 };
	const struct tool_pending *pending = &thread->tool_pending;
	scoped_free uint8_t *bytes = memory_allocate(PIECE);

	for (uint64_t done = 0; done < pending->size;) {
		const uint64_t left = pending->size - done;
		ssize_t got =
			pread(pending->mapped->fd, bytes, left < PIECE ? left : PIECE,
			      (off_t)(pending->offset + done));

		if (got <= 0 ||
		    remote_failed(remote_write(thread->process->space->memory_fd,
					       address + done, bytes, (size_t)got)))
			return;
		done += (uint64_t)got;
	}
}

void tool_calls_leave(struct thread *thread)
{
	struct tool_pending *pending = &thread->tool_pending;
	struct user_regs_struct registers;
	const int32_t number = (int32_t)pending->before.orig_rax;

	if (remote_failed(remote_get_registers(thread->tid, &registers)))
		return;
	int64_t result = pending->given ? pending->result : (int64_t)registers.rax;

	if (!pending->given && pending->mapped && result >= 0)
		fill_mapping(thread, (uint64_t)result);
	pending->entered = false;
	/* Arguments of others are as they were; one that was interrupted the kernel makes
	 * again. */
	if (!pending->given && number != SYS_mmap && number != SYS_mremap)
		return;
	pending->before.rax = (unsigned long long)result;
	pending->before.orig_rax = (unsigned long long)-1;
	trm_error_destroy(remote_set_registers(thread->tid, &pending->before));
}
