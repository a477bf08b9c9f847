#include "resident/ask.h"

#include "resident/inside.h"
#include "resident/syscalls.h"
#include "wire/context.h"
#include "wire/hooks.h"

/* The longest that a thread waits for a tracer that neither answers nor is known dead,
 * nor shows that it is at work. */
#define WAIT_NS       20000000
#define WAITS_IN_ALL  1500
#define WAITS_AT_WORK 90000 /* and for one that does */

/* The number of polls for a thread that may make no system call: about 50 ns each. */
#define QUIET_LOOKS 600000000u

/* How many looks, and waits, in a row find that the tracer has answered and that no reply
 * is there, before the thread goes on without one: see went_elsewhere. */
#define IDLE_LOOKS 1000000u
#define IDLE_WAITS 8u

struct timespec {
	int64_t seconds, nanoseconds;
};

/* The word is shared by two processes: not a private futex. */
static void call_futex(uint32_t *word, uint64_t operation, uint64_t value,
		       const struct timespec *timeout)
{
	uint64_t arguments[6] = {(uint64_t)(uintptr_t)word,    operation, value,
				 (uint64_t)(uintptr_t)timeout, 0,         0};

	system_call(SYS_futex, arguments);
}

/* Waits until one of both words changes. False: it cannot. */
static int wait_for_both(uint32_t *word, uint32_t value, const uint32_t *other,
			 uint32_t other_value)
{
	const struct {
		uint64_t value, word;
		uint32_t flags, unused;
	} waits[] = {
		{value, (uint64_t)(uintptr_t)word, FUTEX_32, 0},
		{other_value, (uint64_t)(uintptr_t)other, FUTEX_32, 0},
	};
	struct timespec end;
	uint64_t read[6] = {CLOCK_MONOTONIC, (uint64_t)(uintptr_t)&end};
	uint64_t arguments[6] = {(uint64_t)(uintptr_t)waits,
				 2,
				 0,
				 (uint64_t)(uintptr_t)&end,
				 CLOCK_MONOTONIC,
				 0};

	if (system_call(SYS_clock_gettime, read))
		return 0;
	end.nanoseconds += WAIT_NS;
	if (end.nanoseconds >= 1000000000) {
		end.nanoseconds -= 1000000000;
		end.seconds++;
	}
	int64_t result = system_call(SYS_futex_waitv, arguments);

	return result != -ENOSYS && result != -EPERM;
}

/*
 * Waits for a reply, or for the tracer's death: a thread that is about to restore texts
 * must do so at once then, while the kernel still holds the threads that the tracer had
 * stopped.
 */
static void wait_for_reply(struct wire_bank *bank, const struct wire_control *control)
{
	static const struct timespec pause = {0, WAIT_NS};
	uint32_t owner = __atomic_load_n(&control->owner[0], __ATOMIC_ACQUIRE);

	if ((owner & FUTEX_OWNER_DIED) == 0 &&
	    (!control->unfiltered ||
	     !wait_for_both(&bank->reply, WIRE_NONE, &control->owner[0], owner)))
		call_futex(&bank->reply, FUTEX_WAIT, WIRE_NONE, &pause);
}

void resident_run(struct wire_batch *batch, const struct wire_control *control)
{
	for (size_t i = 0; i < batch->count && i < WIRE_BATCH_MAX; i++) {
		struct wire_call *call = &batch->calls[i];
		uint64_t arguments[6];

		if (batch->together && tracer_died(control))
			return;
		for (int k = 0; k < 6; k++) {
			uint64_t value = call->arguments[k];

			if (WIRE_IS_RESULT(value))
				value = (uint64_t)batch->calls[value & 31].result;
			arguments[k] = value;
		}
		arguments[call->added_to % 6] += call->addend;
		call->result = system_call(call->number, arguments);
	}
}

/* Posts a request and rings the tracer's doorbell. */
static void post_request(struct wire_bank *bank, struct wire_control *control,
			 enum wire_request request)
{
	__atomic_store_n(&bank->request, request, __ATOMIC_RELEASE);
	__atomic_fetch_add(&control->doorbell, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&control->awake, __ATOMIC_SEQ_CST))
		call_futex(&control->doorbell, FUTEX_WAKE, 1, NULL);
}

/* The reply of a tracer that is awake: it takes less long than to fall asleep. */
static void await_awake(const struct wire_bank *bank, const struct wire_control *control)
{
	for (uint32_t i = 0; i < __atomic_load_n(&control->awake, __ATOMIC_RELAXED) &&
			     !__atomic_load_n(&bank->reply, __ATOMIC_RELAXED);
	     i++)
		__builtin_ia32_pause();
}

