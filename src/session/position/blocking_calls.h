/*
 * System calls that wait and that a stop may end early: how much they were asked to do,
 * and how long they wait. Nothing here changes the thread.
 */
#ifndef TRAMMEL_SESSION_POSITION_BLOCKING_CALLS_H
#define TRAMMEL_SESSION_POSITION_BLOCKING_CALLS_H

#include "session/state/session.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* Unit in which a call is told how much to do, and returns how much it did. */
enum blocking_unit {
	BLOCKING_NOTHING,    /* it does all or nothing, or reports by itself how much it
				did */
	BLOCKING_BYTES,      /* of a buffer at rsi, in rdx */
	BLOCKING_VECTORS,    /* bytes of struct iovec's at rsi, their number in rdx */
	BLOCKING_MESSAGE,    /* bytes of the struct msghdr at rsi */
	BLOCKING_MESSAGES,   /* struct mmsghdr's at rsi, in rdx */
	BLOCKING_FILE_BYTES, /* bytes of a file, which has a position, in r10 */
	BLOCKING_RANDOM,     /* bytes of a buffer at rdi, in rsi */
	BLOCKING_EVENTS,     /* struct io_event's at r10, at least rsi and at most rdx */
};

/* Place of a call's timeout. */
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

/* Returns the call in which a thread was stopped; NULL: it was in no such call, or in
 * no call at all. */
const struct blocking_call *blocking_call_of(const struct user_regs_struct *registers);

/* Returns whether a stop made the thread's call end after a part of its work. */
bool blocking_is_cut_short(const struct thread *thread, const struct blocking_call *call,
			   const struct user_regs_struct *registers);

/* Returns the nanoseconds for which the call waits at most; UINT64_MAX: for ever. */
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
/* Reads the message header at `address`. Returns false also for a message with control
 * data. */
bool blocking_read_message(const struct thread *thread, uint64_t address,
			   struct msghdr *ret_message,
			   struct blocking_vectors *ret_vectors);

/* Wait arguments of io_uring_enter (linux/io_uring.h, struct io_uring_getevents_arg). */
struct blocking_ring {
	uint64_t mask;
	uint32_t mask_size, least;
	uint64_t time; /* of a struct timespec; 0: for ever */
};
bool blocking_read_ring(const struct thread *thread,
			const struct user_regs_struct *registers,
			struct blocking_ring *ret_wait);

/* Finds the status of an open file of the thread, and whether calls wait for it. */
bool blocking_find_file(const struct thread *thread, uint64_t descriptor,
			struct stat *ret_status, bool *ret_waits);

/* Returns a duplicate of the process's socket, to query its options; -1: it cannot be
 * had. */
int blocking_borrow_socket(const struct thread *thread, uint64_t descriptor);

#endif
