#include "session/position/blocking_calls.h"

#include "base/array.h"
#include "control/remote.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* Most bytes that the kernel reads or writes in one call (linux/fs.h, MAX_RW_COUNT). */
#define BYTES_MAX 0x7ffff000u

#define FOR_EVER 1000000000u /* seconds */

/* Flags of io_uring_enter: it has a wait argument; the time there is a moment; the
 * argument is not at an address. */
#define RING_HAS_WAIT   (1u << 3)
#define RING_UNTIL      (1u << 5)
#define RING_NO_POINTER (1u << 6)

/* Kinds of files for which too small a result may be due to a stop. */
enum place {
	NOWHERE,
	WHERE_WRITES_WAIT,     /* pipes, sockets, terminals */
	WHERE_SENDS_WAIT,      /* sockets, with flags in r10 */
	WHERE_MESSAGES_WAIT,   /* sockets, with flags in rdx */
	WHERE_READS_ARE_FULL,  /* devices that are read as memory */
	WHERE_ALL_IS_AWAITED,  /* sockets, with MSG_WAITALL in r10 */
	WHERE_ALL_OF_MESSAGE,  /* sockets, with MSG_WAITALL in rdx */
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
static const struct blocking_call calls[] = {
	{SYS_read, BLOCKING_BYTES, BLOCKING_TO_RECEIVE, WHERE_READS_ARE_FULL},
	{SYS_readv, BLOCKING_VECTORS, BLOCKING_TO_RECEIVE, WHERE_READS_ARE_FULL},
	{SYS_write, BLOCKING_BYTES, BLOCKING_TO_SEND, WHERE_WRITES_WAIT},
	{SYS_writev, BLOCKING_VECTORS, BLOCKING_TO_SEND, WHERE_WRITES_WAIT},
	{SYS_recvfrom, BLOCKING_BYTES, BLOCKING_TO_RECEIVE, WHERE_ALL_IS_AWAITED},
	{SYS_recvmsg, BLOCKING_MESSAGE, BLOCKING_TO_RECEIVE, WHERE_ALL_OF_MESSAGE},
	{SYS_recvmmsg, BLOCKING_MESSAGES, BLOCKING_TO_RECEIVE, WHERE_EACH_IS_AWAITED},
	{SYS_sendto, BLOCKING_BYTES, BLOCKING_TO_SEND, WHERE_SENDS_WAIT},
	{SYS_sendmsg, BLOCKING_MESSAGE, BLOCKING_TO_SEND, WHERE_MESSAGES_WAIT},
	{SYS_sendmmsg, BLOCKING_MESSAGES, BLOCKING_TO_SEND, WHERE_EACH_IS_SENT},
	{SYS_sendfile, BLOCKING_FILE_BYTES, BLOCKING_TO_SEND, WHERE_FILES_ARE_SENT},
	{SYS_getrandom, BLOCKING_RANDOM, BLOCKING_UNTIMED, WHERE_RANDOM_IS_FULL},
	{SYS_accept, BLOCKING_NOTHING, BLOCKING_TO_RECEIVE, NOWHERE},
	{SYS_accept4, BLOCKING_NOTHING, BLOCKING_TO_RECEIVE, NOWHERE},
	{SYS_connect, BLOCKING_NOTHING, BLOCKING_TO_SEND, NOWHERE},
	{SYS_epoll_wait, BLOCKING_NOTHING, BLOCKING_MILLISECONDS, NOWHERE},
	{SYS_epoll_pwait, BLOCKING_NOTHING, BLOCKING_MILLISECONDS, NOWHERE},
	{SYS_epoll_pwait2, BLOCKING_NOTHING, BLOCKING_IN_R10, NOWHERE},
	{SYS_semop, BLOCKING_NOTHING, BLOCKING_UNTIMED, NOWHERE},
	{SYS_semtimedop, BLOCKING_NOTHING, BLOCKING_IN_R10, NOWHERE},
	{SYS_rt_sigtimedwait, BLOCKING_NOTHING, BLOCKING_IN_RDX, NOWHERE},
	{SYS_io_getevents, BLOCKING_EVENTS, BLOCKING_IN_R8, ANYWHERE},
	{SYS_io_pgetevents, BLOCKING_EVENTS, BLOCKING_IN_R8, ANYWHERE},
	{SYS_io_uring_enter, BLOCKING_NOTHING, BLOCKING_OF_RING, NOWHERE},
};

const struct blocking_call *blocking_call_of(const struct user_regs_struct *registers)
{
	for (size_t i = 0; i < array_count(calls); i++)
		if (registers->orig_rax == calls[i].number)
			return &calls[i];
	return NULL;
}

bool blocking_read_vectors(const struct thread *thread, uint64_t address, uint64_t count,
			   struct blocking_vectors *ret_vectors)
{
	ret_vectors->count = count;
	return count <= BLOCKING_VECTORS_MAX &&
	       !remote_failed(remote_read(thread->process->space->memory_fd, address,
					  ret_vectors->items,
					  count * sizeof(ret_vectors->items[0])));
}

bool blocking_read_message(const struct thread *thread, uint64_t address,
			   struct msghdr *ret_message,
			   struct blocking_vectors *ret_vectors)
{
	return !remote_failed(remote_read(thread->process->space->memory_fd, address,
					  ret_message, sizeof(*ret_message))) &&
	       !ret_message->msg_controllen &&
	       blocking_read_vectors(thread, (uint64_t)(uintptr_t)ret_message->msg_iov,
				     ret_message->msg_iovlen, ret_vectors);
}

static uint64_t bytes_of(const struct blocking_vectors *vectors)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < vectors->count; i++)
		sum += vectors->items[i].iov_len;
	return sum;
}

