/* Numbers of system calls and constants of the kernel, for code that has no libc. */
#ifndef TRAMMEL_RESIDENT_SYSCALLS_H
#define TRAMMEL_RESIDENT_SYSCALLS_H

#define SYS_rt_sigprocmask    14
#define SYS_rt_sigaction      13
#define SYS_pwrite64          18
#define SYS_nanosleep         35
#define SYS_getpid            39
#define SYS_rt_tgsigqueueinfo 297
#define EPERM                 1
#define EINVAL                22
#define ENOSYS                38

#define SYS_futex            202
#define SYS_gettid           186
#define SYS_futex_waitv      449 /* since Linux 5.16 */
#define SYS_clock_gettime    228
#define CLOCK_MONOTONIC      1
#define FUTEX_WAIT           0
#define FUTEX_WAKE           1
#define FUTEX_32             2
#define PR_SET_TSC           26
#define PR_TSC_SIGSEGV       2
#define RLIMIT_AS            9
#define RLIMITS              16
#define SIGTRAP              5
#define SIGBUS               7
#define SIGSEGV              11
#define SYS_ptrace           101
#define SYS_execve           59
#define SYS_execveat         322
#define SYS_arch_prctl       158
#define ARCH_SET_GS          0x1001
#define SYS_mmap             9
#define SYS_mprotect         10
#define SYS_mremap           25
#define SYS_munmap           11
#define MREMAP_MAYMOVE       1
#define MREMAP_DONTUNMAP     4 /* of files since Linux 5.13 */
#define SYS_open             2
#define SYS_close            3
#define SYS_fstat            5
#define SYS_madvise          28
#define PROT_READ            1
#define PROT_EXEC            4
#define MAP_PRIVATE          2
#define MADV_DONTNEED        4
#define MADV_DONTNEED_LOCKED 24  /* since Linux 5.18 */
#define MADV_GUARD_INSTALL   102 /* since Linux 6.13 */
#define O_CLOEXEC            02000000
#define O_RDWR               2
#define SYS_pkey_mprotect    329
#define PROT_WRITE           2
#define MAP_FIXED            0x10

#endif
