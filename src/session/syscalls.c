#include "session/syscalls.h"

#include "resident/resident.h"
#include "session/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* The kernel reads and writes no more in one call (linux/fs.h, MAX_RW_COUNT). */
#define BYTES_MAX 0x7ffff000u
#define IOVEC_MAX 1024

#define FOR_EVER 1000000000u /* seconds */

/* In what a call tells how much it is to do, and returns how much it did. */
enum unit {
	NOTHING,    /* it does all or nothing, or what it does is for it to say */
	BYTES,      /* of a buffer at rsi, in rdx */
	VECTORS,    /* bytes of struct iovec's at rsi, their number in rdx */
	MESSAGE,    /* bytes of the struct msghdr at rsi */
	MESSAGES,   /* struct mmsghdr's at rsi, in rdx */
	FILE_BYTES, /* bytes of a file, which has a position, in r10 */
	RANDOM,     /* bytes of a buffer at rdi, in rsi */
	EVENTS,     /* struct io_event's at r10, at least rsi and at most rdx */
};

/* How long it waits, if it does not say so in the same way each time. */
enum patience {
	UNTIMED,
	MILLISECONDS, /* an int in r10; negative: for ever */
	IN_RDX,       /* a struct timespec there; 0: for ever */
	IN_R10,
	IN_R8,
	OF_RING,    /* struct io_uring_getevents_arg at r8, if r10 has a flag */
	TO_RECEIVE, /* as an option of the socket rdi says */
	TO_SEND,
};

/* Where a result that is too small may be a stop's work. */
enum place {
	NOWHERE,
	WHERE_WRITES_WAIT,     /* pipes, sockets, terminals */
	WHERE_SENDS_WAIT,      /* sockets, with flags in r10 */
	WHERE_MESSAGES_WAIT,   /* the same with flags in rdx */
	WHERE_READS_ARE_FULL,  /* devices that are read as memory */
	WHERE_ALL_IS_AWAITED,  /* sockets, with MSG_WAITALL in r10 */
	WHERE_ALL_OF_MESSAGE,  /* the same in rdx */
	WHERE_EACH_IS_AWAITED, /* sockets, without MSG_WAITFORONE in r10 */
	WHERE_EACH_IS_SENT,    /* sockets, with flags in r10 */
	WHERE_FILES_ARE_SENT,
	WHERE_RANDOM_IS_FULL,
	ANYWHERE,
};

/*
 * Calls that give up with EINTR when their thread is stopped, although no handler runs
 * (signal(7), "Interruption of system calls and library functions by stop signals"), or
 * return less. All others of the kernel's say that they are to be made again.
 */
struct call {
	uint16_t number;
	uint8_t unit, patience, place;
};
static const struct call calls[] = {
	{SYS_read, BYTES, TO_RECEIVE, WHERE_READS_ARE_FULL},
	{SYS_readv, VECTORS, TO_RECEIVE, WHERE_READS_ARE_FULL},
	{SYS_write, BYTES, TO_SEND, WHERE_WRITES_WAIT},
	{SYS_writev, VECTORS, TO_SEND, WHERE_WRITES_WAIT},
	{SYS_recvfrom, BYTES, TO_RECEIVE, WHERE_ALL_IS_AWAITED},
	{SYS_recvmsg, MESSAGE, TO_RECEIVE, WHERE_ALL_OF_MESSAGE},
	{SYS_recvmmsg, MESSAGES, TO_RECEIVE, WHERE_EACH_IS_AWAITED},
	{SYS_sendto, BYTES, TO_SEND, WHERE_SENDS_WAIT},
	{SYS_sendmsg, MESSAGE, TO_SEND, WHERE_MESSAGES_WAIT},
	{SYS_sendmmsg, MESSAGES, TO_SEND, WHERE_EACH_IS_SENT},
	{SYS_sendfile, FILE_BYTES, TO_SEND, WHERE_FILES_ARE_SENT},
	{SYS_getrandom, RANDOM, UNTIMED, WHERE_RANDOM_IS_FULL},
	{SYS_accept, NOTHING, TO_RECEIVE, NOWHERE},
	{SYS_accept4, NOTHING, TO_RECEIVE, NOWHERE},
	{SYS_connect, NOTHING, TO_SEND, NOWHERE},
	{SYS_epoll_wait, NOTHING, MILLISECONDS, NOWHERE},
	{SYS_epoll_pwait, NOTHING, MILLISECONDS, NOWHERE},
	{SYS_epoll_pwait2, NOTHING, IN_R10, NOWHERE},
	{SYS_semop, NOTHING, UNTIMED, NOWHERE},
	{SYS_semtimedop, NOTHING, IN_R10, NOWHERE},
	{SYS_rt_sigtimedwait, NOTHING, IN_RDX, NOWHERE},
	{SYS_io_getevents, EVENTS, IN_R8, ANYWHERE},
	{SYS_io_pgetevents, EVENTS, IN_R8, ANYWHERE},
	{SYS_io_uring_enter, NOTHING, OF_RING, NOWHERE},
};

