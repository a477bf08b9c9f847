/*
 * syscalls: how many system calls the program makes, by the functions of the C library
 * for them (manual, section 2), and how long they took. What the library calls by itself
 * (printf, malloc) is not seen, nor are instructions of the program's own.
 *
 * All these functions take up to six numbers or addresses and return one, so by the ABI
 * one wrapper is like another: what a function does not take is passed on and not looked
 * at (System V ABI, AMD64, 3.2.3). Left out are those that do not return, or return
 * twice (syscall may, too), and those that the vDSO does without a system call
 * (clock_gettime).
 */
#include "runtime/channel/channel.h"
#include "runtime/channel/paths.h"
#include "runtime/channel/service.h"
#include "runtime/events/hooks.h"
#include "runtime/libraries/loads.h"
#include "runtime/libraries/wrap.h"
#include "runtime/service/calls/calls.h"
#include "runtime/store/attributes.h"
#include "runtime/store/state.h"

static const struct service_metric metrics[] = {
	{"syscalls.calls", SERVICE_DELTA, TRM_TYPE_UINT, false},
	{"syscalls.time.ns", SERVICE_DELTA, TRM_TYPE_UINT, true},
};

static runtime_local struct {
	uint64_t calls, ticks;
} own_counts;

static trm_attribute name_attribute;

static __attribute__((noinline)) void syscalls_tell(const char *name)
{
	struct calls_wanted wanted;

	if (calls_begin(CHANNEL_CALLS_SYSTEM, &wanted))
		calls_tell(&wanted, &name_attribute, &name, 1);
}

/* Notes a call that is over; errno stays. */
static void syscalls_count(const char *name, uint64_t began)
{
	own_counts.calls++;
	own_counts.ticks += runtime_ticks() - began;
	paths_called(PATHS_SYSTEM);
	syscalls_tell(name);
}

/* Files and folders. */
#define OF_FILES(X)                                                                      \
	X(open)                                                                          \
	X(open64)                                                                        \
	X(__open_2)                                                                      \
	X(__open64_2)                                                                    \
	X(openat)                                                                        \
	X(openat64)                                                                      \
	X(__openat_2)                                                                    \
	X(__openat64_2)                                                                  \
	X(creat)                                                                         \
	X(creat64)                                                                       \
	X(close)                                                                         \
	X(close_range)                                                                   \
	X(read)                                                                          \
	X(__read_chk)                                                                    \
	X(write)                                                                         \
	X(pread)                                                                         \
	X(pread64)                                                                       \
	X(__pread_chk)                                                                   \
	X(__pread64_chk)                                                                 \
	X(pwrite)                                                                        \
	X(pwrite64)                                                                      \
	X(readv)                                                                         \
	X(writev)                                                                        \
	X(preadv)                                                                        \
	X(preadv64)                                                                      \
	X(pwritev)                                                                       \
	X(pwritev64)                                                                     \
	X(lseek)                                                                         \
	X(lseek64)                                                                       \
	X(stat)                                                                          \
	X(stat64)                                                                        \
	X(fstat)                                                                         \
	X(fstat64)                                                                       \
	X(lstat)                                                                         \
	X(lstat64)                                                                       \
	X(fstatat)                                                                       \
	X(fstatat64)                                                                     \
	X(__xstat)                                                                       \
	X(__fxstat)                                                                      \
	X(__lxstat)                                                                      \
	X(statx)                                                                         \
	X(statfs)                                                                        \
	X(statfs64)                                                                      \
	X(fstatfs)                                                                       \
	X(fstatfs64)                                                                     \
	X(access)                                                                        \
	X(faccessat)                                                                     \
	X(readlink)                                                                      \
	X(__readlink_chk)                                                                \
	X(readlinkat)                                                                    \
	X(getdents64)                                                                    \
	X(mkdir)                                                                         \
	X(mkdirat)                                                                       \
	X(rmdir)                                                                         \
	X(link)                                                                          \
	X(linkat)                                                                        \
	X(symlink)                                                                       \
	X(symlinkat)                                                                     \
	X(unlink)                                                                        \
	X(unlinkat)                                                                      \
	X(rename)                                                                        \
	X(renameat)                                                                      \
	X(renameat2)                                                                     \
	X(chdir)                                                                         \
	X(fchdir)                                                                        \
	X(getcwd)                                                                        \
	X(__getcwd_chk)                                                                  \
	X(umask)                                                                         \
	X(chmod)                                                                         \
	X(fchmod)                                                                        \
	X(fchmodat)                                                                      \
	X(chown)                                                                         \
	X(fchown)                                                                        \
	X(lchown)                                                                        \
	X(fchownat)                                                                      \
	X(utimensat)                                                                     \
	X(futimens)                                                                      \
	X(truncate)                                                                      \
	X(truncate64)                                                                    \
	X(ftruncate)                                                                     \
	X(ftruncate64)                                                                   \
	X(fallocate)                                                                     \
	X(fallocate64)                                                                   \
	X(posix_fadvise)                                                                 \
	X(posix_fadvise64)                                                               \
	X(readahead)                                                                     \
	X(fsync)                                                                         \
	X(fdatasync)                                                                     \
	X(sync)                                                                          \
	X(syncfs)                                                                        \
	X(flock)                                                                         \
	X(sendfile)                                                                      \
	X(sendfile64)                                                                    \
	X(splice)                                                                        \
	X(tee)                                                                           \
	X(copy_file_range)                                                               \
	X(getxattr)                                                                      \
	X(lgetxattr)                                                                     \
	X(setxattr)                                                                      \
	X(listxattr)

