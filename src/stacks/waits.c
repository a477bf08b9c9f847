#include "stacks/waits.h"

#include "stacks/futex.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum {
	NAMED_FRAMES = 6,
	/* Results by which the kernel makes a call again (linux/errno.h). */
	RESTART_FIRST = 512,
	RESTART_LAST = 516,
};

struct waits *waits_create(struct sampler *sampler, uint64_t threshold_ns)
{
	struct waits *waits = memory_allocate_zeroed(1, sizeof(*waits));

	waits->sampler = waits->walker.sampler = sampler;
	waits->threshold_ns = threshold_ns;
	waits->buffer = memory_allocate(STACKS_BYTES);
	return waits;
}

void waits_destroy(struct waits *waits)
{
	if (!waits)
		return;
	while (waits->threads.count)
		waits_remove(waits, waits->threads.items[0]->tid);
	vector_for_each (&waits->names, name)
		free(*name);
	vector_deinit(&waits->threads);
	vector_deinit(&waits->names);
	table_deinit(&waits->by_tid);
	table_deinit(&waits->by_node);
	stacks_sockets_deinit(&waits->sockets);
	free(waits->buffer);
	free(waits);
}

struct waits_thread *waits_find(struct waits *waits, uint32_t tid)
{
	uint64_t index;

	return table_find(&waits->by_tid, tid, &index) && index
		       ? waits->threads.items[index - 1]
		       : NULL;
}

struct waits_thread *waits_add(struct waits *waits, uint32_t pid, uint32_t tid)
{
	struct waits_thread *thread = memory_allocate_zeroed(1, sizeof(*thread));

	*thread = (struct waits_thread){.pid = pid, .tid = tid};
	vector_push(&waits->threads, thread);
	*table_insert(&waits->by_tid, tid, NULL) = waits->threads.count;
	sample_processes_thread(&waits->sampler->processes, pid, tid);
	return thread;
}

static void forget_early(struct waits_thread *thread)
{
	text_deinit(&thread->early.words);
}

void waits_remove(struct waits *waits, uint32_t tid)
{
	uint64_t *index = table_insert(&waits->by_tid, tid, NULL);
	struct waits_thread *last;

	if (!*index)
		return;
	forget_early(waits->threads.items[*index - 1]);
	free(waits->threads.items[*index - 1]);
	last = waits->threads.items[waits->threads.count - 1];
	waits->threads.items[*index - 1] = last;
	waits->threads.count--;
	if (*index <= waits->threads.count)
		*table_insert(&waits->by_tid, last->tid, NULL) = *index;
	*table_insert(&waits->by_tid, tid, NULL) = 0;
}

/* Where a thread is; `stopped`: its registers can be read. */
static uint32_t walk_thread(struct waits *waits, const struct waits_thread *thread,
			    const struct stacks_call *call, bool stopped)
{
	struct sample_record record = {
		.pid = thread->pid,
		.tid = thread->tid,
		.has_registers = true,
		.stack = waits->buffer,
	};
	const uint32_t image =
		sample_processes_find(&waits->sampler->processes, thread->pid);
	const bool all = stopped && waits->read_registers &&
			 waits->read_registers(thread->tid, record.registers);

	record.registers[UNWIND_RSP] = call->rsp;
	record.registers[SAMPLE_PC] = call->pc;
	record.stack_size =
		stacks_read_memory(thread->tid, call->rsp, waits->buffer, STACKS_BYTES);
	return stacks_walk(&waits->walker, image, &record, !all);
}

static const char *names_of(struct waits *waits, uint32_t node)
{
	bool made;
	uint64_t *index = table_insert(&waits->by_node, node, &made);
	struct text names = {0};

	if (made) {
		text_add(&names, "");
		sampler_add_names(waits->sampler, node, NAMED_FRAMES, &names);
		vector_push(&waits->names, names.data);
		*index = waits->names.count;
	}
	return waits->names.items[*index - 1];
}

/* Whether two calls are one that the kernel makes again. */
static bool is_again(const struct stacks_call *before, const struct stacks_call *now)
{
	return before->pc == now->pc && before->rsp == now->rsp &&
	       (now->number == SYS_restart_syscall ||
		(before->number == now->number &&
		 !memcmp(before->arguments, now->arguments, sizeof(now->arguments))));
}

/* Takes a part out of the list, and those after it, which were left by a jump out of
 * their handlers, or are over. */
static void drop_parts(struct waits_thread *thread, int last)
{
	const size_t dropped = (size_t)last + 1;

	memmove(thread->parts, thread->parts + dropped,
		(WAITS_PARTS - dropped) * sizeof(thread->parts[0]));
	memset(thread->parts + WAITS_PARTS - dropped, 0,
	       dropped * sizeof(thread->parts[0]));
}

/* Takes the earlier part of a call out of the list. */
static struct waits_part take_part(struct waits_thread *thread,
				   const struct stacks_call *call)
{
	const struct waits_part none = {0};

	for (int i = 0; i < WAITS_PARTS; i++) {
		const struct waits_part part = thread->parts[i];

		if (!part.ns || part.handled || !is_again(&part.call, call))
			continue;
		drop_parts(thread, i);
		return part;
	}
	return none;
}

void waits_handle(struct waits_thread *thread)
{
	thread->parts[0].handled = true;
}