/* The call in which a thread was stopped; NULL: none of these, or none at all. */
static const struct call *call_of(const struct user_regs_struct *registers)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (registers->orig_rax == calls[i].number)
			return &calls[i];
	return NULL;
}

/* What io_uring_enter is told of a wait (linux/io_uring.h, struct
 * io_uring_getevents_arg), and its flags that say so, or that it is not at an address, or
 * has a moment. */
struct ring_wait {
	uint64_t mask;
	uint32_t mask_size, least;
	uint64_t time; /* of a struct timespec; 0: for ever */
};
#define RING_HAS_WAIT   (1u << 3)
#define RING_UNTIL      (1u << 5)
#define RING_NO_POINTER (1u << 6)

/* Vectors of a call, read from the program. */
struct vectors {
	struct iovec items[IOVEC_MAX];
	size_t count;
};

static bool read_vectors(const struct thread *thread, uint64_t address, uint64_t count,
			 struct vectors *ret_vectors)
{
	ret_vectors->count = count;
	return count <= IOVEC_MAX &&
	       !remote_failed(remote_read(thread->process->space->memory_fd, address,
					  ret_vectors->items,
					  count * sizeof(ret_vectors->items[0])));
}

static bool read_message(const struct thread *thread, uint64_t address,
			 struct msghdr *ret_message, struct vectors *ret_vectors)
{
	return !remote_failed(remote_read(thread->process->space->memory_fd, address,
					  ret_message, sizeof(*ret_message))) &&
	       !ret_message->msg_controllen &&
	       read_vectors(thread, (uint64_t)(uintptr_t)ret_message->msg_iov,
			    ret_message->msg_iovlen, ret_vectors);
}

static uint64_t bytes_of(const struct vectors *vectors)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < vectors->count; i++)
		sum += vectors->items[i].iov_len;
	return sum;
}

/* How much the call was asked to do; 0: it cannot be told. */
static uint64_t asked_of(const struct thread *thread, const struct call *call,
			 const struct user_regs_struct *registers)
{
	static struct vectors vectors;
	struct msghdr message;
	uint64_t asked = 0;

	switch ((enum unit)call->unit) {
	case BYTES:
		asked = registers->rdx;
		break;
	case VECTORS:
		if (read_vectors(thread, registers->rsi, registers->rdx, &vectors))
			asked = bytes_of(&vectors);
		break;
	case MESSAGE:
		if (read_message(thread, registers->rsi, &message, &vectors))
			asked = bytes_of(&vectors);
		break;
	case MESSAGES:
		return (uint32_t)registers->rdx;
	case FILE_BYTES:
		asked = registers->r10;
		break;
	case RANDOM:
	case EVENTS:
		asked = registers->rsi;
		break;
	case NOTHING:
		break;
	}
	return asked < BYTES_MAX ? asked : BYTES_MAX;
}

/* What an open file of the thread's is, and whether calls wait for it. */
static bool find_file(const struct thread *thread, uint64_t descriptor,
		      struct stat *ret_status, bool *ret_waits)
{
	char path[64], line[64];
	unsigned int flags = 0;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", thread->tid, (int)descriptor);
	if (stat(path, ret_status))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", thread->tid, (int)descriptor);
	FILE *file = fopen(path, "re");

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "flags: %o", &flags) == 1;
	if (file)
		fclose(file);
	*ret_waits = !(flags & O_NONBLOCK);
	return found;
}

