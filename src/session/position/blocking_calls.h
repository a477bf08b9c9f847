/*
 * System calls that wait and that a stop may end early: what they were asked to do, and
 * for how long they wait. Nothing here changes anything.
 */
#ifndef TRAMMEL_SESSION_POSITION_BLOCKING_CALLS_H
#define TRAMMEL_SESSION_POSITION_BLOCKING_CALLS_H

#include "session/state/session.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* In what a call tells how much it is to do, and returns how much it did. */
enum blocking_unit {
	BLOCKING_NOTHING,  /* it does all or nothing, or what it does is for it to say */
	BLOCKING_BYTES,    /* of a buffer at rsi, in rdx */
	BLOCKING_VECTORS,  /* bytes of struct iovec's at rsi, their number in rdx */
	BLOCKING_MESSAGE,  /* bytes of the struct msghdr at rsi */
	BLOCKING_MESSAGES, /* struct mmsghdr's at rsi, in rdx */
	BLOCKING_FILE_BYTES, /* bytes of a file, which has a position, in r10 */
	BLOCKING_RANDOM,     /* bytes of a buffer at rdi, in rsi */
	BLOCKING_EVENTS,     /* struct io_event's at r10, at least rsi and at most rdx */
};

/* How long it waits, if it does not say so in the same way each time. */
enum blocking_patience {
	BLOCKING_UNTIMED,
	BLOCKING_MILLISECONDS, /* an int in r10; negative: for ever */
	BLOCKING_IN_RDX,       /* a struct timespec there; 0: for ever */
	BLOCKING_IN_R10,
	BLOCKING_IN_R8,
	BLOCKING_OF_RING,    /* struct io_uring_getevents_arg at r8, if r10 has a flag */
	BLOCKING_TO_RECEIVE, /* as an option of the socket rdi says */
	BLOCKING_TO_SEND,
};

struct blocking_call {
	uint16_t number;
	uint8_t unit, patience, place;
};

/* The call in which a thread was stopped; NULL: none of these, or none at all. */
const struct blocking_call *blocking_call_of(const struct user_regs_struct *registers);

/* Whether a stop has made the thread's call end with a part of what it was asked. */
bool blocking_is_cut_short(const struct thread *thread, const struct blocking_call *call,
			   const struct user_regs_struct *registers);

/* Nanoseconds for which the call waits at most; UINT64_MAX: for ever. */
uint64_t blocking_patience(const struct thread *thread, const struct blocking_call *call,
			   const struct user_regs_struct *registers);

#define BLOCKING_VECTORS_MAX 1024

/* Vectors of a call, read from the program. */
struct blocking_vectors {
	struct iovec items[BLOCKING_VECTORS_MAX];
	size_t count;
};

bool blocking_read_vectors(const struct thread *thread, uint64_t address, uint64_t count,
			   struct blocking_vectors *ret_vectors);
/* False for one with control messages, too. */
bool blocking_read_message(const struct thread *thread, uint64_t address,
			   struct msghdr *ret_message,
			   struct blocking_vectors *ret_vectors);

/* What io_uring_enter is told of a wait (linux/io_uring.h, struct
 * io_uring_getevents_arg). */
struct blocking_ring {
	uint64_t mask;
	uint32_t mask_size, least;
	uint64_t time; /* of a struct timespec; 0: for ever */
};
bool blocking_read_ring(const struct thread *thread,
			const struct user_regs_struct *registers,
			struct blocking_ring *ret_wait);

/* What an open file of the thread's is, and whether calls wait for it. */
bool blocking_find_file(const struct thread *thread, uint64_t descriptor,
			struct stat *ret_status, bool *ret_waits);

/* The same process's socket, to ask it something; -1: none. */
int blocking_borrow_socket(const struct thread *thread, uint64_t descriptor);

#endif
