/*
 * Operations on other processes: registers, memory, signal mask, resuming. The threads
 * must be stopped and traced by this thread, except for memory, which works at any time.
 * TRM_ERROR_GONE means that the thread or process has ended.
 */
#ifndef TRAMMEL_CONTROL_REMOTE_H
#define TRAMMEL_CONTROL_REMOTE_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

/* Reads the general registers of a thread. */
struct trm_error *remote_get_registers(pid_t tid, struct user_regs_struct *ret_registers);
/* Does away with what is remembered of a thread's registers: it stopped anew. */
void remote_forget_registers(pid_t tid);
/* Sets them. */
struct trm_error *remote_set_registers(pid_t tid,
				       const struct user_regs_struct *registers);

enum { REMOTE_VECTORS_MAX = 16384 };

/* Reads the state of the other registers, as the instruction XSAVE writes it; `ret_size`:
 * bytes of it. */
struct trm_error *remote_get_vectors(pid_t tid, uint8_t bytes[REMOTE_VECTORS_MAX],
				     size_t *ret_size);
/* Sets it. */
struct trm_error *remote_set_vectors(pid_t tid, const uint8_t *bytes, size_t size);

/* The selector in `cs` of 64-bit code. */
#define CODE_SEGMENT 0x33

/* Error codes inside the kernel: in `rax` of an interrupted system call they say how it
 * is restarted (linux/errno.h). */
#define ERESTARTSYS           512
#define ERESTARTNOINTR        513
#define ERESTARTNOHAND        514
#define ERESTART_RESTARTBLOCK 516

/* Sets the address that %gs: is relative to. */
struct trm_error *remote_set_gs_base(pid_t tid, uint64_t base);

/* Reads the signal mask of a thread, of bits 1 << (signal - 1). */
struct trm_error *remote_get_mask(pid_t tid, uint64_t *ret_mask);

/* Sets it. */
struct trm_error *remote_set_mask(pid_t tid, uint64_t mask);

/* Reads the signal that a thread stopped for. */
struct trm_error *remote_get_signal(pid_t tid, siginfo_t *ret_info);

/* Replaces it. */
struct trm_error *remote_set_signal(pid_t tid, const siginfo_t *info);

/* How to resume a thread; remote_resume delivers `signal` (0: none). */
enum remote_resume {
	REMOTE_RUN,     /* to the next event */
	REMOTE_SYSCALL, /* to the next entry to or exit from a system call */
	REMOTE_EMULATE, /* to the next entry, whose call is not made, nor any filter asked
			 */
	REMOTE_STEP,    /* with a signal that is handled: to the handler's first
			   instruction. Not without: the thread would be lost with the
			   tracer */
	REMOTE_LISTEN,  /* stay in group-stop, but hear of SIGCONT */
	REMOTE_DETACH,  /* detach */
};

/* Lets a stopped thread go on, and delivers `signal` (0: none). */
struct trm_error *remote_resume(pid_t tid, enum remote_resume how, int signal);

/* A system call of a thread that is stopped at it. */
struct remote_call {
	bool entry;                    /* it begins; else it has ended */
	uint64_t number, arguments[6]; /* at its entry */
	int64_t result;   /* at its end: of the kernel, -4095 to -1 for errors */
	uint64_t pc, rsp; /* behind the instruction */
};
/* Reads it; false: the thread is gone, or is not at one. */
bool remote_get_call(pid_t tid, struct remote_call *ret_call);

/* Whether a thread that is stopped at a system call is at its entry, not its exit. */
bool remote_is_entry(pid_t tid);

/* Reads memory through an open /proc/PID/mem: all of `size` bytes or an error. */
struct trm_error *remote_read(int memory_fd, uint64_t address, void *bytes, size_t size);

/* Writes memory in the same way. */
struct trm_error *remote_write(int memory_fd, uint64_t address, const void *bytes,
			       size_t size);

/* Reads memory that may be mapped in part: bytes of unreadable pages are 0. */
void remote_read_mapped(int memory_fd, uint64_t address, void *bytes, size_t size);

/* Reads a string that ends with 0; it is cut after `capacity` - 1 bytes. */
struct trm_error *remote_read_string(int memory_fd, uint64_t address, char *text,
				     size_t capacity);

/* Opens /proc/PID/NAME; `flags` as for open(2). */
struct trm_error *remote_open(pid_t pid, const char *name, int flags, int *ret_fd);

/* Reads the path of the file that a process executes; empty if it is not known. */
void remote_read_program(pid_t pid, char *text, size_t capacity);

/* Tells whether the environment at the start of a process has an entry that begins with
 * `assignment`. */
bool remote_has_variable(pid_t pid, const char *assignment);

/* Returns an entry of the auxiliary vector at the start of a process (AT_PHDR, ...); 0 if
 * there is none. */
uint64_t remote_auxiliary_value(pid_t pid, uint64_t type);

/* Tells whether RLIMIT_AS limits how much memory a process may map. */
bool remote_has_address_limit(pid_t pid);

/* Reads a number from a line of /proc/PID/status ("Tgid", "Seccomp", ...); `base` is 10
 * or 16. False if there is no such line. */
bool remote_status(pid_t pid, const char *field, int base, uint64_t *ret_value);

/* Signal sets of a thread, of bits 1 << (signal - 1). */
struct remote_signals {
	uint64_t pending; /* for it alone or for its process */
	uint64_t blocked, ignored, caught;
};

/* Reads them; false if the thread is gone. */
bool remote_get_signals(pid_t tid, struct remote_signals *signals);

/* Tells whether a signal has no effect on a thread: it is ignored; or has no handler and
 * is ignored by default or in the set `other` of bits 1 << (signal - 1). */
bool remote_ignores(pid_t tid, int signal, uint64_t other);

/* Tells whether a signal ends the process of a thread: no handler catches it, and it is
 * not ignored. */
bool remote_ends(pid_t tid, int signal);

/* Tells whether an operation failed. Frees the error: the thread is gone then, as its
 * last event will say. */
static inline bool remote_failed(struct trm_error *error)
{
	trm_error_destroy(error);
	return error != NULL;
}

/* What a thread does and did, as /proc/PID/stat has it. */
struct remote_times {
	char state;            /* a letter; 0: it is gone */
	uint64_t user, system; /* clock ticks that it ran; by chance, at ticks */
};

/* Reads them. */
void remote_read_times(pid_t tid, struct remote_times *ret_times);

/* Returns the nanoseconds that a thread has run; 0: that is not known. */
uint64_t remote_ran_ns(pid_t tid);

/* Returns the number of system call filters (seccomp) of a thread. */
uint64_t remote_filters(pid_t tid);

/* Returns the state letter of a thread; 0 if it is gone. Writes its flags to `ret_flags`.
 */
char remote_state(pid_t tid, unsigned int *ret_flags);

#endif