/* By its major number (Documentation/admin-guide/devices.txt). */
static bool is_terminal(dev_t device)
{
	static const uint8_t majors[] = {4, 5, 166, 188, 204};

	for (size_t i = 0; i < sizeof(majors); i++)
		if (major(device) == majors[i])
			return true;
	return major(device) >= 136 && major(device) <= 143; /* Unix98 */
}

/* /dev/zero, full and urandom: a read ends early only if something interrupts it. */
static bool is_memory(dev_t device)
{
	return major(device) == 1 &&
	       (minor(device) == 5 || minor(device) == 7 || minor(device) == 9);
}

static bool is_regular(const struct thread *thread, uint64_t descriptor)
{
	struct stat status;
	bool waits;

	return find_file(thread, descriptor, &status, &waits) && S_ISREG(status.st_mode);
}

/* Whether the last of the messages that were sent is whole. */
static bool is_last_whole(const struct thread *thread,
			  const struct user_regs_struct *registers)
{
	static struct vectors vectors;
	struct mmsghdr last;
	const uint64_t address = registers->rsi + (registers->rax - 1) * sizeof(last);

	return !remote_failed(remote_read(thread->process->space->memory_fd, address,
					  &last, sizeof(last))) &&
	       read_vectors(thread, (uint64_t)(uintptr_t)last.msg_hdr.msg_iov,
			    last.msg_hdr.msg_iovlen, &vectors) &&
	       last.msg_len == bytes_of(&vectors);
}

/* Whether a call that did a part of what it was asked would have waited to do the rest,
 * had nothing interrupted it. */
static bool would_wait(const struct thread *thread, const struct call *call,
		       const struct user_regs_struct *registers,
		       const struct stat *status)
{
	static const int no_send = MSG_DONTWAIT | MSG_OOB | MSG_ZEROCOPY | MSG_FASTOPEN;
	static const int no_receive = MSG_DONTWAIT | MSG_OOB | MSG_PEEK | MSG_ERRQUEUE;
	const bool socket = S_ISSOCK(status->st_mode);
	const bool device = S_ISCHR(status->st_mode);
	const int rdx = (int)registers->rdx, r10 = (int)registers->r10;

	switch ((enum place)call->place) {
	case WHERE_WRITES_WAIT:
		return socket || S_ISFIFO(status->st_mode) ||
		       (device && is_terminal(status->st_rdev));
	case WHERE_SENDS_WAIT:
		return socket && !(r10 & no_send);
	case WHERE_MESSAGES_WAIT:
		return socket && !(rdx & no_send);
	case WHERE_READS_ARE_FULL:
		return device && is_memory(status->st_rdev);
	case WHERE_ALL_IS_AWAITED:
		return socket && (r10 & MSG_WAITALL) && !(r10 & no_receive);
	case WHERE_ALL_OF_MESSAGE:
		return socket && (rdx & MSG_WAITALL) && !(rdx & no_receive);
	case WHERE_EACH_IS_AWAITED:
		return socket && !(r10 & (no_receive | MSG_WAITFORONE));
	case WHERE_EACH_IS_SENT:
		return socket && !(r10 & no_send) && is_last_whole(thread, registers);
	case WHERE_FILES_ARE_SENT:
		return socket && is_regular(thread, registers->rsi);
	case WHERE_RANDOM_IS_FULL: /* with GRND_RANDOM less may be there: random(4) */
		return !(rdx & GRND_RANDOM);
	case ANYWHERE:
		return true;
	case NOWHERE:
		break;
	}
	return false;
}

/* Whether a stop has made the thread's call end with a part. */
static bool is_cut_short(const struct thread *thread, const struct call *call,
			 const struct user_regs_struct *registers)
{
	struct stat status = {0};
	bool waits = true;

	return (int64_t)registers->rax > 0 &&
	       registers->rax < asked_of(thread, call, registers) &&
	       (call->unit == RANDOM || call->unit == EVENTS ||
		find_file(thread, registers->rdi, &status, &waits)) &&
	       waits && would_wait(thread, call, registers, &status);
}