void waits_return(struct waits_thread *thread, uint64_t pc, uint64_t rsp)
{
	enum { CALL_SIZE = 2 };

	for (int i = 0; i < WAITS_PARTS; i++) {
		struct waits_part *part = &thread->parts[i];

		if (!part->ns || part->call.rsp != rsp)
			continue;
		if (pc == part->call.pc - CALL_SIZE)
			part->handled = false;
		else if (pc == part->call.pc)
			drop_parts(thread, i);
		return;
	}
}

static void keep_part(struct waits_thread *thread, const struct waits_part *part)
{
	memmove(thread->parts + 1, thread->parts, (WAITS_PARTS - 1) * sizeof(*part));
	thread->parts[0] = *part;
}

/* Tells those that wait for a futex by whom it was released, and where. */
static void note_wakers(struct waits *waits, const struct waits_thread *waker,
			const struct stacks_call *call)
{
	uint32_t node = 0;

	vector_for_each (&waits->threads, item) {
		struct waits_thread *thread = *item;

		if (!thread->inside || thread->pid != waker->pid ||
		    thread->call.number != SYS_futex ||
		    thread->call.arguments[0] != call->arguments[0] ||
		    (thread->futex.holder && thread->futex.holder != waker->tid))
			continue;
		if (!node)
			node = walk_thread(waits, waker, call, true);
		thread->holder_node = node;
	}
}

/* Whether what a call waited for is not known when it has ended. */
static bool call_forgets(int64_t number)
{
	/* Their results are where the sets of descriptors were. */
	return number == SYS_select || number == SYS_pselect6 || number == SYS_close;
}

void waits_enter(struct waits *waits, struct waits_thread *thread,
		 const struct stacks_call *call)
{
	const bool futex = call->number == SYS_futex;

	thread->inside =
		stacks_call_waits(call->number) && (!futex || stacks_futex_waits(call));
	if (futex && stacks_futex_wakes(call))
		note_wakers(waits, thread, call);
	if (!thread->inside)
		return;
	thread->part = take_part(thread, call);
	/* What is made again has other arguments. */
	thread->call = thread->part.ns ? thread->part.call : *call;
	thread->holder_node = 0;
	if (thread->call.number == SYS_futex)
		stacks_futex_look(thread->pid, &thread->call, &thread->futex);
	forget_early(thread);
	if (call_forgets(call->number))
		stacks_object_find(&waits->sockets, thread->pid, call, "", NULL,
				   &thread->early);
}

void waits_go_on(struct waits_thread *thread, uint64_t now_ns)
{
	thread->since_ns = now_ns;
}

/* A wait of `ns` nanoseconds, of which `more` are new to the sums. */
static void add_wait(struct waits *waits, const struct waits_thread *thread, uint64_t ns,
		     uint64_t more, bool stopped)
{
	struct sampler *sampler = waits->sampler;
	struct stacks_object object;
	struct sample_sum sum = {
		.image = sample_processes_find(&sampler->processes, thread->pid),
		.tid = thread->tid,
		.samples = !thread->part.counted,
		.events = more,
		.longest = ns,
	};

	sum.node = walk_thread(waits, thread, &thread->call, stopped);
	if (thread->early.words.length)
		object = thread->early;
	else
		stacks_object_find(&waits->sockets, thread->pid, &thread->call,
				   names_of(waits, sum.node), &thread->futex, &object);
	sum.wait = sample_sums_wait(&sampler->sums, stacks_kind_names[object.kind],
				    object.words.data, thread->holder_node);
	if (!thread->early.words.length)
		text_deinit(&object.words);
	sampler->taken[0] += sum.samples;
	sampler->source.tallies[0].total += more;
	sample_sums_add(&sampler->sums, &sum);
}

/* Ends the present part of a call: it is counted if the whole took long enough. */
static void end_part(struct waits *waits, struct waits_thread *thread, uint64_t now_ns,
		     bool stopped)
{
	struct waits_part *part = &thread->part;
	const uint64_t took = now_ns - thread->since_ns, ns = part->ns + took;

	if (ns >= waits->threshold_ns &&
	    sampler_counts(waits->sampler, thread->pid, now_ns)) {
		add_wait(waits, thread, ns, part->counted ? took : ns, stopped);
		part->counted = true;
	}
	part->call = thread->call;
	part->ns = ns ? ns : 1;
}

void waits_leave(struct waits *waits, struct waits_thread *thread, int64_t result,
		 uint64_t now_ns)
{
	if (!thread->inside)
		return;
	thread->inside = false;
	end_part(waits, thread, now_ns, true);
	if (-result >= RESTART_FIRST && -result <= RESTART_LAST)
		keep_part(thread, &thread->part);
	else if (!thread->part.counted)
		waits->short_waits++;
}

void waits_again(struct waits_thread *thread)
{
	if (!thread->inside && thread->part.ns)
		keep_part(thread, &thread->part);
}

void waits_take_open(struct waits *waits, uint32_t pid, uint64_t now_ns)
{
	vector_for_each (&waits->threads, item) {
		struct waits_thread *thread = *item;

		if (thread->pid != pid || !thread->inside)
			continue;
		end_part(waits, thread, now_ns, false);
		thread->since_ns = now_ns;
	}
}
