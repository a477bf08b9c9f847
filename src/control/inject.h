/*
 * System calls that a program makes for the tracer. Injected code restores registers and
 * signal mask by itself, so that a program whose tracer is killed in the middle runs on
 * correctly.
 */
#ifndef TRAMMEL_CONTROL_INJECT_H
#define TRAMMEL_CONTROL_INJECT_H
#include "control/arena.h"
#include "control/event.h"
#include "control/remote.h"
#include "wire/mailbox.h"

struct inject_arena_request {
	pid_t tid;               /* stopped outside of a system call */
	int memory_fd;           /* its /proc/PID/mem */
	const struct maps *maps; /* its address space */
	uint64_t address;        /* where the arena is to lie; free */
	uint64_t stride;         /* bytes a bank */
	uint32_t banks;          /* in the first chunk */
	uint32_t slot_size;      /* bytes */
	uint64_t memfd_flags;    /* for memfd_create */
};

/*
 * Creates the arena of an image. On return the thread has its registers as before; its GS
 * base is not set. Errors: no address for the code, the program may not create or map a
 * memfd, or it is gone; the program is unharmed then.
 */
struct trm_error *inject_arena(const struct inject_arena_request *request,
			       struct event_queue *queue, struct arena **ret_arena);

/* Runs a batch in a thread that is stopped outside of a system call (at the exit of one,
 * at its first stop, or at an interrupt). Results are written to the batch. */
struct trm_error *inject_batch(pid_t tid, struct arena *arena, struct wire_batch *batch,
			       struct event_queue *queue);

/* Unmaps the resident, the control page and the first chunk of an arena. No thread may be
 * in them or have its GS base there. */
struct trm_error *inject_leave(pid_t tid, int memory_fd, const struct maps *maps,
			       const struct arena *arena, struct event_queue *queue);

/* Runs a batch in a thread that waits in a hook, through its mailbox. Results are written
 * to the batch. A thread that stops at its system calls is passed on at each. */
struct trm_error *inject_mailbox_batch(pid_t tid, struct bank *bank,
				       struct wire_batch *batch,
				       struct event_queue *queue);

/* Resumes a thread that waits in a hook. With `alone` it is no longer followed, and does
 * by itself what it can. */
void inject_mailbox_done(struct bank *bank, bool alone);

/* Resumes a thread that waits in WIRE_HOOK_LAZY; its function has been planned. */
void inject_mailbox_again(struct bank *bank);

/* Adds a call to a batch; returns its index. Arguments may be WIRE_RESULT(index). */
unsigned int batch_add(struct wire_batch *batch, long number,
		       const uint64_t arguments[6]);
#define BATCH_ADD(batch, number, ...)                                                    \
	batch_add((batch), (number), (const uint64_t[6]){__VA_ARGS__})

/*
 * Adds calls that map `size` bytes of the arena's file from `offset` at `address`, which
 * must be free (0: anywhere), with the protection of the resident (executable) or of the
 * control page (writable). No descriptor is needed: mremap(2) with an old size of 0 makes
 * a second mapping of shared pages; that works after chroot and setuid too. Returns the
 * index of the call whose result plus `*ret_addend` is the address, negative on failure.
 */
unsigned int batch_add_mapping(struct wire_batch *batch, const struct arena *arena,
			       bool executable, uint64_t offset, uint64_t size,
			       uint64_t address, uint64_t *ret_addend);

/* Whether system calls of a stopped thread come back to it as signals (prctl(2),
 * PR_SET_SYSCALL_USER_DISPATCH): ours would, too. */
bool inject_dispatches(pid_t tid);

#endif