static bool is_given_up(const struct user_regs_struct *registers)
{
	return (int64_t)registers->rax == -EINTR ||
	       (int64_t)registers->rax == -ERESTARTNOHAND;
}

/* The same process's socket, to ask it something; -1: none. */
static int borrow_socket(const struct thread *thread, uint64_t descriptor)
{
	int process = (int)syscall(SYS_pidfd_open, thread->process->pid, 0);
	int result = -1;

	if (process >= 0)
		result = (int)syscall(SYS_pidfd_getfd, process, (int)descriptor, 0);
	if (process >= 0)
		close(process);
	return result;
}

/* UINT64_MAX: for ever, or so long. */
static uint64_t nanoseconds(int64_t seconds, int64_t more)
{
	return (uint64_t)seconds > FOR_EVER
		       ? UINT64_MAX
		       : (uint64_t)seconds * 1000000000 + (uint64_t)more;
}

/* UINT64_MAX: for ever. */
static uint64_t patience_of_socket(const struct thread *thread, uint64_t descriptor,
				   int option)
{
	int borrowed = borrow_socket(thread, descriptor);
	struct timeval time = {0};
	socklen_t size = sizeof(time);

	if (borrowed < 0)
		return UINT64_MAX;
	if (getsockopt(borrowed, SOL_SOCKET, option, &time, &size))
		time.tv_sec = time.tv_usec = 0;
	close(borrowed);
	return time.tv_sec || time.tv_usec ? nanoseconds(time.tv_sec, time.tv_usec * 1000)
					   : UINT64_MAX;
}

static uint64_t patience_at(const struct thread *thread, uint64_t address)
{
	struct timespec time;

	if (!address || remote_failed(remote_read(thread->process->space->memory_fd,
						  address, &time, sizeof(time))))
		return UINT64_MAX;
	return nanoseconds(time.tv_sec, time.tv_nsec);
}

static bool read_ring_wait(const struct thread *thread,
			   const struct user_regs_struct *registers,
			   struct ring_wait *ret_wait)
{
	return (registers->r10 & (RING_HAS_WAIT | RING_NO_POINTER | RING_UNTIL)) ==
		       RING_HAS_WAIT &&
	       registers->r9 == sizeof(*ret_wait) &&
	       !remote_failed(remote_read(thread->process->space->memory_fd,
					  registers->r8, ret_wait, sizeof(*ret_wait)));
}

/* Nanoseconds for which the program's call waits at most; UINT64_MAX: for ever. */
static uint64_t patience_of(const struct thread *thread, const struct call *call,
			    const struct user_regs_struct *registers)
{
	struct ring_wait ring;

	switch ((enum patience)call->patience) {
	case MILLISECONDS:
		return (int)registers->r10 < 0 ? UINT64_MAX
					       : (uint64_t)(int)registers->r10 * 1000000;
	case OF_RING:
		return read_ring_wait(thread, registers, &ring)
			       ? patience_at(thread, ring.time)
			       : UINT64_MAX;
	case IN_RDX:
		return patience_at(thread, registers->rdx);
	case IN_R10:
		return patience_at(thread, registers->r10);
	case IN_R8:
		return patience_at(thread, registers->r8);
	case TO_RECEIVE:
		return patience_of_socket(thread, registers->rdi, SO_RCVTIMEO);
	case TO_SEND:
		return patience_of_socket(thread, registers->rdi, SO_SNDTIMEO);
	case UNTIMED:
		break;
	}
	return UINT64_MAX;
}

static const struct resident_table *table(void)
{
	return (const struct resident_table *)(const void *)resident_image;
}

/* Where the resident makes the rest of calls. */
static uint64_t place_of_rest(const struct thread *thread)
{
	return thread->process->space->family->arena->address + table()->rest;
}

/* The thread's own, if it makes a rest now; NULL: it does not. */
static struct wire_rest *rest_at(const struct thread *thread, uint64_t rip)
{
	const struct process *process = thread->process;

	return thread->bank && process && process->space && process->space->family &&
			       rip - place_of_rest(thread) <
				       table()->rest_end - table()->rest
		       ? &thread->bank->shared->rest
		       : NULL;
}

bool syscalls_are_in_rest(const struct thread *thread, uint64_t rip)
{
	return rest_at(thread, rip);
}

