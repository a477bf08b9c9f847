#include "session/thread/held.h"

#include "base/array.h"
#include "wire/bank.h"
#include "wire/context.h"
#include "wire/mailbox.h"

#include <sys/uio.h>
#include <x86intrin.h>

/* No program has as much open; a damaged record may lead in a circle. */
#define DEPTH_MAX 4096

/* A thread's record with the nodes beside it: one read brings nearly all that is open. */
union record {
	struct context_thread thread;
	uint8_t bytes[CONTEXT_BLOCK];
};

/* Words to be written into a process, some at a time. */
struct words {
	pid_t tid;
	unsigned long count;
	uint64_t values[64];
	struct iovec to[64];
};

void held_begin(struct thread *thread, uint64_t asked)
{
	const uint64_t now = __rdtsc();

	if (!thread->held_ticks)
		thread->held_ticks = asked && asked < now ? asked : now;
}

static bool read_memory(pid_t tid, uint64_t address, void *bytes, size_t size)
{
	const struct iovec to = {bytes, size};
	const struct iovec from = {(void *)(uintptr_t)address, size};

	return process_vm_readv(tid, &to, 1, &from, 1, 0) == (ssize_t)size;
}

static void write_words(struct words *words)
{
	const struct iovec from = {words->values, words->count * sizeof(uint64_t)};

	if (words->count)
		process_vm_writev(words->tid, &from, 1, words->to, words->count, 0);
	words->count = 0;
}

static void add_word(struct words *words, uint64_t address, uint64_t value)
{
	if (words->count == array_count(words->values))
		write_words(words);
	words->values[words->count] = value;
	words->to[words->count++] =
		(struct iovec){(void *)(uintptr_t)address, sizeof(value)};
}

/* The node at an address of the process: in what was read already, or read now. */
static bool find_node(pid_t tid, const union record *record, uint64_t address,
		      struct context_node *ret_node)
{
	uint64_t offset = address - record->thread.head.address;

	if (offset > sizeof(*record) - sizeof(*ret_node) || offset % 8)
		return read_memory(tid, address, ret_node, sizeof(*ret_node));
	*ret_node = *(const struct context_node *)(const void *)(record->bytes + offset);
	return true;
}

static void move_open(struct words *words, const union record *record, uint64_t from,
		      uint64_t ticks)
{
	uint64_t address = (uintptr_t)record->thread.node;
	struct context_node node;

	for (int depth = 0; address && depth < DEPTH_MAX; depth++) {
		if (!find_node(words->tid, record, address, &node) || !node.parent)
			return;
		if (node.began <= from)
			add_word(words, address + offsetof(struct context_node, began),
				 node.began + ticks);
		address = (uintptr_t)node.parent;
	}
}

void held_move_context(pid_t tid, uint64_t address, uint64_t from, uint64_t to)
{
	struct words words = {.tid = tid};
	union record record;
	const struct context_thread *thread = &record.thread;

	if (!read_memory(tid, address, &record, sizeof(record)) ||
	    thread->head.kind != CONTEXT_THREAD || thread->head.address != address ||
	    !thread->alive || !thread->number || thread->last > to)
		return;
	if (from < thread->last)
		from = thread->last;
	add_word(&words, address + offsetof(struct context_thread, last),
		 thread->last + (to - from));
	add_word(&words, address + offsetof(struct context_thread, held),
		 thread->held + (to - from));
	move_open(&words, &record, from, to - from);
	write_words(&words);
}

/* Whoever waits for an answer moves its record itself: it knows when it woke up. */
static bool waits_for_answer(const struct bank *bank)
{
	return __atomic_load_n(&bank->shared->request, __ATOMIC_ACQUIRE) != WIRE_IDLE;
}

static void give_back(const struct session *session, const struct thread *thread,
		      uint64_t to)
{
	const uint64_t from = thread->held_ticks;
	const struct bank *bank = thread->bank;

	if (!from || !bank || from >= to)
		return;
	collector_call(session, give_back, bank, from, to);
	if (bank->shared->context && !waits_for_answer(bank))
		held_move_context(thread->tid, bank->shared->context, from, to);
}

void held_look(const struct session *session, struct thread *thread)
{
	const uint64_t to = __rdtsc();
	const struct bank *bank = thread->bank;

	if (!thread->held_ticks || !bank)
		return;
	give_back(session, thread, to);
	thread->held_ticks = to;
	if (!bank->shared->context || !bank->shared->asked_ticks ||
	    !waits_for_answer(bank))
		return;
	held_move_context(thread->tid, bank->shared->context, bank->shared->asked_ticks,
			  to);
	bank->shared->asked_ticks = to;
}

void held_end(const struct session *session, struct thread *thread)
{
	give_back(session, thread, __rdtsc());
	thread->held_ticks = 0;
}