/* Descriptors, sockets and events. */
#define OF_DESCRIPTORS(X)                                                                \
	X(dup)                                                                           \
	X(dup2)                                                                          \
	X(dup3)                                                                          \
	X(pipe)                                                                          \
	X(pipe2)                                                                         \
	X(fcntl)                                                                         \
	X(fcntl64)                                                                       \
	X(ioctl)                                                                         \
	X(poll)                                                                          \
	X(__poll_chk)                                                                    \
	X(ppoll)                                                                         \
	X(select)                                                                        \
	X(pselect)                                                                       \
	X(epoll_create)                                                                  \
	X(epoll_create1)                                                                 \
	X(epoll_ctl)                                                                     \
	X(epoll_wait)                                                                    \
	X(epoll_pwait)                                                                   \
	X(eventfd)                                                                       \
	X(signalfd)                                                                      \
	X(timerfd_create)                                                                \
	X(timerfd_settime)                                                               \
	X(timerfd_gettime)                                                               \
	X(inotify_init)                                                                  \
	X(inotify_init1)                                                                 \
	X(inotify_add_watch)                                                             \
	X(inotify_rm_watch)                                                              \
	X(memfd_create)                                                                  \
	X(socket)                                                                        \
	X(socketpair)                                                                    \
	X(bind)                                                                          \
	X(listen)                                                                        \
	X(accept)                                                                        \
	X(accept4)                                                                       \
	X(connect)                                                                       \
	X(shutdown)                                                                      \
	X(getsockname)                                                                   \
	X(getpeername)                                                                   \
	X(getsockopt)                                                                    \
	X(setsockopt)                                                                    \
	X(send)                                                                          \
	X(sendto)                                                                        \
	X(sendmsg)                                                                       \
	X(sendmmsg)                                                                      \
	X(recv)                                                                          \
	X(__recv_chk)                                                                    \
	X(recvfrom)                                                                      \
	X(recvmsg)                                                                       \
	X(recvmmsg)