void syscalls_lead_rest(const struct thread *thread, uint64_t rip)
{
	thread->bank->shared->rest.rip = rip;
}

static uint64_t address_in_bank(const struct thread *thread, const void *field)
{
	return thread->bank->address +
	       (uint64_t)((const char *)field - (const char *)thread->bank->shared);
}

/* Vectors without their first bytes, in the bank. A thread that makes a rest goes on only
 * with registers that are set later, so nothing there is in use. */
static bool put_vectors(const struct thread *thread, const struct vectors *vectors,
			uint64_t done, size_t *ret_count)
{
	struct wire_rest *rest = &thread->bank->shared->rest;
	size_t first = 0;

	while (first < vectors->count && vectors->items[first].iov_len <= done)
		done -= vectors->items[first++].iov_len;
	*ret_count = vectors->count - first;
	if (*ret_count > WIRE_REST_VECTORS)
		return false;
	for (size_t i = 0; i < *ret_count; i++) {
		const struct iovec *vector = &vectors->items[first + i];
		uint64_t skipped = i ? 0 : done;

		rest->vectors[i][0] = (uint64_t)(uintptr_t)vector->iov_base + skipped;
		rest->vectors[i][1] = vector->iov_len - skipped;
	}
	return true;
}

static void put_message(const struct thread *thread, struct msghdr message, size_t count,
			struct user_regs_struct *registers)
{
	struct wire_rest *rest = &thread->bank->shared->rest;

	message.msg_iov = (void *)(uintptr_t)address_in_bank(thread, rest->vectors);
	message.msg_iovlen = count;
	memcpy(rest->message, &message, sizeof(message));
	registers->rsi = address_in_bank(thread, rest->message);
}

/* The kernel gives a socket its own error to keep whose messages were cut short
 * (net/socket.c, do_recvmmsg): the next call would fail with that. */
static void forget_error(const struct thread *thread, uint64_t descriptor)
{
	int borrowed = borrow_socket(thread, descriptor);
	int number;
	socklen_t size = sizeof(number);

	if (borrowed < 0)
		return;
	getsockopt(borrowed, SOL_SOCKET, SO_ERROR, &number, &size);
	close(borrowed);
}

/* Makes arguments those of the call without what is done. */
static bool skip(const struct thread *thread, const struct call *call, uint64_t done,
		 struct user_regs_struct *registers)
{
	static struct vectors vectors;
	struct msghdr message;
	size_t count;

	switch ((enum unit)call->unit) {
	case BYTES:
		registers->rsi += done;
		registers->rdx -= done;
		return true;
	case VECTORS:
		if (!read_vectors(thread, registers->rsi, registers->rdx, &vectors) ||
		    !put_vectors(thread, &vectors, done, &count))
			return false;
		registers->rsi =
			address_in_bank(thread, thread->bank->shared->rest.vectors);
		registers->rdx = count;
		return true;
	case MESSAGE:
		if (!read_message(thread, registers->rsi, &message, &vectors) ||
		    !put_vectors(thread, &vectors, done, &count))
			return false;
		put_message(thread, message, count, registers);
		return true;
	case MESSAGES:
		if (call->number == SYS_recvmmsg)
			forget_error(thread, registers->rdi);
		registers->rsi += done * sizeof(struct mmsghdr);
		registers->rdx -= done;
		return true;
	case FILE_BYTES:
		registers->r10 -= done;
		return true;
	case RANDOM:
		registers->rdi += done;
		registers->rsi -= done;
		return true;
	case EVENTS:
		registers->rsi -= done;
		registers->rdx -= done;
		registers->r10 += done * sizeof(struct io_event);
		return true;
	case NOTHING:
		break;
	}
	return false;
}

/*
 * A socket whose other end is closed returns what it has sent by then, and raises no
 * SIGPIPE before the next call. So the rest must not raise it. A system call filter may
 * forbid what makes a write such a call.
 */
