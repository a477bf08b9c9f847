/*
 * Buffers of threads that points write records to, inline: part of <trammel/tool.h>. A
 * record is up to six words of 64 bits. When a buffer is full, a routine of the tool's is
 * given what is in it; and the rest when its thread ends, and when the program does.
 *
 *     static void take(const void *records, size_t bytes) { ... }       // in the program
 *     TRAMMEL_BUFFER(trace, 1 << 16, take)
 *
 *     static struct trammel_buffer *buffer;
 *     static int start(...) { buffer = t->buffer("trace"); ... }
 *     ...
 *     trammel_add_trace(t, trammel_before(load), buffer, trammel_address(0),
 *                        trammel_int(8));
 *
 * At the end of the program the rest is given before what start() adds behind the buffer
 * is called. Records of signal handlers are among those of their threads. A record for
 * which there is no room is left out: where no routine can be called, as in a child of
 * vfork(2).
 */
#ifndef TRAMMEL_TOOL_BUFFER_H
#define TRAMMEL_TOOL_BUFFER_H

#include <trammel/tool_code.h>

#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __cplusplus
/* Of unistd.h, which does not declare it for strict C. */
long syscall(long number, ...);
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A buffer has some bytes behind its end, for the last record, and for those of blocks
 * that signals have interrupted. */
enum {
	TRAMMEL_RECORD_WORDS = 6,
	TRAMMEL_RECORD_ROOM = 64,
	TRAMMEL_BUFFER_REST = 1 << 14,
	TRAMMEL_BUFFER_FRONT = 16
};

/* What code of points finds a thread's buffer by. */
struct trammel_buffer_words {
	uint64_t cursor;                     /* where the next record goes */
	uint64_t end;                        /* no record begins there, or behind */
	struct trammel_buffer_words **owner; /* trammel moves the words, and says so
						there */
	uint64_t base;                       /* where records of the last block began */
};

/* A buffer of a thread. */
struct trammel_buffer_row {
	struct trammel_buffer_words *words; /* first: `owner` leads here; NULL: its thread
					       has ended */
	struct trammel_buffer_row *next;
	char *start;          /* behind TRAMMEL_BUFFER_FRONT bytes */
	unsigned int process; /* as in the data when it was last full */
	char busy, over;
};

/* What TRAMMEL_BUFFER defines. */
struct trammel_buffer_data {
	size_t bytes; /* of each thread */
	void (*take)(const void *records, size_t bytes);
	struct trammel_buffer_row *rows;
	unsigned int process; /* another number in each child of fork(2) */
};

/* Returns the number of the thread that has written what a routine is given.
 */
static inline uint64_t trammel_buffer_thread(const void *taken)
{
	return ((const uint64_t *)taken)[-1];
}