/* Memory, processes, signals and time. */
#define OF_PROCESSES(X)                                                                  \
	X(mmap)                                                                          \
	X(mmap64)                                                                        \
	X(munmap)                                                                        \
	X(mremap)                                                                        \
	X(mprotect)                                                                      \
	X(madvise)                                                                       \
	X(msync)                                                                         \
	X(mincore)                                                                       \
	X(mlock)                                                                         \
	X(munlock)                                                                       \
	X(mlockall)                                                                      \
	X(munlockall)                                                                    \
	X(brk)                                                                           \
	X(shmget)                                                                        \
	X(shmat)                                                                         \
	X(shmdt)                                                                         \
	X(shmctl)                                                                        \
	X(semget)                                                                        \
	X(semop)                                                                         \
	X(semctl)                                                                        \
	X(msgget)                                                                        \
	X(msgsnd)                                                                        \
	X(msgrcv)                                                                        \
	X(msgctl)                                                                        \
	X(getpid)                                                                        \
	X(getppid)                                                                       \
	X(gettid)                                                                        \
	X(getuid)                                                                        \
	X(geteuid)                                                                       \
	X(getgid)                                                                        \
	X(getegid)                                                                       \
	X(getpgrp)                                                                       \
	X(setsid)                                                                        \
	X(setpgid)                                                                       \
	X(wait)                                                                          \
	X(wait3)                                                                         \
	X(wait4)                                                                         \
	X(waitpid)                                                                       \
	X(waitid)                                                                        \
	X(kill)                                                                          \
	X(tgkill)                                                                        \
	X(sigaction)                                                                     \
	X(sigprocmask)                                                                   \
	X(pthread_sigmask)                                                               \
	X(sigpending)                                                                    \
	X(sigsuspend)                                                                    \
	X(sigtimedwait)                                                                  \
	X(sigwaitinfo)                                                                   \
	X(pause)                                                                         \
	X(alarm)                                                                         \
	X(getitimer)                                                                     \
	X(setitimer)                                                                     \
	X(timer_create)                                                                  \
	X(timer_settime)                                                                 \
	X(timer_delete)                                                                  \
	X(nanosleep)                                                                     \
	X(clock_nanosleep)                                                               \
	X(usleep)                                                                        \
	X(sleep)                                                                         \
	X(sched_yield)                                                                   \
	X(sched_getaffinity)                                                             \
	X(sched_setaffinity)                                                             \
	X(sched_setscheduler)                                                            \
	X(getpriority)                                                                   \
	X(setpriority)                                                                   \
	X(getrusage)                                                                     \
	X(getrlimit)                                                                     \
	X(getrlimit64)                                                                   \
	X(setrlimit)                                                                     \
	X(setrlimit64)                                                                   \
	X(prlimit)                                                                       \
	X(prlimit64)                                                                     \
	X(times)                                                                         \
	X(uname)                                                                         \
	X(sysinfo)                                                                       \
	X(getrandom)                                                                     \
	X(process_vm_readv)                                                              \
	X(process_vm_writev)                                                             \
	X(ptrace)

#define CALLS(X) OF_FILES(X) OF_DESCRIPTORS(X) OF_PROCESSES(X)

typedef uint64_t call(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
		      uint64_t f);

#define DEFINE(name)                                                                     \
	static call *real_##name;                                                        \
	static uint64_t wrap_##name(uint64_t a, uint64_t b, uint64_t c, uint64_t d,      \
				    uint64_t e, uint64_t f)                              \
	{                                                                                \
		uint64_t began = runtime_ticks(),                                        \
			 result = real_##name(a, b, c, d, e, f);                         \
                                                                                         \
		if (!runtime_busy)                                                       \
			syscalls_count(#name, began);                                    \
		return result;                                                           \
	}
CALLS(DEFINE)

#define ROW(name) WRAP(name),
static const struct wrap wraps[] = {CALLS(ROW)};

static const char *syscalls_start(struct channel *channel)
{
	name_attribute =
		attributes_create("syscalls.function", TRM_TYPE_STRING, TRM_SKIP_EVENTS);
	channel->calls_seen |= CHANNEL_CALLS_SYSTEM;
	channel->timed = true;
	loads_wrap(wraps, sizeof(wraps) / sizeof(wraps[0]));
	return NULL;
}

static void syscalls_sample(struct channel_thread *own, const struct runtime_event *event,
			    uint64_t *ret_values)
{
	(void)own;
	(void)event;
	ret_values[0] = own_counts.calls;
	ret_values[1] = own_counts.ticks;
}

const struct service service_syscalls = {
	.name = "syscalls",
	.about = "system calls by functions of the C library: how many, time",
	.metrics = metrics,
	.metric_count = sizeof(metrics) / sizeof(metrics[0]),
	.start = syscalls_start,
	.sample = syscalls_sample,
};