static void raise_nothing(const struct thread *thread, struct user_regs_struct *registers)
{
	struct stat status;
	bool waits;

	switch (registers->rax) {
	case SYS_sendto:
	case SYS_sendmmsg:
		registers->r10 |= MSG_NOSIGNAL;
		return;
	case SYS_sendmsg:
		registers->rdx |= MSG_NOSIGNAL;
		return;
	case SYS_write:
	case SYS_writev:
		break;
	default:
		return;
	}
	if (thread->process->space->filters ||
	    !find_file(thread, registers->rdi, &status, &waits) ||
	    !S_ISSOCK(status.st_mode))
		return;
	if (registers->rax == SYS_write) {
		registers->rax = SYS_sendto;
		registers->r10 = MSG_NOSIGNAL;
		registers->r8 = registers->r9 = 0;
	} else {
		registers->rax = SYS_sendmsg;
		put_message(thread, (struct msghdr){0}, registers->rdx, registers);
		registers->rdx = MSG_NOSIGNAL;
	}
}

/* Makes its timeout what is left of it. */
static void wait_shorter(const struct thread *thread, const struct call *call,
			 struct user_regs_struct *registers)
{
	const uint64_t now = session_now();
	uint64_t left = thread->rest_until > now ? thread->rest_until - now : 0;
	struct wire_rest *rest = &thread->bank->shared->rest;
	uint64_t *time = rest->vectors[0];
	const uint64_t address = address_in_bank(thread, time);
	struct ring_wait ring;

	if (call->patience == MILLISECONDS) {
		registers->r10 = (left + 999999) / 1000000;
		return;
	}
	time[0] = left / 1000000000;
	time[1] = left % 1000000000;
	if (call->patience == IN_RDX)
		registers->rdx = address;
	else if (call->patience == IN_R10)
		registers->r10 = address;
	else if (call->patience == IN_R8)
		registers->r8 = address;
	else if (read_ring_wait(thread, registers, &ring)) {
		ring.time = address;
		memcpy(rest->message, &ring, sizeof(ring));
		registers->r8 = address_in_bank(thread, rest->message);
	}
}

static bool is_of_socket(const struct call *call)
{
	return call->patience == TO_RECEIVE || call->patience == TO_SEND;
}

/* What its option asked for has passed: the rest fails as the call would have. */
static bool is_over(const struct thread *thread, const struct call *call)
{
	return is_of_socket(call) && session_now() >= thread->rest_until;
}

/* Whether the thread can be led into the resident. A filter that came later may forbid
 * calls of ours. */
static bool may_make_rest(const struct thread *thread)
{
	const struct process *process = thread->process;
	const struct space *space = process ? process->space : NULL;

	return space && space->family && thread->bank && !space->out &&
	       !space->abandoned && thread_filters(thread->tid) == space->filters;
}

/* The program's registers, for behind its call. */
static void begin_rest(struct thread *thread, const struct user_regs_struct *registers,
		       uint64_t patience)
{
	struct wire_rest *rest = &thread->bank->shared->rest;

	rest->rip = registers->rip;
	rest->rbx = registers->rbx;
	rest->rdi = registers->rdi;
	rest->rsi = registers->rsi;
	rest->rdx = registers->rdx;
	rest->r10 = registers->r10;
	rest->r8 = registers->r8;
	rest->r9 = registers->r9;
	thread->rest_until =
		patience == UINT64_MAX ? UINT64_MAX : session_now() + patience;
}

/* The registers with which the thread makes the rest, which are set at once: a tracer
 * that is killed before that has done nothing. `done`: of what is asked now. */
static bool find_rest(struct thread *thread, const struct call *call, uint64_t done,
		      struct user_regs_struct *registers)
{
	const bool again = rest_at(thread, registers->rip);
	const uint64_t patience = again ? 0 : patience_of(thread, call, registers);

	if (!done && !again && patience == UINT64_MAX)
		return false;
	if (!again) {
		begin_rest(thread, registers, patience);
		registers->rbx = 0;
	}
	if (!done && is_over(thread, call)) {
		registers->rax =
			(uint64_t)(call->number == SYS_connect ? -EINPROGRESS : -EAGAIN);
		return true;
	}
	if (done && !skip(thread, call, done, registers))
		return false;
	registers->rbx += done;
	registers->rip = place_of_rest(thread);
	registers->rax = call->number;
	if (done)
		raise_nothing(thread, registers);
	if (thread->rest_until != UINT64_MAX && !is_of_socket(call))
		wait_shorter(thread, call, registers);
	return true;
}