/* Returns how much the call was asked to do; 0: not known. */
static uint64_t asked_of(const struct thread *thread, const struct blocking_call *call,
			 const struct user_regs_struct *registers)
{
	static struct blocking_vectors vectors;
	struct msghdr message;
	uint64_t asked = 0;

	switch ((enum blocking_unit)call->unit) {
	case BLOCKING_BYTES:
		asked = registers->rdx;
		break;
	case BLOCKING_VECTORS:
		if (blocking_read_vectors(thread, registers->rsi, registers->rdx,
					  &vectors))
			asked = bytes_of(&vectors);
		break;
	case BLOCKING_MESSAGE:
		if (blocking_read_message(thread, registers->rsi, &message, &vectors))
			asked = bytes_of(&vectors);
		break;
	case BLOCKING_MESSAGES:
		return (uint32_t)registers->rdx;
	case BLOCKING_FILE_BYTES:
		asked = registers->r10;
		break;
	case BLOCKING_RANDOM:
	case BLOCKING_EVENTS:
		asked = registers->rsi;
		break;
	case BLOCKING_NOTHING:
		break;
	}
	return asked < BYTES_MAX ? asked : BYTES_MAX;
}

bool blocking_find_file(const struct thread *thread, uint64_t descriptor,
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

/* Returns whether a device is a terminal, by its major number
 * (Documentation/admin-guide/devices.txt). */
static bool is_terminal(dev_t device)
{
	static const uint8_t majors[] = {4, 5, 166, 188, 204};

	for (size_t i = 0; i < sizeof(majors); i++)
		if (major(device) == majors[i])
			return true;
	return major(device) >= 136 && major(device) <= 143; /* Unix98 */
}

/* Returns whether a device is /dev/zero, full or urandom: a read of these ends early
 * only if it is interrupted. */
static bool is_memory(dev_t device)
{
	return major(device) == 1 &&
	       (minor(device) == 5 || minor(device) == 7 || minor(device) == 9);
}

static bool is_regular(const struct thread *thread, uint64_t descriptor)
{
	struct stat status;
	bool waits;

	return blocking_find_file(thread, descriptor, &status, &waits) &&
	       S_ISREG(status.st_mode);
}

/* Returns whether the last of the sent messages is whole. */
static bool is_last_whole(const struct thread *thread,
			  const struct user_regs_struct *registers)
{
	static struct blocking_vectors vectors;
	struct mmsghdr last;
	const uint64_t address = registers->rsi + (registers->rax - 1) * sizeof(last);

	return !remote_failed(remote_read(thread->process->space->memory_fd, address,
					  &last, sizeof(last))) &&
	       blocking_read_vectors(thread, (uint64_t)(uintptr_t)last.msg_hdr.msg_iov,
				     last.msg_hdr.msg_iovlen, &vectors) &&
	       last.msg_len == bytes_of(&vectors);
}

/* Returns whether a call that did a part of its work would have waited to do the rest,
 * had it not been interrupted. */
static bool would_wait(const struct thread *thread, const struct blocking_call *call,
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

bool blocking_is_cut_short(const struct thread *thread, const struct blocking_call *call,
			   const struct user_regs_struct *registers)
{
	struct stat status = {0};
	bool waits = true;

	return (int64_t)registers->rax > 0 &&
	       registers->rax < asked_of(thread, call, registers) &&
	       (call->unit == BLOCKING_RANDOM || call->unit == BLOCKING_EVENTS ||
		blocking_find_file(thread, registers->rdi, &status, &waits)) &&
	       waits && would_wait(thread, call, registers, &status);
}

int blocking_borrow_socket(const struct thread *thread, uint64_t descriptor)
{
	int process = (int)syscall(SYS_pidfd_open, thread->process->pid, 0);
	int result = -1;

	if (process >= 0)
		result = (int)syscall(SYS_pidfd_getfd, process, (int)descriptor, 0);
	if (process >= 0)
		close(process);
	return result;
}

/* Returns a time in nanoseconds; UINT64_MAX: for ever, or FOR_EVER seconds and more. */
static uint64_t to_nanoseconds(int64_t seconds, int64_t more)
{
	return (uint64_t)seconds > FOR_EVER
		       ? UINT64_MAX
		       : (uint64_t)seconds * 1000000000 + (uint64_t)more;
}

/* Returns the timeout of a socket in nanoseconds; UINT64_MAX: for ever. */
static uint64_t patience_of_socket(const struct thread *thread, uint64_t descriptor,
				   int option)
{
	int borrowed = blocking_borrow_socket(thread, descriptor);
	struct timeval time = {0};
	socklen_t size = sizeof(time);

	if (borrowed < 0)
		return UINT64_MAX;
	if (getsockopt(borrowed, SOL_SOCKET, option, &time, &size))
		time.tv_sec = time.tv_usec = 0;
	close(borrowed);
	return time.tv_sec || time.tv_usec
		       ? to_nanoseconds(time.tv_sec, time.tv_usec * 1000)
		       : UINT64_MAX;
}

static uint64_t patience_at(const struct thread *thread, uint64_t address)
{
	struct timespec time;

	if (!address || remote_failed(remote_read(thread->process->space->memory_fd,
						  address, &time, sizeof(time))))
		return UINT64_MAX;
	return to_nanoseconds(time.tv_sec, time.tv_nsec);
}

bool blocking_read_ring(const struct thread *thread,
			const struct user_regs_struct *registers,
			struct blocking_ring *ret_wait)
{
	return (registers->r10 & (RING_HAS_WAIT | RING_NO_POINTER | RING_UNTIL)) ==
		       RING_HAS_WAIT &&
	       registers->r9 == sizeof(*ret_wait) &&
	       !remote_failed(remote_read(thread->process->space->memory_fd,
					  registers->r8, ret_wait, sizeof(*ret_wait)));
}

uint64_t blocking_patience(const struct thread *thread, const struct blocking_call *call,
			   const struct user_regs_struct *registers)
{
	struct blocking_ring ring;

	switch ((enum blocking_patience)call->patience) {
	case BLOCKING_MILLISECONDS:
		return (int)registers->r10 < 0 ? UINT64_MAX
					       : (uint64_t)(int)registers->r10 * 1000000;
	case BLOCKING_OF_RING:
		return blocking_read_ring(thread, registers, &ring)
			       ? patience_at(thread, ring.time)
			       : UINT64_MAX;
	case BLOCKING_IN_RDX:
		return patience_at(thread, registers->rdx);
	case BLOCKING_IN_R10:
		return patience_at(thread, registers->r10);
	case BLOCKING_IN_R8:
		return patience_at(thread, registers->r8);
	case BLOCKING_TO_RECEIVE:
		return patience_of_socket(thread, registers->rdi, SO_RCVTIMEO);
	case BLOCKING_TO_SEND:
		return patience_of_socket(thread, registers->rdi, SO_SNDTIMEO);
	case BLOCKING_UNTIMED:
		break;
	}
	return UINT64_MAX;
}