static inline void trammel_buffer_lock_(struct trammel_buffer_row *row)
{
	while (__atomic_exchange_n(&row->busy, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static inline void trammel_buffer_unlock_(struct trammel_buffer_row *row)
{
	__atomic_store_n(&row->busy, 0, __ATOMIC_RELEASE);
}

/* Gives the routine what is in a buffer. */
static inline void trammel_buffer_take_(const struct trammel_buffer_data *data,
					struct trammel_buffer_row *row)
{
	uint64_t start = (uint64_t)row->start;
	uint64_t cursor = __atomic_load_n(&row->words->cursor, __ATOMIC_ACQUIRE);

	if (data->take && !row->over && cursor > start &&
	    cursor - start <= data->bytes + TRAMMEL_BUFFER_REST)
		data->take(row->start, (size_t)(cursor - start));
}

/* Makes the buffer of a thread; NULL: there is no memory. */
static inline struct trammel_buffer_row *
trammel_buffer_make_(struct trammel_buffer_data *data)
{
	struct trammel_buffer_row *row =
		(struct trammel_buffer_row *)calloc(1, sizeof(*row));
	char *start =
		(char *)malloc(TRAMMEL_BUFFER_FRONT + data->bytes + TRAMMEL_BUFFER_REST);

	if (!row || !start) {
		free(row);
		free(start);
		return NULL;
	}
	row->start = start + TRAMMEL_BUFFER_FRONT;
	row->process = data->process - 1;
	row->next = __atomic_load_n(&data->rows, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&data->rows, &row->next, row, 0,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return row;
}

/* Makes room in the buffer with these words; `own`: of the thread. */
static inline void trammel_buffer_room_(struct trammel_buffer_data *data,
					struct trammel_buffer_row **own,
					struct trammel_buffer_words *words)
{
	struct trammel_buffer_row *row =
		words->owner ? (struct trammel_buffer_row *)words->owner : *own;

	if (!row)
		row = *own = trammel_buffer_make_(data);
	if (!row)
		return;
	trammel_buffer_lock_(row);
	/* In a child of fork(2) the records are the parent's. */
	if (words->owner && row->process == data->process)
		trammel_buffer_take_(data, row);
	if (row->process != data->process)
		((uint64_t *)(void *)row->start)[-1] = (uint64_t)syscall(SYS_gettid);
	row->process = data->process;
	row->words = words;
	words->owner = &row->words;
	words->end = (uint64_t)row->start + data->bytes - TRAMMEL_RECORD_ROOM + 1;
	__atomic_store_n(&words->cursor, (uint64_t)row->start, __ATOMIC_RELEASE);
	trammel_buffer_unlock_(row);
}

/* The thread ends. */
static inline void trammel_buffer_end_(struct trammel_buffer_data *data,
				       struct trammel_buffer_row **own)
{
	struct trammel_buffer_row *row = *own;

	if (!row || !row->words || row->process != data->process)
		return;
	trammel_buffer_lock_(row);
	trammel_buffer_take_(data, row);
	row->words->cursor = row->words->end = row->words->base = 0;
	row->words->owner = NULL;
	row->words = NULL;
	free(row->start - TRAMMEL_BUFFER_FRONT);
	row->start = NULL;
	*own = NULL;
	trammel_buffer_unlock_(row);
}

/* The program ends. */
static inline void trammel_buffer_rest_(struct trammel_buffer_data *data)
{
	struct trammel_buffer_row *row = __atomic_load_n(&data->rows, __ATOMIC_ACQUIRE);

	for (; row; row = row->next) {
		if (row->process != data->process)
			continue;
		trammel_buffer_lock_(row);
		if (row->words)
			trammel_buffer_take_(data, row);
		row->over = 1;
		trammel_buffer_unlock_(row);
	}
}

#ifdef __cplusplus
}
#endif

/* Defines a buffer of `bytes` bytes, at least 4096, for each thread, by its name. `take`:
 * void (const void *records, size_t bytes), called on the thread that has written them,
 * or when the program ends; NULL: what is in a full buffer is dropped. */
#define TRAMMEL_BUFFER(name, bytes, take)                                                \
	static struct trammel_buffer_data name##_data = {                                \
		(bytes) < 4096 ? 4096 : (bytes), take, NULL, 0};                         \
	static __thread struct trammel_buffer_row *name##_own;                           \
	TRAMMEL_ROUTINE void name##_full(struct trammel_buffer_words *words);            \
	TRAMMEL_ROUTINE void name##_full(struct trammel_buffer_words *words)             \
	{                                                                                \
		trammel_buffer_room_(&name##_data, &name##_own, words);                  \
	}                                                                                \
	TRAMMEL_ROUTINE void name##_end(void);                                           \
	TRAMMEL_ROUTINE void name##_end(void)                                            \
	{                                                                                \
		trammel_buffer_end_(&name##_data, &name##_own);                          \
	}                                                                                \
	TRAMMEL_ROUTINE void name##_fork(void);                                          \
	TRAMMEL_ROUTINE void name##_fork(void)                                           \
	{                                                                                \
		name##_data.process++;                                                   \
	}                                                                                \
	TRAMMEL_ROUTINE void name##_rest(void);                                          \
	TRAMMEL_ROUTINE void name##_rest(void)                                           \
	{                                                                                \
		trammel_buffer_rest_(&name##_data);                                      \
	}

#endif