/*
 * Whether a reply that is awaited has gone to another thread: where there are no banks
 * for new threads, one has the bank of the thread that made it, and both may ask at a
 * time. The tracer has answered then, and no reply is there; `looks` counts how often in
 * a row that was seen, since the tracer writes one word after the other.
 */
static int went_elsewhere(const struct wire_bank *bank, uint32_t *looks, uint32_t most)
{
	if (__atomic_load_n(&bank->request, __ATOMIC_ACQUIRE) != WIRE_IDLE)
		*looks = 0;
	else
		++*looks;
	return *looks > most;
}

/* Takes the tracer's reply; WIRE_DONE if it is dead. */
static enum wire_reply await_reply(struct wire_bank *bank,
				   const struct wire_control *control)
{
	uint64_t beats = 0;
	uint32_t looks = 0;

	for (int all = 0, waits = 0; all < WAITS_AT_WORK && waits < WAITS_IN_ALL;
	     all++, waits++) {
		uint32_t reply =
			__atomic_exchange_n(&bank->reply, WIRE_NONE, __ATOMIC_ACQUIRE);
		uint64_t now = __atomic_load_n(&control->beats, __ATOMIC_RELAXED);

		if (reply != WIRE_NONE)
			return reply;
		if (tracer_died(control) || went_elsewhere(bank, &looks, IDLE_WAITS))
			break;
		if (now != beats)
			waits = 0;
		beats = now;
		wait_for_reply(bank, control);
	}
	return WIRE_DONE;
}

/* Excludes the time since the thread asked from the times of its open regions: see
 * wire/context.h. */
static void give_time_back(struct wire_bank *bank)
{
	struct context_thread *thread = (void *)(uintptr_t)bank->context;
	uint64_t now = bank->asked_ticks ? __builtin_ia32_rdtsc() : 0, ticks;

	if (!thread || !now || thread->last >= now)
		return;
	ticks = now -
		(thread->last > bank->asked_ticks ? thread->last : bank->asked_ticks);
	for (struct context_node *node = thread->node; node && node->parent;
	     node = node->parent)
		node->began += ticks;
	thread->held += ticks;
	thread->last += ticks;
}

enum wire_reply ask_tracer(struct wire_bank *bank)
{
	struct wire_control *control = (struct wire_control *)(uintptr_t)bank->control;

	enum wire_reply reply;

	if (tracer_died(control))
		return WIRE_ALONE;
	bank->asked_ticks = bank->untimed ? 0 : __builtin_ia32_rdtsc();
	__atomic_store_n(&bank->reply, WIRE_NONE, __ATOMIC_RELEASE);
	post_request(bank, control, WIRE_POSTED);
	await_awake(bank, control);
	while ((reply = await_reply(bank, control)) == WIRE_RUN) {
		resident_run(&bank->batch, control);
		post_request(bank, control, WIRE_RAN);
	}
	give_time_back(bank);
	__atomic_store_n(&bank->request, WIRE_IDLE, __ATOMIC_RELEASE);
	if (!tracer_died(control))
		return reply;
	/* The kernel has woken one. */
	call_futex(&control->owner[0], FUTEX_WAKE, INT32_MAX, NULL);
	return WIRE_ALONE;
}

void ask_quietly(struct wire_bank *bank, const struct wire_registers *frame)
{
	struct wire_control *control = (struct wire_control *)(uintptr_t)bank->control;
	uint32_t reply = WIRE_NONE, looks = 0;

	if (bank->quiet == WIRE_QUIET_ALONE)
		return;
	copy_registers(&bank->registers, frame);
	bank->number = WIRE_HOOK_LAZY;
	__atomic_store_n(&bank->reply, WIRE_NONE, __ATOMIC_RELEASE);
	__atomic_store_n(&bank->request, WIRE_POSTED, __ATOMIC_RELEASE);
	__atomic_fetch_add(&control->doorbell, 1, __ATOMIC_RELEASE);
	for (uint32_t i = 0; !reply && i < QUIET_LOOKS && !tracer_died(control); i++) {
		__builtin_ia32_pause();
		reply = __atomic_exchange_n(&bank->reply, WIRE_NONE, __ATOMIC_ACQUIRE);
		if (!reply && went_elsewhere(bank, &looks, IDLE_LOOKS))
			break;
	}
	__atomic_store_n(&bank->request, WIRE_IDLE, __ATOMIC_RELEASE);
	if (reply == WIRE_AGAIN)
		ask_go_again(frame);
}
