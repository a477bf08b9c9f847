#include "code/stretch/stretch_calls.h"

#include "base/array.h"

#include <sys/syscall.h>

enum { RAX };

/* Calls of files, sockets, clocks and the like. Not among them: what makes or ends
 * threads and processes, executes a program, returns from or waits for signals, changes
 * signals' actions or masks, mappings, or what calls are allowed. */
static const uint16_t copied[] = {
	SYS_read,       SYS_write,         SYS_open,         SYS_close,
	SYS_stat,       SYS_fstat,         SYS_lstat,        SYS_poll,
	SYS_lseek,      SYS_pread64,       SYS_pwrite64,     SYS_readv,
	SYS_writev,     SYS_access,        SYS_select,       SYS_sched_yield,
	SYS_nanosleep,  SYS_getpid,        SYS_sendfile,     SYS_socket,
	SYS_connect,    SYS_accept,        SYS_sendto,       SYS_recvfrom,
	SYS_sendmsg,    SYS_recvmsg,       SYS_getsockname,  SYS_getpeername,
	SYS_setsockopt, SYS_getsockopt,    SYS_uname,        SYS_fsync,
	SYS_fdatasync,  SYS_ftruncate,     SYS_getdents64,   SYS_getcwd,
	SYS_readlink,   SYS_gettimeofday,  SYS_getrlimit,    SYS_getrusage,
	SYS_sysinfo,    SYS_times,         SYS_getuid,       SYS_getgid,
	SYS_geteuid,    SYS_getegid,       SYS_getppid,      SYS_gettid,
	SYS_time,       SYS_futex,         SYS_epoll_wait,   SYS_epoll_ctl,
	SYS_fadvise64,  SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep,
	SYS_openat,     SYS_newfstatat,    SYS_readlinkat,   SYS_faccessat,
	SYS_accept4,    SYS_preadv,        SYS_pwritev,      SYS_recvmmsg,
	SYS_sendmmsg,   SYS_getcpu,        SYS_getrandom,    SYS_copy_file_range,
	SYS_statx,
};

bool stretch_call_is_copied(uint32_t number)
{
	for (size_t i = 0; i < array_count(copied); i++)
		if (copied[i] == number)
			return true;
	return false;
}

static bool is_eax(const struct operand *operand)
{
	return operand->kind == ALL_OPERANDS_REGISTER && operand->number == RAX &&
	       operand->bits == 32;
}

uint32_t stretch_call_behind(const struct all_operands *all, uint32_t before)
{
	const struct operand *first = &all->items[0], *second = &all->items[1];

	if (!(all->writes >> RAX & 1))
		return before;
	if (all->map || all->visible != 2 || !is_eax(first))
		return 0;
	if (all->opcode == 0xb8 && second->kind == ALL_OPERANDS_IMMEDIATE)
		return (uint32_t)second->value + 1;
	if ((all->opcode == 0x31 || all->opcode == 0x33) && is_eax(second)) /* xor */
		return SYS_read + 1;
	return 0;
}