void syscalls_go_on(struct thread *thread)
{
	struct user_regs_struct registers;
	const struct call *call;
	bool given_up;

	if (!thread->cut_short)
		return;
	thread->cut_short = false;
	if (!may_make_rest(thread) ||
	    remote_failed(remote_get_registers(thread->tid, &registers)))
		return;
	call = call_of(&registers);
	given_up = is_given_up(&registers);
	if (!call || (!given_up && !is_cut_short(thread, call, &registers)) ||
	    !find_rest(thread, call, given_up ? 0 : registers.rax, &registers))
		return;
	registers.orig_rax = (unsigned long long)-1;
	trm_error_destroy(remote_set_registers(thread->tid, &registers));
}

static void see_stop(struct thread *thread, const struct call *call,
		     struct user_regs_struct *registers)
{
	thread->cut_short = is_given_up(registers) || (int64_t)registers->rax > 0;
	if (!call || (int64_t)registers->rax != -EINTR)
		return;
	registers->rax = (uint64_t)-ERESTARTNOHAND;
	trm_error_destroy(remote_set_registers(thread->tid, registers));
}

void syscalls_see_stop(struct thread *thread)
{
	struct user_regs_struct registers;
	const struct call *call;

	if (remote_failed(remote_get_registers(thread->tid, &registers)))
		return;
	call = call_of(&registers);
	if (call)
		see_stop(thread, call, &registers);
}

/* What the program's call returns if the rest ends here. If nothing is done yet, the
 * kernel is to make the call again, unless a handler runs. */
static void sum_up(struct user_regs_struct *registers, uint64_t offset)
{
	const bool made = offset != table()->rest;

	if (offset >= table()->rest_summed)
		return;
	if (made && (int64_t)registers->rax >= 0) {
		registers->rax += registers->rbx;
	} else if (registers->rbx) {
		registers->rax = registers->rbx;
	} else if (!made) {
		registers->orig_rax = registers->rax;
		registers->rax = (uint64_t)-ERESTARTNOHAND;
	}
	if ((int64_t)registers->rax >= 0)
		registers->orig_rax = (unsigned long long)-1;
}

bool syscalls_leave_rest(const struct thread *thread, struct user_regs_struct *registers)
{
	const struct wire_rest *rest = rest_at(thread, registers->rip);

	if (!rest)
		return false;
	sum_up(registers, registers->rip - place_of_rest(thread) + table()->rest);
	registers->rip = rest->rip;
	registers->rbx = rest->rbx;
	registers->rdi = rest->rdi;
	registers->rsi = rest->rsi;
	registers->rdx = rest->rdx;
	registers->r10 = rest->r10;
	registers->r8 = rest->r8;
	registers->r9 = rest->r9;
	registers->rcx = rest->rip;
	return true;
}

/* A signal that ends the call, or, if it has no handler, stops the process, and so ends
 * the call for good: it is not to be taken for one that a later stop has ended. */
static void see_end(const struct thread *thread, bool handled,
		    struct user_regs_struct *registers)
{
	bool left = syscalls_leave_rest(thread, registers);
	bool ends = !handled && call_of(registers);

	if (ends && is_given_up(registers) && registers->orig_rax != SYS_io_pgetevents)
		registers->rax = (uint64_t)-EINTR;
	if (ends && ((int64_t)registers->rax == -EINTR || (int64_t)registers->rax >= 0))
		registers->orig_rax = (unsigned long long)-1;
	if (left || ends)
		trm_error_destroy(remote_set_registers(thread->tid, registers));
}

void syscalls_see_signal(struct thread *thread, int signal)
{
	struct user_regs_struct registers;
	const struct call *call;

	thread->cut_short = false;
	if (remote_failed(remote_get_registers(thread->tid, &registers)))
		return;
	call = call_of(&registers);
	if (!call && !rest_at(thread, registers.rip))
		return;
	if (!remote_ignores(thread->tid, signal, 0))
		see_end(thread, !remote_ignores(thread->tid, signal, UINT64_MAX),
			&registers);
	else if (call)
		see_stop(thread, call, &registers);
}
